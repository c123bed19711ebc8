/** Writes the events of the program's demo site for the screenshots: under another name, and as a site of any age. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { importSource } from "../test/bench/bench-server.mjs";

const SITE = "lighthouse.example";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Visits of the last half hour, most of them of the last minutes, so that the realtime view has something to show at any hour. */
const CURRENT_VISITS = 64;
const CURRENT_MS = 29 * MINUTE_MS;

/** @typedef {{ visitorId: bigint, timestampMs: number }} DemoEvent */

/** The events of the first visitors. @param {readonly DemoEvent[]} events @param {number} visitors */
function ofFirstVisitors(events, visitors) {
  const ids = new Set([...new Set(events.map(({ visitorId }) => visitorId))].slice(0, visitors));
  return events.filter(({ visitorId }) => ids.has(visitorId));
}

async function importGenerator() {
  const { demoDay, numbersFrom, visitOf, visitorFrom } = await importSource("src/runtime/installation/demo-events.ts");
  const { encodeEvents } = await importSource("src/storage/parquet-events.ts");
  const { partitionKey } = await importSource("src/storage/partitions.ts");
  /** @param {string} date @param {number} nowMs @returns {DemoEvent[]} */
  function currentVisits(date, nowMs) {
    const numbers = numbersFrom(1);
    const visits = Array.from({ length: CURRENT_VISITS }, () => {
      const visitor = visitorFrom({ siteId: SITE, date, hostname: SITE }, numbers);
      return visitOf(visitor, nowMs - Math.floor(numbers() ** 2 * CURRENT_MS), numbers);
    });
    return visits.flat();
  }
  return { demoDay, currentVisits, encodeEvents, partitionKey };
}

/**
 * @param {string} dataFolder
 * @param {{ days: number, visitorsMax?: number }} age how many days up to now it has, and visitors of each
 * @returns {Promise<string>} the site
 */
export async function writeDemo(dataFolder, { days, visitorsMax = Number.POSITIVE_INFINITY }) {
  const { demoDay, currentVisits, encodeEvents, partitionKey } = await importGenerator();
  const nowMs = Date.now();
  for (let ago = days - 1; ago >= 0; ago--) {
    const startMs = (Math.floor(nowMs / DAY_MS) - ago) * DAY_MS;
    const date = new Date(startMs).toISOString().slice(0, 10);
    const index = days - 1 - ago;
    const current = ago === 0 && visitorsMax === Number.POSITIVE_INFINITY ? currentVisits(date, nowMs) : [];
    const past = [...demoDay({ siteId: SITE, date, startMs, endMs: startMs + DAY_MS, index }), ...current].filter(
      ({ timestampMs }) => timestampMs < nowMs,
    );
    const events = ofFirstVisitors(past, visitorsMax).sort((a, b) => a.timestampMs - b.timestampMs);
    if (events.length === 0) continue;
    const path = join(dataFolder, partitionKey(SITE, date, index + 1, index + 1));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, encodeEvents(events));
  }
  return SITE;
}
