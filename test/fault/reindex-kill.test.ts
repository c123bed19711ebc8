/**
 * `sandpiper reindex` fills ClickHouse from the files of a node, each event once, although it is killed at random moments and rows are
 * lost, doubled or left over in between. FAULT_SEED repeats the random choices of a run, though not its timing.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { addDays } from "../../src/storage/calendar.ts";
import { type LocalDate, startOfDayMs } from "../../src/storage/event.ts";
import { encodeEvents } from "../../src/storage/parquet-events.ts";
import { partitionKey } from "../../src/storage/partitions.ts";
import { seedFrom } from "../support/number-from-environment.ts";
import { MAIN_PATH } from "../support/built.ts";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { spawnServer } from "../support/server-process.ts";
import { anEvent, siteId } from "../support/stored-event.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SEED = seedFrom("FAULT_SEED", 20_260_315);
const KILLS = 12;
const KILL_MS_MAX = 1_500;
const FIRST_DAY = "2026-03-01" as LocalDate;
const [SITES, DAYS, FILES, EVENTS] = [4, 5, 3, 20];
const TEST_MS_MAX = 240_000;

const clickhouse = clickhouseOfFile();

/** Files of several segments each, as merges leave them. Resolves with all their pages. */
async function fillFolder(dataFolder: string): Promise<string[]> {
  const objects = createFileObjectStore(dataFolder);
  const pages: string[] = [];
  for (let site = 0; site < SITES; site++) {
    for (let day = 0; day < DAYS; day++) {
      const date = addDays(FIRST_DAY, day);
      for (let file = 0; file < FILES; file++) {
        const paths = Array.from({ length: EVENTS }, (_, i) => `/${site}/${day}/${file}/${i}`);
        const timestampMs = startOfDayMs(date);
        const events = paths.map((pathname) => anEvent({ siteId: siteId(`site-${site}.test`), timestampMs, date, pathname }));
        await objects.put(partitionKey(siteId(`site-${site}.test`), date, file * 10 + 1, file * 10 + 5), encodeEvents(events));
        pages.push(...paths);
      }
    }
  }
  return pages;
}

const DAMAGES = [
  "DELETE FROM events_data WHERE cityHash64(pathname, {seed:UInt32}) % 7 = 0",
  "INSERT INTO events_data SELECT * FROM events_data WHERE cityHash64(site_id, day, {seed:UInt32}) % 5 = 0",
  "INSERT INTO events_data SELECT * REPLACE (toUInt64(900) AS segment) FROM events_data WHERE cityHash64(day, {seed:UInt32}) % 3 = 0",
];

it(
  `reindex leaves every event of the files in ClickHouse once after ${KILLS} kills (FAULT_SEED=${SEED})`,
  async () => {
    const random = numbersFrom(SEED);
    const dataFolder = await tempFolder();
    const pages = await fillFolder(dataFolder);
    const { url, username, password, query, database: newDatabase } = clickhouse();
    const database = await newDatabase();
    const environment = {
      SVC_ENGINE: "clickhouse",
      SVC_CLICKHOUSE_URL: url,
      SVC_CLICKHOUSE_USER: username,
      ...(password !== "" && { SVC_CLICKHOUSE_PASSWORD: password }),
      SVC_CLICKHOUSE_DATABASE: database,
    };
    const begin = () => spawnServer({ dataFolder, environment, command: [process.execPath, MAIN_PATH, "reindex"] });
    const complete = async () => {
      const run = begin();
      const { code } = await run.exited;
      return { code, printed: run.log() };
    };
    const total = `${SITES} sites, ${SITES * DAYS * FILES} files, ${(SITES * DAYS * FILES * EVENTS).toLocaleString("en-US")} events\n`;
    for (let round = 0; round < KILLS; round++) {
      const run = begin();
      await sleep(random() * KILL_MS_MAX);
      await run.kill9();
      const damage = DAMAGES[round % DAMAGES.length] ?? "";
      const tables = await query("EXISTS TABLE events_data", { database });
      if (round % 2 === 1 && tables.trim() === "1") await query(damage, { database, parameters: { seed: String(round) } });
    }
    expect(await complete()).toMatchObject({ code: 0, printed: expect.stringContaining(total) as unknown });
    const stored = await query("SELECT pathname FROM events_data ORDER BY site_id, day, segment, row FORMAT TSV", { database });
    expect(stored.trimEnd().split("\n")).toEqual(pages);

    expect(await complete()).toMatchObject({
      code: 0,
      printed: expect.stringContaining("  inserted: 0 events of 0 files; deleted: 0 rows\n  ClickHouse has every event") as unknown,
    });
  },
  TEST_MS_MAX,
);

it("reindex inserts again what was deleted after an earlier run had inserted it", async () => {
  const dataFolder = await tempFolder();
  await fillFolder(dataFolder);
  const { url, query, database: newDatabase } = clickhouse();
  const database = await newDatabase();
  const environment = { SVC_ENGINE: "clickhouse", SVC_CLICKHOUSE_URL: url, SVC_CLICKHOUSE_DATABASE: database };
  for (let run = 0; run < 2; run++) {
    const server = spawnServer({ dataFolder, environment, command: [process.execPath, MAIN_PATH, "reindex"] });
    expect((await server.exited).code, server.log()).toBe(0);
    const count = await query("SELECT count() FROM events_data", { database });
    expect(Number(count)).toBe(SITES * DAYS * FILES * EVENTS);
    await query("TRUNCATE TABLE events_data", { database });
  }
});
