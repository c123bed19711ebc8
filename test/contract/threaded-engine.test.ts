/** The engine in a worker thread against the contract of its port; it restarts after the thread exits. */
import { readFile } from "node:fs/promises";
import type { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ThreadedEngine } from "../../adapters/node/threads/threaded-engine.ts";
import { EngineLostError } from "../../src/runtime/duckdb/engine.ts";
import { ENGINE_CONNECTIONS_MAX } from "../../src/runtime/base/config/limits.ts";
import { COUNTRY_DATABASE_URL, ENGINE_MODULE_URL, threadScript } from "../support/built.ts";
import { createRecordingLog, type RecordingLog } from "../support/recording-log.ts";
import { anEvent, eventTexts } from "../support/stored-event.ts";
import { DATE, aBlock, aQuery, aSite, describeEngine, silent } from "./engine.suite.ts";

describeEngine(
  "in a thread of its own",
  async () =>
    new ThreadedEngine({ script: threadScript("engine"), readModule: () => readFile(ENGINE_MODULE_URL), log: createRecordingLog() }),
);

interface Started {
  readonly engine: ThreadedEngine;
  readonly log: RecordingLog;
  /** Every thread that the engine has started so far. */
  readonly workers: readonly Worker[];
}

function startEngine({
  script = threadScript("engine"),
  readModule = (): Promise<Uint8Array<ArrayBuffer>> => readFile(ENGINE_MODULE_URL),
} = {}): Started {
  const workers: Worker[] = [];
  const onWorker = (worker: Worker) => workers.push(worker);
  process.on("worker", onWorker);
  const log = createRecordingLog();
  const engine = new ThreadedEngine({ script, readModule, log });
  onTestFinished(async () => {
    process.off("worker", onWorker);
    await engine.close();
  });
  return { engine, log, workers };
}

const COUNT = "SELECT count(*) AS n FROM events";

/** Runs longer than any test. */
const ENDLESS = "SELECT count(*) AS n FROM range(10000000000) AS a(i), range(1000) AS b(j) WHERE (i * j) % 7 = 3";

describe("the threaded engine", () => {
  it("when its thread exits, running calls reject, the generation grows, and an empty engine starts", async () => {
    const { engine, log, workers } = startEngine();
    const site = aSite();
    const block = aBlock(site);
    expect(engine.generation).toBe(0);
    await engine.append(block, { date: DATE, events: eventTexts([anEvent()]) });
    const underWay = [
      engine.query(aQuery(site, [block], COUNT), silent()),
      engine.append(aBlock(site), { date: DATE, events: eventTexts([anEvent()]) }),
      engine.drop([block.id]),
    ];
    const outcomes = Promise.allSettled(underWay);
    await workers[0]?.terminate();
    for (const outcome of await outcomes) {
      expect(outcome).toEqual({ status: "rejected", reason: expect.any(EngineLostError) as unknown });
    }
    expect(engine.generation).toBe(1);
    await expect(engine.query(aQuery(site, [block], COUNT), silent())).rejects.toBeInstanceOf(EngineLostError);
    expect(await engine.query(aQuery(site, [], COUNT), silent())).toEqual([{ n: 0 }]);
    await engine.append(block, { date: DATE, events: eventTexts([anEvent(), anEvent()]) });
    expect(await engine.query(aQuery(site, [block], COUNT), silent())).toEqual([{ n: 2 }]);
    expect(log.lines.map(({ level }) => level)).toEqual(["warn"]);
    await workers[1]?.terminate();
    expect([engine.generation, workers.length]).toEqual([2, 2]);
  });

  it("a restarted engine has the behavioral macros", async () => {
    const { engine, workers } = startEngine();
    expect(await engine.behavioralFailure()).toBeNull();
    await workers[0]?.terminate();
    expect(await engine.query(aQuery(aSite(), [], "SELECT retention(5) AS n"), silent())).toEqual([{ n: 5 }]);
    expect(workers).toHaveLength(2);
  });

  it("calls that wait for a thread that cannot start reject", async () => {
    const { engine, log } = startEngine({ script: "throw new Error('no engine here')" });
    await expect(engine.query(aQuery(aSite(), [], COUNT), silent())).rejects.toBeInstanceOf(EngineLostError);
    expect(log.lines).toContainEqual({ level: "error", message: "the engine failed", fields: { reason: "no engine here" } });
  });

  it("calls that wait for a thread whose module cannot be compiled reject", async () => {
    const { engine, log } = startEngine({ readModule: () => readFile(COUNTRY_DATABASE_URL) });
    await expect(engine.query(aQuery(aSite(), [], COUNT), silent())).rejects.toBeInstanceOf(EngineLostError);
    expect(log.lines[0]).toMatchObject({ level: "error", message: "the engine's module cannot be read and compiled" });
  });

  it("a query that is aborted while it waits for a connection or for the start does not end the thread", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { engine, workers } = startEngine();
    const controllers = Array.from({ length: ENGINE_CONNECTIONS_MAX + 1 }, () => new AbortController());
    const starting = new AbortController();
    const early = engine.query(aQuery(aSite(), [], COUNT), starting.signal).catch((error: unknown) => error);
    starting.abort("given up");
    expect(await early).toBe("given up");
    const outcomes = controllers.map(({ signal }) => engine.query(aQuery(aSite(), [], ENDLESS), signal).catch((error: unknown) => error));
    await engine.drop([]);
    controllers.at(-1)?.abort("given up");
    expect(await outcomes.at(-1)).toBe("given up");
    // The grace of the abort is the only timer. The thread may serve many of these in one go, before the next step of any query.
    for (let i = 0; i < 2_000 && vi.getTimerCount() > 0; i++) await engine.drop([]);
    vi.advanceTimersByTime(3_600_000);
    await engine.drop([]);
    expect([engine.generation, workers.length]).toEqual([0, 1]);
    for (const controller of controllers) controller.abort("given up");
    await Promise.all(outcomes);
  });

  it("close rejects running and later calls, and starts no other thread", async () => {
    const { engine, workers } = startEngine();
    await engine.drop([]);
    const outcome = engine.query(aQuery(aSite(), [], COUNT), silent()).catch((error: unknown) => error);
    await engine.close();
    expect(await outcome).toBeInstanceOf(EngineLostError);
    await engine.close();
    await expect(engine.query(aQuery(aSite(), [], COUNT), silent())).rejects.toBeInstanceOf(EngineLostError);
    expect(workers).toHaveLength(1);
  });

  it("close succeeds before the thread has started", async () => {
    const { engine } = startEngine();
    await engine.close();
    await expect(engine.drop([])).rejects.toBeInstanceOf(EngineLostError);
  });
});
