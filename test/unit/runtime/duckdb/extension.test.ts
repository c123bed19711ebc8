/** Whether the behavioral extension is loaded, switched off, or cannot be loaded. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDuckdb } from "../../../../adapters/node/threads/duckdb-instance.ts";
import { BEHAVIORAL_EXTENSION, Behavioral } from "../../../../src/runtime/duckdb/extension.ts";
import { DuckdbEngine } from "../../../../src/runtime/duckdb/tables/duckdb-engine.ts";
import type { DuckdbBindings } from "../../../../src/runtime/duckdb/tables/duckdb-bindings.ts";
import { EngineLostError, type Engine } from "../../../../src/runtime/duckdb/engine.ts";
import { engineModule } from "../../../support/engine-module.ts";
import { siteId } from "../../../support/stored-event.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";

const silent = new AbortController().signal;

const unused = { siteId: siteId("nobody.test"), blocks: [], parameters: [] } as const;

describe("the behavioral extension", () => {
  let bindings: DuckdbBindings;
  let loading: number;
  let engine: DuckdbEngine;
  beforeAll(async () => {
    const { connections, ...database } = await openDuckdb(await engineModule());
    bindings = database.bindings;
    loading = connections[0] ?? 0;
    engine = new DuckdbEngine({ bindings, connections, yieldToOthers: () => new Promise((resolve) => setImmediate(resolve)) });
  });
  afterAll(() => engine.close());

  const retentionOf = (met: number) => engine.query({ ...unused, sql: `SELECT retention(${met}) AS kept` }, silent);

  it("is not loaded if it is switched off, and the error says so", async () => {
    const behavioral = new Behavioral(engine, false, createRecordingLog());
    expect(await behavioral.isAvailable()).toBe(false);
    expect(behavioral.version).toBeNull();
    await expect(behavioral.require()).rejects.toThrow(
      "This needs the behavioral extension, which is switched off by the option behavioral",
    );
    await expect(retentionOf(5)).rejects.toThrow(/retention/);
  });

  it("is not loaded if a macro of the same name exists; it leaves no other macro, and the log has the reason", async () => {
    bindings.runQuery(loading, "CREATE MACRO sequence_next_node(anything) AS anything");
    const log = createRecordingLog();
    const behavioral = new Behavioral(engine, true, log);
    expect(await behavioral.isAvailable()).toBe(false);
    expect(behavioral.version).toBeNull();
    await expect(behavioral.require()).rejects.toMatchObject({ failure: { code: "extension_missing" } });
    expect(log.lines).toEqual([
      expect.objectContaining({ level: "error", fields: { reason: expect.stringContaining("sequence_next_node") as unknown } }),
    ]);
    await expect(retentionOf(5)).rejects.toThrow(/retention/);
    bindings.runQuery(loading, "DROP MACRO sequence_next_node");
  });

  it("is loaded otherwise, however often load is called, and reports its version", async () => {
    for (let time = 0; time < 2; time++) {
      const log = createRecordingLog();
      const behavioral = new Behavioral(engine, true, log);
      expect(behavioral.version).toBeNull();
      await behavioral.load();
      expect(log.lines).toEqual([]);
      await behavioral.require();
      expect(behavioral.version).toBe(BEHAVIORAL_EXTENSION.version);
    }
    expect(await retentionOf(5)).toEqual([{ kept: 5 }]);
  });

  it("is loaded by the engine that replaces one that died while it started", async () => {
    const behavioral = new Behavioral(failingFirst(1), true, createRecordingLog());
    expect(await behavioral.isAvailable()).toBe(true);
  });

  it("is tried again by the next call if the engine did not start", async () => {
    const log = createRecordingLog();
    const behavioral = new Behavioral(failingFirst(2), true, log);
    await expect(behavioral.require()).rejects.toThrow("This needs the behavioral extension, which is not loaded yet");
    expect(log.lines).toEqual([expect.objectContaining({ level: "warn", fields: { reason: "the engine stopped" } })]);
    await behavioral.require();
    expect(behavioral.version).toBe(BEHAVIORAL_EXTENSION.version);
  });

  /** An engine whose first starts fail. */
  function failingFirst(failures: number): Engine {
    let starts = 0;
    const restarted: Pick<Engine, "loadExtension"> = {
      loadExtension: (extension) =>
        ++starts <= failures ? Promise.reject(new EngineLostError("the engine stopped")) : engine.loadExtension(extension),
    };
    return restarted as Engine;
  }
});
