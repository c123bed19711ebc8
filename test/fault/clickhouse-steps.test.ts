/**
 * Writing to ClickHouse under failures: a few flushes run once for each change to the disk and each insert. In each run another one
 * fails, or the process dies there. Files and ClickHouse must then have every acknowledged event exactly once.
 */
import { afterEach, describe, expect, it } from "vitest";
import { eventTables, prepareSchema } from "../../src/runtime/clickhouse/schema.ts";
import { siteId } from "../support/stored-event.ts";
import { connectionTo } from "../support/clickhouse-connection.ts";
import { EVENTS_TABLE, clickhouseOfFile, ONLY_THE_FRONT, type Failure } from "../support/clickhouse-server.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";
import { skippedFor } from "../support/skipped.ts";
import type { Environment } from "../support/target.ts";
import { inProcess, Ledger, wrongIn, type Sent } from "./ledger.ts";
import { readStores } from "./stored-events.ts";

const clickhouse = clickhouseOfFile();

const [A, B] = [siteId("a.test"), siteId("B:other.")];

/** Longer than the pause after any failure. */
const PAUSE_MS = 10_000;

async function openDatabase() {
  const { url, username, database, query } = clickhouse();
  const name = await database();
  const environment: Environment = {
    SVC_ENGINE: "clickhouse",
    SVC_CLICKHOUSE_URL: url,
    SVC_CLICKHOUSE_USER: username,
    SVC_CLICKHOUSE_DATABASE: name,
  };
  const ask = (sql: string) => query(sql, { database: name });
  // A process whose events were all lost has not done it.
  const prepare = () => prepareSchema(connectionTo(clickhouse(), name), eventTables({ clickhouseDatabase: name, clickhouseCluster: null }));
  /** How many events each page has, as `readStores` tells of the files. */
  const pages = async (): Promise<Map<string, number>> => {
    await prepare();
    const lines = (await ask(`SELECT concat(site_id, pathname), count() FROM ${EVENTS_TABLE} GROUP BY 1`)).trim().split("\n");
    return new Map(lines.filter((line) => line !== "").map((line) => [line.split("\t")[0] ?? "", Number(line.split("\t")[1])]));
  };
  return { environment, ask, pages };
}

type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Two flushes of two sites. Whatever fails, it goes on, and tries again after the pause. */
async function play(stores: Stores, { environment }: Database): Promise<Sent[]> {
  return inProcess(
    stores,
    async (target) => {
      const ledger = new Ledger(target);
      const { flush } = target.services;
      await ledger.send(A, 3);
      await ledger.send(B, 2);
      await flush.run();
      await ledger.send(A, 2);
      await ledger.send(B, 1);
      await flush.run();
      await target.advance(PAUSE_MS);
      await ledger.send(A, 1);
      await flush.run();
      return ledger.sent;
    },
    environment,
  );
}

/** Another process on the same stores flushes everything. Then files and ClickHouse are compared with what was acknowledged. */
async function expectEachOnce(stores: Stores, database: Database, sent: readonly Sent[]): Promise<void> {
  await inProcess(stores, async (target) => target.flush(), database.environment);
  const inFiles = await readStores(stores);
  const inClickhouse = await database.pages();
  expect({ wrong: wrongIn(inFiles.pages, sent), inJournalOnly: inFiles.inJournalOnly }, "in files").toEqual({
    wrong: [],
    inJournalOnly: 0,
  });
  expect(wrongIn(inClickhouse, sent), "in ClickHouse").toEqual([]);
  const acknowledged = new Set(sent.flatMap((entry) => (entry.acknowledged ? [`${entry.site}${entry.pathname}`] : [])));
  const confirmed = (pages: ReadonlyMap<string, number>) => [...pages.keys()].filter((page) => acknowledged.has(page)).sort();
  expect(confirmed(inClickhouse), "the same events").toEqual(confirmed(inFiles.pages));
}

async function playAndRestart(strike: Strike | null): Promise<boolean> {
  const database = await openDatabase();
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  const sent = await play(mortal, database);
  await expectEachOnce(backing, database, sent);
  return mortal.hasStruck();
}

describe("writing to ClickHouse", () => {
  it("writing to ClickHouse stores every event once, in files and in ClickHouse", async () => {
    expect(await playAndRestart(null)).toBe(false);
  });

  for (const deadly of [true, false]) {
    for (const when of ["before", "halfway", "after"] as const) {
      it(`writing to ClickHouse stores every event once when ${deadly ? "the process dies" : "a failure occurs"} ${when} any change to the disk`, async () => {
        // The first changes are the node's id and the journal, without which there is no process.
        for (let atChange = when === "halfway" ? 1 : 3; ; atChange++) {
          const struck = await playAndRestart({ atChange, when, deadly }).catch((error: unknown) => {
            throw new Error(`at change ${atChange}: ${String(error)}`, { cause: error });
          });
          if (struck) continue;
          expect(atChange).toBeGreaterThan(when === "halfway" ? 5 : 10);
          return;
        }
      });
    }
  }
});

/** The statements of inserts begin so. */
const INSERT = `INSERT INTO ${EVENTS_TABLE}`;

describe("inserts that fail", skippedFor(ONLY_THE_FRONT), () => {
  afterEach(() => clickhouse().fail({ kind: "none" }));

  const FAILURES: readonly (readonly [string, Failure])[] = [
    ["are not begun", { kind: "refuse", match: INSERT }],
    ["are refused", { kind: "error", code: 252, match: INSERT }],
    ["are executed, but not answered", { kind: "drop", match: INSERT }],
    ["fail with the schema", { kind: "error", code: 497, match: "CREATE TABLE" }],
  ];

  for (const [what, failure] of FAILURES) {
    it.each([1, 2, 4])(`failing inserts leave every event once where %i of them ${what}`, async (count) => {
      const database = await openDatabase();
      const stores = memoryStores();
      await clickhouse().fail({ ...failure, count });
      const sent = await play(stores, database);
      await clickhouse().fail({ kind: "none" });
      expect(sent.every(({ acknowledged }) => acknowledged)).toBe(true);
      await expectEachOnce(stores, database, sent);
    });

    it(`failing inserts leave every event once where one of them ${what}, the process dies, and the server has forgotten all inserts`, async () => {
      const database = await openDatabase();
      const backing = memoryStores();
      await clickhouse().fail({ ...failure, count: 100 });
      // It dies with its journal full.
      const sent = await play(backing, database);
      await clickhouse().fail({ kind: "none" });
      const forget = `ALTER TABLE ${EVENTS_TABLE} MODIFY SETTING non_replicated_deduplication_window = 0`;
      if (failure.match === INSERT) await database.ask(forget);
      await expectEachOnce(backing, database, sent);
    });
  }
});

describe("a server that is down", skippedFor(ONLY_THE_FRONT), () => {
  it("a server that is down stops neither the start nor the acceptance of events, and gets each once when it is back, whatever process sends it", async () => {
    const database = await openDatabase();
    const stores = memoryStores();
    await clickhouse().kill();
    const sent = await play(stores, database);
    expect(sent.every(({ acknowledged }) => acknowledged)).toBe(true);
    await inProcess(
      stores,
      async (target) => {
        const ledger = new Ledger(target, sent);
        await ledger.send(A, 2);
        expect(await target.services.flush.run()).toBe(false);
        await clickhouse().start();
        await target.advance(PAUSE_MS);
        await target.services.flush.settled();
        expect(target.services.eventStore.unflushedEvents).toBe(0);
      },
      database.environment,
    );
    await expectEachOnce(stores, database, sent);
  });
});
