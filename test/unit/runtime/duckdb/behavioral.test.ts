/** The behavioral extension is loaded, switched off, or could not be loaded. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDuckdb } from "../../../../adapters/node/threads/duckdb-instance.ts";
import { Behavioral } from "../../../../src/runtime/duckdb/behavioral.ts";
import { EngineLostError, type Engine } from "../../../../src/runtime/duckdb/engine.ts";
import { crippledEngine, starvedEngine } from "../../../support/crippled-engine.ts";
import { createEngineShare } from "../../../support/shared-engine.ts";
import { engineModule } from "../../../support/engine-module.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";
import { siteId } from "../../../support/stored-event.ts";

const retentionOf = (engine: Engine, met: number) =>
  engine.query(
    { siteId: siteId("nobody.test"), blocks: [], parameters: [], sql: `SELECT retention(${met}) AS kept` },
    new AbortController().signal,
  );

describe("the behavioral extension", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngineShare();
  });
  afterAll(() => engine.close());

  it("is not loaded if it is switched off, and the error says so", async () => {
    const behavioral = new Behavioral(engine, false, createRecordingLog());
    expect([behavioral.isLoaded, await behavioral.isAvailable()]).toEqual([false, false]);
    await expect(behavioral.require()).rejects.toThrow(
      "This needs the behavioral extension, which is switched off by the option behavioral",
    );
  });

  it("is loaded with the engine, however often it is requested", async () => {
    const log = createRecordingLog();
    const behavioral = new Behavioral(engine, true, log);
    expect(behavioral.isLoaded).toBeNull();
    expect(await Promise.all([behavioral.isAvailable(), behavioral.isAvailable()])).toEqual([true, true]);
    await behavioral.require();
    expect([behavioral.isLoaded, log.lines]).toEqual([true, []]);
    expect(await retentionOf(engine, 5)).toEqual([{ kept: 5 }]);
  });

  it("is not loaded if a macro of the same name exists; the engine has none of its macros then, and the log has the reason once", async () => {
    const crippled = crippledEngine(await openDuckdb(await engineModule()));
    const log = createRecordingLog();
    const behavioral = new Behavioral(crippled, true, log);
    expect(await Promise.all([behavioral.isAvailable(), behavioral.isAvailable()])).toEqual([false, false]);
    expect(await behavioral.isAvailable()).toBe(false);
    expect(behavioral.isLoaded).toBe(false);
    await expect(behavioral.require()).rejects.toMatchObject({ failure: { code: "extension_missing" } });
    expect(log.lines).toEqual([
      expect.objectContaining({ level: "error", fields: { reason: expect.stringContaining("sessionize") as unknown } }),
    ]);
    await expect(retentionOf(crippled, 5)).rejects.toThrow(/retention/);
  });

  it("does not count as missing if the engine has too little memory for it: the engine fails, and starts again", async () => {
    const database = await openDuckdb(await engineModule());
    expect(() => starvedEngine(database)).toThrow("Out of Memory");
  });

  it("is not known while the engine does not start, and nothing is logged: the next life of the engine asks again", async () => {
    const log = createRecordingLog();
    const behavioral = new Behavioral({ behavioralFailure: () => Promise.reject(new EngineLostError("no engine")) }, true, log);
    await expect(behavioral.require()).rejects.toBeInstanceOf(EngineLostError);
    expect([behavioral.isLoaded, log.lines]).toEqual([null, []]);
  });
});
