/** The database of one life: opened when it is needed, and lost for good when it fails. */
import { describe, expect, it } from "vitest";
import { EngineTakenError } from "../../../../adapters/workerd/shared-engine.ts";
import { EngineFullError, EngineLostError, type Engine, type EngineQuery } from "../../../../src/runtime/duckdb/engine.ts";
import { OnDemandEngine } from "../../../../src/runtime/duckdb/on-demand-engine.ts";
import type { SiteId } from "../../../../src/storage/event.ts";
import { stubEngine } from "../../../support/stub-engine.ts";

const QUERY: EngineQuery = { siteId: "a.test" as SiteId, blocks: [], sql: "SELECT 1 AS n", parameters: [] };

const silent = (): AbortSignal => new AbortController().signal;

const failingWith = (error: Error): OnDemandEngine => {
  const errors = [error];
  const query = async () => {
    const next = errors.pop();
    if (next) throw next;
    return [];
  };
  return new OnDemandEngine(async () => stubEngine({ query }));
};

const FATAL =
  "FATAL Error: Failed to create checkpoint because of error: could not allocate block of size 256.0 KiB (45.5 MiB/45.7 MiB used)";

describe("the database on demand", () => {
  it("is opened by the first call, once", async () => {
    let opened = 0;
    const engine = new OnDemandEngine(async () => (opened++, stubEngine()));
    expect(opened).toBe(0);
    expect(await engine.behavioralFailure()).toBeNull();
    await Promise.all([engine.query(QUERY, silent()), engine.query(QUERY, silent())]);
    expect(opened).toBe(1);
  });

  it.each([
    ["WebAssembly traps", new WebAssembly.RuntimeError("unreachable")],
    ["the stack overflows, because WebAssembly unwinds nothing then", new RangeError("Maximum call stack size exceeded")],
    ["another object took it over", new EngineTakenError("the engine was given to another object")],
  ])("is lost when %s", async (_, error) => {
    const engine = failingWith(error);
    await expect(engine.query(QUERY, silent())).rejects.toBeInstanceOf(EngineLostError);
    await expect(engine.query(QUERY, silent())).rejects.toThrow("the engine failed before the call");
  });

  it("is lost after DuckDB invalidated it for lack of memory, and the query that needed too much is told so", async () => {
    const engine = failingWith(new Error(FATAL));
    await expect(engine.query(QUERY, silent())).rejects.toBeInstanceOf(EngineFullError);
    await expect(engine.query(QUERY, silent())).rejects.toBeInstanceOf(EngineLostError);
  });

  it("goes on after an error that is not fatal", async () => {
    const engine = failingWith(new Error("no such column"));
    await expect(engine.query(QUERY, silent())).rejects.toThrow("no such column");
    expect(await engine.query(QUERY, silent())).toEqual([]);
  });

  it("is lost if it does not open", async () => {
    const engine = new OnDemandEngine(async (): Promise<Engine> => Promise.reject(new Error("no memory")));
    await expect(engine.query(QUERY, silent())).rejects.toThrow(new EngineLostError("the engine did not start: no memory"));
    await expect(engine.query(QUERY, silent())).rejects.toBeInstanceOf(EngineLostError);
  });
});
