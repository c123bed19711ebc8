/** The cache of partial aggregates, with the real engine: which queries hit it, when entries are evicted, and its memory. */
import { describe, expect, it, onTestFinished } from "vitest";
import { EngineMemory } from "../../../../../src/runtime/duckdb/cache/engine-memory.ts";
import { EngineFullError, type Engine } from "../../../../../src/runtime/duckdb/engine.ts";
import { PartialAggregates, type QueryPartials } from "../../../../../src/runtime/duckdb/cache/partial-aggregates.ts";
import { createEngineShare } from "../../../../support/shared-engine.ts";
import { siteId } from "../../../../support/stored-event.ts";

const A = siteId("a.test");
const B = siteId("b.test");
const silent = new AbortController().signal;

const ROWS = 1000;
const ROW_BYTES = 2;
const SQL = `SELECT i AS n FROM range(${ROWS}) AS numbers(i)`;

/** Room for the rows of two and a half chunks. */
const BUDGET_BYTES = 4 * 2.5 * ROWS * ROW_BYTES;

async function makeWorld() {
  const share = await createEngineShare();
  onTestFinished(() => share.close());
  const dropped: string[] = [];
  const engine: Engine = {
    ...share,
    dropPartials(id, parts) {
      dropped.push(`${id} ${parts.toString()}`);
      return share.dropPartials(id, parts);
    },
  };
  const partialAggregates = new PartialAggregates(engine, new EngineMemory({ budgetBytes: BUDGET_BYTES }));
  const open = (site = A, key = "question", isGuest = false): QueryPartials =>
    partialAggregates.open({ siteId: site, key, columns: [{ name: "n", type: "BIGINT" }], isGuest });
  const add = (kept: QueryPartials, name: string, version = "as it was") =>
    partialAggregates.add(kept, { name, version }, { siteId: kept.table.siteId, blocks: [], sql: SQL, parameters: [] }, silent);
  return {
    partialAggregates,
    dropped,
    open,
    add,
    has: (kept: QueryPartials, name: string, version = "as it was") => partialAggregates.partOf(kept, { name, version }) !== undefined,
    async rowsOf(kept: QueryPartials, parts: readonly number[]): Promise<unknown> {
      const about = { siteId: kept.table.siteId, blocks: [], parameters: [], partials: partialAggregates.partsOf(kept, parts) };
      return (await share.query({ ...about, sql: "SELECT count(*) AS n FROM partials" }, silent))[0]?.n;
    },
  };
}

