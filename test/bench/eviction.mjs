/**
 * Queries of ranges that fit into the engine's memory, over events that take many times as much: the cache must stay within
 * `engine_memory_mb`, frequently used days must stay cached, and every result must be exact. Exits with code 1 otherwise.
 *
 *   node test/bench/eviction.mjs [events] [engine memory in MB] [queries]
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildBenchProgram, getJson, importSource, startProgram, withTempFolder } from "./bench-server.mjs";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { eventsOfDay } from "./generate-events.mjs";
import { mebibytes, median, milliseconds, printTable, progress, whole } from "./table.mjs";

const EVENTS = Number(process.argv[2] ?? 3_200_000);
const MEMORY_MB = Number(process.argv[3] ?? 32);
const QUERIES = Number(process.argv[4] ?? 240);

const SITES = 4;
const DAYS = 16;
const EVENTS_PER_DAY = Math.floor(EVENTS / SITES / DAYS);
const DAY_MS = 86_400_000;

/** The share of events with a unique path: texts take memory, too. */
const UNIQUE_SHARE = 0.4;

/** One of this many queries reads the same day. */
const FAVOURITE_EACH = 4;

/** Memory beside cached data: the program, the engine's code and working memory, and freed memory not yet returned to the system. */
const BESIDE_MB = 700;

const siteOf = (/** @type {number} */ site) => `eviction-${site}.test`;
const today = Math.floor(Date.now() / DAY_MS);
const dateOf = (/** @type {number} */ day) => new Date((today - DAYS + day) * DAY_MS).toISOString().slice(0, 10);

/** @param {string} folder */
async function writeAll(folder) {
  const { encodeEvents } = await importSource("src/storage/parquet-events.ts");
  const { partitionKey } = await importSource("src/storage/partitions.ts");
  const random = numbersFrom(7);
  for (let site = 0; site < SITES; site++) {
    for (let day = 0; day < DAYS; day++) {
      const events = eventsOfDay((today - DAYS + day) * DAY_MS, EVENTS_PER_DAY, random).map((event, n) => ({
        ...event,
        siteId: siteOf(site),
        pathname: random() < UNIQUE_SHARE ? `/${site}/${day}/article-${n}` : event.pathname,
      }));
      const path = join(folder, partitionKey(siteOf(site), dateOf(day), day + 1, day + 1));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, encodeEvents(events));
    }
    progress(`${whole((site + 1) * DAYS * EVENTS_PER_DAY)} events written`);
  }
}

/** @type {string[]} */
const wrong = [];
/** @type {string[][]} */
const rows = [];

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await writeAll(folder);
  const server = await startProgram(folder, { SVC_ENGINE_MEMORY_MB: String(MEMORY_MB), SVC_REQUEST_TIMEOUT_SECS: "300" });
  const random = numbersFrom(11);
  const pick = (/** @type {number} */ count) => Math.floor(random() * count);
  /** @type {{ favourite: number[], others: number[] }} */
  let took = { favourite: [], others: [] };
  let [engineBytesMax, rssMax] = [0, 0];
  const note = (/** @type {number} */ sent) => {
    rows.push([
      whole(sent),
      milliseconds(median(took.favourite)),
      milliseconds(median(took.others)),
      mebibytes(engineBytesMax),
      mebibytes(rssMax),
    ]);
    progress(rows.at(-1)?.join("  ") ?? "");
    took = { favourite: [], others: [] };
    [engineBytesMax, rssMax] = [0, 0];
  };
  for (let sent = 0; sent < QUERIES; sent++) {
    const isFavourite = sent % FAVOURITE_EACH === 0;
    // Other queries of the favourite's site may include the favourite's day.
    const [site, first, days] = isFavourite ? [0, DAYS - 1, 1] : [pick(SITES), pick(DAYS), 1 + pick(2)];
    const last = Math.min(DAYS - 1, first + days - 1);
    const beganMs = performance.now();
    const range = `site_id=${siteOf(site)}&start_date=${dateOf(first)}&end_date=${dateOf(last)}`;
    const report = sent % 3 === 0 ? "timeseries" : "main";
    const response = await getJson(`${server.origin}/api/stats/${report}?${range}`);
    took[isFavourite ? "favourite" : "others"].push(performance.now() - beganMs);
    const wanted = (last - first + 1) * EVENTS_PER_DAY;
    if (report === "main" && response.total_events !== wanted) wrong.push(`${range}: ${response.total_events} events instead of ${wanted}`);
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    engineBytesMax = Math.max(engineBytesMax, Number(/^svc_engine_memory_bytes (\S+)$/m.exec(metrics)?.[1]));
    rssMax = Math.max(rssMax, (await server.memory()).rss);
    if (sent === 0) note(1);
    else if ((sent + 1) % Math.ceil(QUERIES / 8) === 0) note(sent + 1);
  }
  const { peakRss } = await server.memory();
  await server.stop();
  printTable(
    `${whole(SITES * DAYS * EVENTS_PER_DAY)} events of ${SITES} sites and ${DAYS} days, engine_memory_mb = ${MEMORY_MB}`,
    ["queries", "favourite day, median", "others, median", "engine memory, peak", "resident, peak"],
    rows,
  );
  if (peakRss > (MEMORY_MB + BESIDE_MB) * 1024 * 1024) wrong.push(`${mebibytes(peakRss)} resident`);
  for (const line of wrong) console.log(line);
  if (wrong.length > 0) process.exitCode = 1;
});
