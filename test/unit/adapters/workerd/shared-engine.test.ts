/** The engine that objects of an isolate share, with timers of the test's own. */
import { describe, expect, it } from "vitest";
import { EngineTakenError, SharedEngine } from "../../../../adapters/workerd/shared-engine.ts";
import type { EngineQuery } from "../../../../src/runtime/engine/engine.ts";
import type { SiteId } from "../../../../src/storage/event.ts";
import { createManualTimers } from "../../../support/manual-timers.ts";
import { stubEngine } from "../../../support/stub-engine.ts";

const EVENTS_MEMORY_MB = 16;
const QUERY: EngineQuery = { siteId: "a.test" as SiteId, blocks: [], sql: "SELECT 1 AS n", parameters: [] };

const signal = new AbortController().signal;

describe("the heartbeat of an object", () => {
  it("is one timer, however many queries have followed each other, and ends with the last one", async () => {
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

  it("begins again with the next query, and ends that one when another object has ended in the middle of its own", async () => {
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
