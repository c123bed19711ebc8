/** The kept rows of parts of ranges: which queries find them, when they are evicted, and their memory. */
import { describe, expect, it } from "vitest";
import { EngineMemory } from "../../../../../src/runtime/duckdb/cache/engine-memory.ts";
import { type KeptRows, PartRows } from "../../../../../src/runtime/duckdb/cache/part-rows.ts";
import { EngineFullError } from "../../../../../src/runtime/duckdb/engine.ts";
import { type Columns, memoryOf } from "../../../../../src/storage/columns.ts";
import { siteId } from "../../../../support/stored-event.ts";

const A = siteId("a.test");
const B = siteId("b.test");

const ROWS: Columns = { n: Float64Array.from({ length: 1000 }, (_, i) => i) };

/** Room for the rows of two and a half parts. */
const BUDGET_BYTES = 4 * 2.5 * memoryOf(ROWS);

function makeWorld() {
  const memory = new EngineMemory({ budgetBytes: BUDGET_BYTES });
  const partRows = new PartRows(memory);
  const open = (site = A, key = "question", isGuest = false): KeptRows => partRows.open({ siteId: site, key, isGuest });
  return {
    memory,
    partRows,
    open,
    add: (kept: KeptRows, name: string, version = "as it was", rows = ROWS) => partRows.add(kept, { name, version }, rows),
    has: (kept: KeptRows, name: string, version = "as it was") => partRows.rowsOf(kept, { name, version }) !== undefined,
  };
}

describe("the kept rows of a part", () => {
  it("are found only by the same query of the same site", () => {
    const { open, add, has, partRows } = makeWorld();
    const first = open();
    add(first, "monday");
    partRows.release(first);
    const again = open();
    expect([has(again, "monday"), has(again, "tuesday")]).toEqual([true, false]);
    expect([has(open(B), "monday"), has(open(A, "other"), "monday")]).toEqual([false, false]);
  });

  it("are not found after the events of the part changed, and count once they are replaced", () => {
    const { memory, open, add, has } = makeWorld();
    const kept = open();
    add(kept, "today", "one event");
    expect(has(kept, "today", "two events")).toBe(false);
    add(kept, "today", "two events");
    expect([has(kept, "today", "one event"), has(kept, "today", "two events")]).toEqual([false, true]);
    expect(memory.rowBytes).toBe(memoryOf(ROWS));
  });

  it("are evicted beyond the memory limit, least recently used first, but never while in use", () => {
    const { open, add, has, partRows } = makeWorld();
    const names = ["first", "second", "third"];
    const all = names.map((name) => open(A, name));
    for (const kept of all) add(kept, "monday");
    for (const kept of all) expect(has(kept, "monday")).toBe(true);
    for (const kept of all) partRows.release(kept);
    expect(names.map((name) => has(open(A, name), "monday"))).toEqual([false, true, true]);
  });

  it("of a guest are evicted first if guests use half of the memory", () => {
    const { open, add, has, partRows } = makeWorld();
    const compute = (key: string, isGuest: boolean) => {
      const kept = open(A, key, isGuest);
      if (!has(kept, "monday")) add(kept, "monday");
      partRows.release(kept);
    };
    compute("own", false);
    for (let i = 0; i < 5; i++) compute(`guest ${i}`, true);
    expect(["own", "guest 3", "guest 4"].map((key) => has(open(A, key, true), "monday"))).toEqual([true, false, true]);
  });

  it("are dropped once if their own texts exceed the limit, however many queries find that", () => {
    const { memory, partRows } = makeWorld();
    const texts = { name: Array.from({ length: 10 }, () => "x".repeat(memory.propertyTextBytesMax / 10)) };
    const users = [1, 2].map(() => partRows.open({ siteId: A, key: "texts", hasOwnTexts: true }));
    for (const kept of users) expect(() => partRows.add(kept, { name: "monday", version: "" }, texts)).toThrow(EngineFullError);
    for (const kept of users) partRows.release(kept);
    expect(memory.rowBytes).toBe(0);
  });

  it("are not evicted if no other query has any, whatever their size", () => {
    const { open, add, has, partRows } = makeWorld();
    const kept = open();
    for (const name of ["monday", "tuesday", "wednesday", "thursday"]) add(kept, name);
    partRows.release(kept);
    expect(has(open(), "monday")).toBe(true);
  });

  it("are forgotten with all others of their site, although a query still uses and adds some", () => {
    const { memory, open, add, has, partRows } = makeWorld();
    const [used, unused, other] = [open(), open(A, "other"), open(B)];
    for (const kept of [used, unused, other]) add(kept, "monday");
    partRows.release(unused);
    partRows.forgetSite(A);
    expect([has(open(), "monday"), has(open(B), "monday"), has(used, "monday")]).toEqual([false, true, true]);
    add(used, "tuesday");
    partRows.release(used);
    expect([has(open(), "tuesday"), memory.rowBytes]).toEqual([false, memoryOf(ROWS)]);
  });

  it("of a query that no later one repeats are found by that query alone", () => {
    const { memory, add, has, partRows } = makeWorld();
    const kept = partRows.open({ siteId: A, key: "now", isMomentary: true });
    add(kept, "today");
    expect([has(kept, "today"), has(partRows.open({ siteId: A, key: "now" }), "today"), memory.rowBytes]).toEqual([true, false, 0]);
  });
});

describe("the engine's memory", () => {
  const MB = 1024 * 1024;

  it("has room up to its budget, which includes texts and kept rows", () => {
    const memory = new EngineMemory({ budgetBytes: 100 * MB });
    memory.note({ memoryBytes: 60 * MB, textBytes: 50 * MB });
    expect([memory.hasRoomFor(40 * MB), memory.hasRoomFor(41 * MB)]).toEqual([true, false]);
    memory.rowBytes = 10 * MB;
    expect([memory.hasRoomFor(30 * MB), memory.hasRoomFor(31 * MB)]).toEqual([true, false]);
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
