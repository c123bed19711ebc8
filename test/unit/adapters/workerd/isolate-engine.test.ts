/** The engine of an isolate starts when it is needed, and again after it failed. */
import { describe, expect, it } from "vitest";
import { IsolateEngine, EngineTakenError } from "../../../../adapters/workerd/shared-engine.ts";
import { EngineFullError, EngineLostError, type Engine, type EngineQuery } from "../../../../src/runtime/duckdb/engine.ts";
import type { SiteId } from "../../../../src/storage/event.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";
import { stubEngine } from "../../../support/stub-engine.ts";

const QUERY: EngineQuery = { siteId: "a.test" as SiteId, blocks: [], sql: "SELECT 1 AS n", parameters: [] };

const silent = (): AbortSignal => new AbortController().signal;

/** An engine whose calls the test controls. */
const anEngine = (query: () => Promise<[]>): Engine => stubEngine({ query });

const breaks = () => Promise.reject(new WebAssembly.RuntimeError("unreachable"));
const answers = async (): Promise<[]> => [];

describe("the engine of an isolate", () => {
  it("starts with the first call, even if that only checks for the behavioral macros", async () => {
    let made = 0;
    const engine = new IsolateEngine(async () => (made++, anEngine(answers)), createRecordingLog());
    expect(made).toBe(0);
    expect(await engine.behavioralFailure()).toBeNull();
    await engine.query(QUERY, silent());
    expect(made).toBe(1);
  });

  it("restarts after a failure, and counts that once", async () => {
    let made = 0;
    const log = createRecordingLog();
    const engine = new IsolateEngine(async () => anEngine(++made === 1 ? breaks : answers), log);
    const outcomes = await Promise.allSettled([engine.query(QUERY, silent()), engine.query(QUERY, silent())]);
    for (const outcome of outcomes) expect(outcome).toEqual({ status: "rejected", reason: expect.any(EngineLostError) as unknown });
    expect(engine.generation).toBe(1);
    expect(await engine.query(QUERY, silent())).toEqual([]);
    expect(made).toBe(2);
    expect(log.lines.map(({ level }) => level)).toEqual(["error"]);
  });

  it("opens another share after another object took over its own, which does not count as a failure", async () => {
    const taken = () => Promise.reject(new EngineTakenError("the engine was given to another object"));
    let made = 0;
    const log = createRecordingLog();
    const engine = new IsolateEngine(async () => anEngine(++made === 1 ? taken : answers), log);
    await expect(engine.query(QUERY, silent())).rejects.toBeInstanceOf(EngineLostError);
    expect(engine.generation).toBe(1);
    expect(await engine.query(QUERY, silent())).toEqual([]);
    expect(log.lines.map(({ level }) => level)).toEqual(["info"]);
  });

  it("restarts and rejects with EngineFullError after DuckDB invalidated its database for lack of memory", async () => {
    const fatal =
      "FATAL Error: Failed to create checkpoint because of error: could not allocate block of size 256.0 KiB (45.5 MiB/45.7 MiB used)";
    let made = 0;
    const engine = new IsolateEngine(
      async () => anEngine(++made === 1 ? () => Promise.reject(new Error(fatal)) : answers),
      createRecordingLog(),
    );
    await expect(engine.query(QUERY, silent())).rejects.toBeInstanceOf(EngineFullError);
    expect(engine.generation).toBe(1);
    expect(await engine.query(QUERY, silent())).toEqual([]);
  });

  it("restarts after a stack overflow, because WebAssembly unwinds nothing then", async () => {
    let made = 0;
    const overflows = () => Promise.reject(new RangeError("Maximum call stack size exceeded"));
    const engine = new IsolateEngine(async () => anEngine(++made === 1 ? overflows : answers), createRecordingLog());
    await expect(engine.query(QUERY, silent())).rejects.toBeInstanceOf(EngineLostError);
    expect(engine.generation).toBe(1);
    expect(await engine.query(QUERY, silent())).toEqual([]);
  });

  it("keeps running after an error that is not fatal", async () => {
    const engine = new IsolateEngine(async () => anEngine(() => Promise.reject(new Error("no such column"))), createRecordingLog());
    await expect(engine.query(QUERY, silent())).rejects.toThrow("no such column");
    expect(engine.generation).toBe(0);
  });

  it("starts with the next call if it failed to start", async () => {
    let made = 0;
    const create = async () => {
      if (++made === 1) throw new Error("no memory");
      return anEngine(answers);
    };
    const engine = new IsolateEngine(create, createRecordingLog());
    await expect(engine.query(QUERY, silent())).rejects.toThrow(new EngineLostError("the engine did not start: no memory"));
    expect(await engine.query(QUERY, silent())).toEqual([]);
  });
});
