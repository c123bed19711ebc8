/** DuckDB in the calling thread against the contract of the engine port. */
import { expect, it } from "vitest";
import { createDuckdbEngine, openDuckdb } from "../../adapters/node/threads/duckdb-instance.ts";
import { DuckdbEngine } from "../../src/runtime/duckdb/tables/duckdb-engine.ts";
import { decodeEvents } from "../../src/storage/parquet-events.ts";
import { engineModule } from "../support/engine-module.ts";
import { anEvent, eventTexts } from "../support/stored-event.ts";
import { DATE, aBlock, aQuery, aSite, describeEngine, fileOf, silent } from "./engine.suite.ts";

describeEngine("DuckDB in the same thread", async () => createDuckdbEngine(await engineModule()));

it("a file larger than one insert is loaded completely and in order, and sessions continue across inserts", async () => {
  const [ROWS, VISITORS, PAUSE_AFTER] = [75_000, 7, 60_000];
  const noon = Date.parse("2026-03-15T12:00:00Z");
  const events = Array.from({ length: ROWS }, (_, i) =>
    anEvent({ visitorId: BigInt(i % VISITORS), pathname: `/${i % 1000}`, timestampMs: noon + i + (i < PAUSE_AFTER ? 0 : 3_600_000) }),
  );
  const site = aSite();
  const bytes = fileOf(site, events);
  expect([...decodeEvents(bytes)].map(({ rows }) => rows)).toEqual([50_000, 25_000]);

  const engine = await createDuckdbEngine(await engineModule());
  const block = aBlock(site);
  expect((await engine.append(block, { files: [{ key: "large", date: DATE, bytes }] })).unreadable).toEqual([]);
  const inOrder = `SELECT count(*) AS n, count(DISTINCT session) AS sessions, count(DISTINCT pathname) AS pages,
    count(*) FILTER (timestamp = ${noon} + sequence_number + CASE WHEN sequence_number < ${PAUSE_AFTER} THEN 0 ELSE 3600000 END) AS in_order FROM events`;
  expect(await engine.query(aQuery(site, [block], inOrder), silent())).toEqual([
    { n: ROWS, sessions: 2 * VISITORS, pages: 1000, in_order: ROWS },
  ]);
  await engine.close();
});

it.each([true, false])("sessions of a large day are all there, and other work runs while they are inserted (grows: %s)", async (grows) => {
  const ROWS = 120_000;
  const noon = Date.parse("2026-03-15T12:00:00Z");
  const events = Array.from({ length: ROWS }, (_, i) => anEvent({ visitorId: BigInt(i), timestampMs: noon + i, pathname: `/${i % 10}` }));
  const site = aSite();
  let turns = 0;
  const yieldToOthers = async () => void turns++;
  const engine = new DuckdbEngine({ ...(await openDuckdb(await engineModule())), yieldToOthers });
  const block = aBlock(site, grows);
  await engine.append(block, { files: [{ key: "large", date: DATE, bytes: fileOf(site, events) }], columns: ["timestamp"] });
  // Turns between row groups that are read, rows that are numbered, sessions that are inserted, and rows that are inserted.
  expect(turns).toBeGreaterThanOrEqual(3 + 2 + 2 + 1);
  const sums = `SELECT count(*) AS sessions, count(DISTINCT session) AS numbers, CAST(sum(interactions) AS INTEGER) AS n,
    count(*) FILTER (first_ms = last_ms AND first_ms - ${noon} = visitor_id) AS right_times FROM sessions`;
  expect(await engine.query(aQuery(site, [block], sums), silent())).toEqual([
    { sessions: ROWS, numbers: ROWS, n: ROWS, right_times: ROWS },
  ]);
  const joined = `SELECT count(*) AS n FROM events JOIN sessions USING (session) WHERE timestamp = first_ms AND pathname = entry_page`;
  expect(await engine.query(aQuery(site, [block], joined), silent())).toEqual([{ n: ROWS }]);
  await engine.close();
});

it("queries are correct above 2 GB of memory, where addresses need 32 bits", async () => {
  const database = await openDuckdb(await engineModule());
  const { mod } = database.bindings as unknown as { mod: Record<"_malloc", (bytes: number) => number> };
  // Never written to, so it takes address space only.
  const blocks = Array.from({ length: 9 }, () => mod["_malloc"](2 ** 28));
  expect(blocks.at(-1)).toBeGreaterThan(2 ** 31);

  const engine = new DuckdbEngine({ ...database, yieldToOthers: () => Promise.resolve() });
  const site = aSite();
  const block = aBlock(site);
  const events = Array.from({ length: 1000 }, (_, i) => anEvent({ pathname: `/${i}` }));
  await engine.append(block, { date: DATE, events: eventTexts(events) });
  await engine.append(block, { files: [{ key: "file", date: DATE, bytes: fileOf(site, events) }] });
  const pages = await engine.query(
    aQuery(
      site,
      [block],
      "SELECT text, count(*) AS n FROM events JOIN texts ON code = pathname GROUP BY text ORDER BY min(sequence_number)",
    ),
    silent(),
  );
  expect(pages).toEqual(events.map(({ pathname }) => ({ text: pathname, n: 2 })));
  const { sequence_number } = await engine.queryColumns(
    aQuery(site, [block], "SELECT sequence_number FROM events ORDER BY sequence_number"),
    silent(),
  );
  expect(sequence_number).toEqual(Int32Array.from({ length: 2000 }, (_, i) => i));
  await engine.close();
});
