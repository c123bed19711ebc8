/**
 * The processor time of making rollups: of one large site, and of a year of many small ones. In the same run, decoding all columns of
 * the same files, which is what any reading of all events costs at least.
 *
 *   node test/bench/rollups.mjs [events] [days] [small sites]
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { buildBenchProgram, importSource, withTempFolder } from "./bench-server.mjs";
import { bytesBelow, makeRollups } from "./dashboard-runs.mjs";
import { eventsOfDay, provideEvents } from "./generate-events.mjs";
import { duration, mebibytes, printTable, progress, twoDecimals, whole } from "./table.mjs";

const EVENTS = Number(process.argv[2] ?? 1_000_000);
const DAYS = Number(process.argv[3] ?? 365);
const SMALL_SITES = Number(process.argv[4] ?? 100);

const SMALL_DAYS = 365;
const SMALL_EVENTS_PER_DAY = 100;

const DAY_MS = 86_400_000;

/** Small sites with files of one year. @param {string} folder */
async function provideSmallSites(folder) {
  const { encodeEvents } = await importSource("src/storage/parquet-events.ts");
  const { partitionKey } = await importSource("src/storage/partitions.ts");
  const todayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  for (let site = 0; site < SMALL_SITES; site++) {
    progress(`generating small site ${site + 1} of ${SMALL_SITES}`);
    const random = numbersFrom(site);
    for (let day = 1; day <= SMALL_DAYS; day++) {
      const startMs = todayMs - day * DAY_MS;
      const siteId = `small-${site}.test`;
      const events = eventsOfDay(startMs, SMALL_EVENTS_PER_DAY, random).map((event) => ({ ...event, siteId }));
      const path = join(folder, partitionKey(siteId, new Date(startMs).toISOString().slice(0, 10), 1, 1));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, encodeEvents(events));
    }
  }
}

/** Milliseconds of processor time for reading all columns of all files. @param {string} folder */
async function decodingMs(folder) {
  const { decodeEvents } = await importSource("src/storage/parquet-events.ts");
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".parquet"));
  const before = process.cpuUsage();
  for (const name of names) for (const _ of decodeEvents(await readFile(join(folder, name))));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * @param {string} name
 * @param {(folder: string) => Promise<void>} provide
 * @param {{ events: number, days: number }} counts of all sites
 */
const measured = (name, provide, { events, days }) =>
  withTempFolder(async (folder) => {
    await provide(folder);
    const ofDecoding = await decodingMs(join(folder, "events"));
    progress(`making rollups of ${name}`);
    const { cpuMs, ms, peakRss } = await makeRollups(folder);
    return [
      name,
      whole(events),
      whole(days),
      duration(cpuMs),
      duration(ms),
      `${twoDecimals((cpuMs * 1000) / events)} µs`,
      `${twoDecimals(cpuMs / days)} ms`,
      twoDecimals(cpuMs / ofDecoding),
      mebibytes(peakRss),
      mebibytes(await bytesBelow(join(folder, "rollups"))),
    ];
  });

await buildBenchProgram();
const large = await measured("one large site", (folder) => provideEvents(folder, EVENTS, DAYS), { events: EVENTS, days: DAYS });
const smallDays = SMALL_SITES * SMALL_DAYS;
const small =
  SMALL_SITES > 0
    ? [await measured(`${SMALL_SITES} small sites`, provideSmallSites, { events: smallDays * SMALL_EVENTS_PER_DAY, days: smallDays })]
    : [];
printTable(
  "Making rollups",
  ["", "events", "site's days", "processor", "wall", "an event", "a site's day", "to decoding", "peak", "rollups"],
  [large, ...small],
);
