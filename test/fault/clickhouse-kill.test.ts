/**
 * Every acknowledged event is in ClickHouse and in files exactly once, however the program and the server died in between. Many processes
 * use one data folder and one server in turn, each killed by SIGKILL at a random moment under load, in some rounds the server, too.
 * FAULT_SEED repeats the random choices of a run, though not its timing; FAULT_ROUNDS sets the number of kills.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { EVENTS_TABLE, clickhouseOfFile, ONLY_THE_FRONT } from "../support/clickhouse-server.ts";
import { numberFrom, seedFrom } from "../support/number-from-environment.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { spawnServer, startServer } from "../support/server-process.ts";
import { skippedFor } from "../support/skipped.ts";
import type { Environment } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { expectEachOnce } from "./each-once.ts";
import { EventLoad, type LoadEvent } from "./event-load.ts";
import { readStoredEvents } from "./stored-events.ts";

const SEED = seedFrom("FAULT_SEED", 20_260_315);
const ROUNDS = numberFrom("FAULT_ROUNDS", { quick: 15, all: 15 });
const SITES = 7;
const TEST_MS_MAX = 240_000;

/** Events of a round before the kill, and the time after them in which it comes: a flush is due twice a second. */
const EVENTS_MAX = 800;
const PAUSE_MS_MAX = 700;

/** In order, again and again. The server may die first, or be away while the program starts. */
const MOMENTS = ["load", "load", "server first", "start", "server away"] as const;

const clickhouse = clickhouseOfFile();

const eventOf = (count: number): LoadEvent => ({ siteId: `site-${count % SITES}.test`, pathname: `/e/${count}` });

async function environmentOf(): Promise<{ readonly database: string; readonly environment: Environment }> {
  const { url, username, database: makeDatabase } = clickhouse();
  const database = await makeDatabase();
  return {
    database,
    environment: {
      SVC_ENGINE: "clickhouse",
      SVC_CLICKHOUSE_URL: url,
      SVC_CLICKHOUSE_USER: username,
      SVC_CLICKHOUSE_DATABASE: database,
      SVC_COMPACT_AFTER_FILES: "2",
    },
  };
}

/** How many events each page has in ClickHouse. */
async function pagesIn(database: string): Promise<Map<string, number>> {
  const text = await clickhouse().query(`SELECT concat(site_id, pathname), count() FROM ${EVENTS_TABLE} GROUP BY 1`, { database });
  const lines = text.trim().split("\n");
  return new Map(lines.map((line) => [line.split("\t")[0] ?? "", Number(line.split("\t")[1])]));
}

it(
  `ClickHouse has every acknowledged event exactly once after ${ROUNDS} kills (FAULT_SEED=${SEED})`,
  { ...skippedFor(ONLY_THE_FRONT), timeout: TEST_MS_MAX },
  async () => {
    const { database, environment } = await environmentOf();
    const dataFolder = await tempFolder();
    const random = numbersFrom(SEED);
    const load = new EventLoad(eventOf);
    const logs: string[] = [];

    for (let index = 0; index < ROUNDS; index++) {
      const during = MOMENTS[index % MOMENTS.length];
      if (during === "server away") await clickhouse().kill();
      const server = spawnServer({ dataFolder, environment });
      if (during === "start") await sleep(random() * PAUSE_MS_MAX);
      else {
        const enough = load.acknowledgedMore(1 + Math.floor(random() * EVENTS_MAX));
        const posting = load.start(await server.listening);
        await Promise.race([enough, posting.ended]);
        if (during === "server first") await clickhouse().kill();
        await sleep(random() * PAUSE_MS_MAX);
        await server.kill9();
        await posting.ended;
      }
      await server.kill9();
      logs.push(server.log());
      if (during === "server first" || during === "server away") await clickhouse().start();
    }

    const server = await startServer({ dataFolder, environment });
    await expect.poll(async () => (await pagesIn(database)).size).toBeGreaterThanOrEqual(load.acknowledged.length);
    expect(await server.stop()).toBe(0);
    expectEachOnce(await pagesIn(database), load, () => true);
    const stored = await readStoredEvents(dataFolder);
    expectEachOnce(stored.pages, load, () => true);
    expect(stored.inJournalOnly).toBe(0);
    // Events were accepted while the server was away.
    expect(load.refusals).toEqual([]);
    expect(load.acknowledged.length).toBeGreaterThan(ROUNDS * 50);
    expect(logs.join("")).toContain("ClickHouse cannot be reached");
    process.stdout.write(`FAULT_SEED=${SEED}: ${load.acknowledged.length} events acknowledged, ${load.unanswered.length} unanswered\n`);
  },
);