describe("a cached partial aggregate", () => {
  it("is reused only by the same query of the same site", async () => {
    const { open, add, has, rowsOf, partialAggregates } = await makeWorld();
    const first = open();
    const part = await add(first, "monday");
    partialAggregates.release(first);
    const again = open();
    expect([has(again, "monday"), has(again, "tuesday"), await rowsOf(again, [part])]).toEqual([true, false, ROWS]);
    expect([has(open(B), "monday"), has(open(A, "other"), "monday")]).toEqual([false, false]);
  });

  it("is not reused after the events of its chunk changed, and is dropped once it is replaced", async () => {
    const { open, add, has, partialAggregates, dropped, rowsOf } = await makeWorld();
    const kept = open();
    const before = await add(kept, "today", "one event");
    expect(has(kept, "today", "two events")).toBe(false);
    const after = await add(kept, "today", "two events");
    expect([has(kept, "today", "one event"), has(kept, "today", "two events")]).toEqual([false, true]);
    // Whoever has begun with it still finds it.
    expect([await rowsOf(kept, [before]), await rowsOf(kept, [after]), dropped]).toEqual([ROWS, ROWS, []]);
    partialAggregates.release(kept);
    expect(dropped).toEqual([`${kept.table.id} ${before}`]);
  });

  it("is evicted beyond the memory limit, least recently used first, but never while in use", async () => {
    const { open, add, has, partialAggregates } = await makeWorld();
    const names = ["first", "second", "third"];
    const all = names.map((name) => open(A, name));
    for (const kept of all) await add(kept, "monday");
    for (const kept of all) expect(has(kept, "monday")).toBe(true);
    for (const kept of all) partialAggregates.release(kept);
    expect(names.map((name) => has(open(A, name), "monday"))).toEqual([false, true, true]);
  });

  it("of a guest is evicted first if guests use half of the memory", async () => {
    const { open, add, has, partialAggregates } = await makeWorld();
    const compute = async (key: string, isGuest: boolean) => {
      const kept = open(A, key, isGuest);
      if (!has(kept, "monday")) await add(kept, "monday");
      partialAggregates.release(kept);
    };
    await compute("own", false);
    for (let i = 0; i < 5; i++) await compute(`guest ${i}`, true);
    expect(["own", "guest 3", "guest 4"].map((key) => has(open(A, key, true), "monday"))).toEqual([true, false, true]);
  });

  it("is dropped once if its strings exceed the limit, however many queries find that", async () => {
    const { open, add, has, partialAggregates } = await makeWorld();
    const texts = (): QueryPartials => partialAggregates.open({ siteId: A, key: "texts", columns: [{ name: "name", type: "VARCHAR" }] });
    const sql = "SELECT repeat('x', 200000) AS name FROM range(10)";
    const addTexts = (kept: QueryPartials, name: string) =>
      partialAggregates.add(kept, { name, version: "" }, { siteId: A, blocks: [], sql, parameters: [] }, silent);
    const users = [texts(), texts()];
    for (const kept of users) await expect(addTexts(kept, "monday")).rejects.toBeInstanceOf(EngineFullError);
    for (const kept of users) partialAggregates.release(kept);
    // So what is kept of others is still counted right.
    const names = ["first", "second", "third"];
    const all = names.map((name) => open(A, name));
    for (const kept of all) await add(kept, "monday");
    for (const kept of all) partialAggregates.release(kept);
    expect(names.map((name) => has(open(A, name), "monday"))).toEqual([false, true, true]);
  });

  it("is not evicted if it is the only one, whatever its size", async () => {
    const { open, add, has, partialAggregates } = await makeWorld();
    const kept = open();
    for (const name of ["monday", "tuesday", "wednesday", "thursday"]) await add(kept, name);
    partialAggregates.release(kept);
    expect(has(open(), "monday")).toBe(true);
  });

  it("is dropped with all others of its site once no query uses it", async () => {
    const { open, add, has, partialAggregates, dropped, rowsOf } = await makeWorld();
    const [used, unused, other] = [open(), open(A, "other"), open(B)];
    const part = await add(used, "monday");
    for (const kept of [unused, other]) await add(kept, "monday");
    partialAggregates.release(unused);
    partialAggregates.forgetSite(A);
    expect(dropped).toEqual([`${unused.table.id} all`]);
    expect([has(open(), "monday"), has(open(B), "monday"), await rowsOf(used, [part])]).toEqual([false, true, ROWS]);
    await add(used, "tuesday");
    partialAggregates.release(used);
    expect(dropped).toEqual([`${unused.table.id} all`, `${used.table.id} all`]);
    expect(has(open(), "tuesday")).toBe(false);
  });

  it("contains no rows of a failed query, and an evicted one is used by no query", async () => {
    const { open, add, has, partialAggregates } = await makeWorld();
    const kept = open();
    const broken = partialAggregates.add(
      kept,
      { name: "monday", version: "" },
      { siteId: A, blocks: [], sql: "SELECT nothing", parameters: [] },
      silent,
    );
    await expect(broken).rejects.toThrow();
    expect(has(kept, "monday", "")).toBe(false);
    await add(kept, "monday");
    expect(await partialAggregates.dropOldest()).toBe(false);
    partialAggregates.release(kept);
    expect([await partialAggregates.dropOldest(), await partialAggregates.dropOldest(), has(open(), "monday")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("the engine's memory", () => {
  const MB = 1024 * 1024;

  it("has room up to its budget, which includes texts", () => {
    const memory = new EngineMemory({ budgetBytes: 100 * MB });
    memory.note({ memoryBytes: 60 * MB, textBytes: 50 * MB });
    expect([memory.hasRoomFor(40 * MB), memory.hasRoomFor(41 * MB), memory.hasRoomBesideTexts]).toEqual([true, false, true]);
    memory.note({ memoryBytes: 60 * MB, textBytes: 50 * MB + 1 });
    expect(memory.hasRoomBesideTexts).toBe(false);
    memory.checkTexts();
    memory.note({ memoryBytes: 101 * MB, textBytes: 101 * MB });
    expect(() => memory.checkTexts()).toThrow(EngineFullError);
  });

  it("is estimated from the size of files, and higher if experience says so", () => {
    const memory = new EngineMemory({ budgetBytes: 100 * MB });
    expect([memory.shouldFit(100 * MB, 0), memory.shouldFit(101 * MB, 0)]).toEqual([true, false]);
    memory.note({ memoryBytes: 90 * MB, textBytes: 0 });
    expect([memory.shouldFit(60 * MB, 30 * MB), memory.shouldFit(30 * MB, 30 * MB), memory.shouldFit(60 * MB, 10 * MB)]).toEqual([
      false,
      true,
      true,
    ]);
  });
});
