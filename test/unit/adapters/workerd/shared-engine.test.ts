/** The engine that objects of an isolate share, with timers of the test's own. */
import { describe, expect, it } from "vitest";
import { EngineTakenError, SharedEngine } from "../../../../adapters/workerd/shared-engine.ts";
import type { Engine, EngineQuery } from "../../../../src/runtime/duckdb/engine.ts";
import type { SiteId } from "../../../../src/storage/event.ts";
import { createManualTimers } from "../../../support/manual-timers.ts";
import { stubEngine } from "../../../support/stub-engine.ts";

const EVENTS_MEMORY_MB = 16;
const QUERY: EngineQuery = { siteId: "a.test" as SiteId, blocks: [], sql: "SELECT 1 AS n", parameters: [] };

/** After so long another object takes over a start. */
const START_GIVEN_UP_MS = 5_000;

const signal = new AbortController().signal;

/** An engine that counts how often it was closed. */
function closable() {
  const closed = { times: 0 };
  return { engine: stubEngine({ close: async () => void closed.times++ }), closed };
}

/** Starts that end when the test says so. */
function heldStarts() {
  const timers = createManualTimers();
  const starts: { end(engine: Engine): void; fail(error: Error): void }[] = [];
  const create = () => new Promise<Engine>((resolve, reject) => starts.push({ end: resolve, fail: reject }));
  return { timers, starts, shared: new SharedEngine({ create, wait: timers.wait }) };
}

describe("the heartbeat of an object", () => {
  it("is one timer for any number of consecutive queries, and ends with the last one", async () => {
    const timers = createManualTimers();
    const answers: (() => void)[] = [];
    const engine = stubEngine({ query: () => new Promise((resolve) => answers.push(() => resolve([]))) });
    const shared = new SharedEngine({ create: async () => engine, beatMs: 500, wait: timers.wait });
    const share = await shared.open(EVENTS_MEMORY_MB);
    for (let i = 0; i < 200; i++) {
      const rows = share.query(QUERY, signal);
      answers.shift()?.();
      await rows;
    }
    expect(timers.pending()).toBe(1);
    const last = share.query(QUERY, signal);
    await timers.pass(10_000);
    expect(timers.pending()).toBe(1);
    answers.shift()?.();
    await last;
    await timers.pass(500);
    expect(timers.pending()).toBe(0);
  });

  it("begins again with the next query, and ends that query when another object has ended in the middle of its own", async () => {
    const timers = createManualTimers();
    const isEnded = { other: false };
    const engine = stubEngine({
      query: (_query, lost) => new Promise((_resolve, reject) => lost.addEventListener("abort", () => reject(lost.reason as Error))),
    });
    // The timers of an object that has ended never fire.
    const wait = (ms: number) => (isEnded.other ? new Promise<void>(() => {}) : timers.wait(ms));
    const shared = new SharedEngine({ create: async () => engine, beatMs: 500, wait });
    const [share, other] = [await shared.open(EVENTS_MEMORY_MB), await shared.open(EVENTS_MEMORY_MB)];
    await share.drop([]);
    await timers.pass(500);
    expect(timers.pending()).toBe(0);
    isEnded.other = true;
    void other.query(QUERY, signal);
    isEnded.other = false;
    const ended = expect(share.query(QUERY, signal)).rejects.toThrow(EngineTakenError);
    await timers.pass(10_000);
    await ended;
  });
});

describe("a start of the engine that takes too long", () => {
  it("is taken over by one of 49 waiting objects, and all of them get its engine", async () => {
    const { timers, starts, shared } = heldStarts();
    const [first, ...waiting] = Array.from({ length: 50 }, () => shared.open(EVENTS_MEMORY_MB));
    await timers.pass(START_GIVEN_UP_MS - 1);
    expect(starts).toHaveLength(1);
    await timers.pass(1000);
    expect(starts).toHaveLength(2);
    const { engine, closed } = closable();
    starts[1]?.end(engine);
    await timers.pass(1000);
    expect(await Promise.all(waiting)).toHaveLength(49);
    const late = closable();
    starts[0]?.end(late.engine);
    await first;
    expect([starts.length, closed.times, late.closed.times]).toEqual([2, 0, 1]);
  });

  it("is taken over again, each time by one object, when the second object ends", async () => {
    const { timers, starts, shared } = heldStarts();
    const opened = Array.from({ length: 50 }, () => shared.open(EVENTS_MEMORY_MB));
    for (const count of [2, 3, 4]) {
      await timers.pass(START_GIVEN_UP_MS + 100);
      expect(starts).toHaveLength(count);
    }
    for (const start of starts) start.end(stubEngine());
    await timers.pass(1000);
    expect(await Promise.all(opened)).toHaveLength(50);
  });

  it("gives its engine to waiting objects even if another object has taken over, whose engine is closed", async () => {
    const { timers, starts, shared } = heldStarts();
    const opened = Array.from({ length: 50 }, () => shared.open(EVENTS_MEMORY_MB));
    await timers.pass(START_GIVEN_UP_MS + 100);
    const [slow, second] = [closable(), closable()];
    starts[0]?.end(slow.engine);
    await timers.pass(START_GIVEN_UP_MS);
    expect(starts).toHaveLength(2);
    starts[1]?.end(second.engine);
    await timers.pass(0);
    expect(await Promise.all(opened)).toHaveLength(50);
    expect([slow.closed.times, second.closed.times]).toEqual([0, 1]);
  });

  it("fails for one object alone, and the next one starts the engine", async () => {
    const { timers, starts, shared } = heldStarts();
    const [first, ...waiting] = Array.from({ length: 50 }, () => shared.open(EVENTS_MEMORY_MB));
    starts[0]?.fail(new Error("no memory"));
    await expect(first).rejects.toThrow("no memory");
    await timers.pass(1000);
    expect(starts).toHaveLength(2);
    starts[1]?.end(stubEngine());
    await timers.pass(1000);
    expect(await Promise.all(waiting)).toHaveLength(49);
  });
});
