/** When ClickHouse counts as silent, with a clock and a server of the test's own. */
import { describe, expect, it } from "vitest";
import {
  CLICKHOUSE_PINGED_MS_MAX,
  CLICKHOUSE_PING_PAUSE_MS,
  CLICKHOUSE_SLOW_MS,
} from "../../../../src/runtime/config/clickhouse-limits.ts";
import { ClickhouseUnreachableError } from "../../../../src/runtime/engine/clickhouse/connection.ts";
import { Responsiveness } from "../../../../src/runtime/engine/clickhouse/responsiveness.ts";

const microtasks = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

function make() {
  const clock = { ms: 0 };
  const server = { isUp: true, pings: 0, returns: 0 };
  const timers: { readonly atMs: number; readonly fire: () => void }[] = [];
  const responsiveness = new Responsiveness({
    connection: {
      responds: async () => {
        server.pings++;
        return server.isUp;
      },
    },
    monotonicMs: () => clock.ms,
    wait: (ms) => new Promise((resolve) => timers.push({ atMs: clock.ms + ms, fire: resolve })),
    onReturn: () => server.returns++,
  });
  async function pass(ms: number): Promise<void> {
    const untilMs = clock.ms + ms;
    for (;;) {
      await microtasks();
      const next = timers.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (!next || next.atMs > untilMs) break;
      timers.splice(timers.indexOf(next), 1);
      clock.ms = next.atMs;
      next.fire();
    }
    clock.ms = untilMs;
  }
  return { responsiveness, server, pass, timers };
}

const signal = new AbortController().signal;

/** Ends only by its signal. */
const endless = (ended: AbortSignal): Promise<never> =>
  new Promise((_, reject) => ended.addEventListener("abort", () => reject(ended.reason as Error)));

const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => error,
  );

describe("the responsiveness of ClickHouse", () => {
  it("a task that takes long goes on while the server responds, and ends as soon as it does not", async () => {
    const { responsiveness, server, pass } = make();
    let outcome: unknown = "running";
    void outcomeOf(responsiveness.run(endless, signal)).then((ended) => (outcome = ended));
    await pass(10 * CLICKHOUSE_SLOW_MS);
    expect(outcome).toBe("running");
    server.isUp = false;
    await pass(CLICKHOUSE_SLOW_MS);
    expect(outcome).toBeInstanceOf(ClickhouseUnreachableError);
  });

  it("refuses tasks at once while the server is silent, and takes them a moment after it responds", async () => {
    const { responsiveness, server, pass } = make();
    server.isUp = false;
    const first = outcomeOf(responsiveness.run(endless, signal));
    await pass(CLICKHOUSE_SLOW_MS);
    expect(await first).toBeInstanceOf(ClickhouseUnreachableError);
    let begun = 0;
    const task = async () => void begun++;
    expect(await outcomeOf(responsiveness.run(task, signal))).toBeInstanceOf(ClickhouseUnreachableError);
    server.isUp = true;
    await pass(CLICKHOUSE_PING_PAUSE_MS);
    expect(await outcomeOf(responsiveness.run(task, signal))).toBe("done");
    expect([begun, server.returns]).toEqual([1, 1]);
  });

  it("a broken connection to a server that responds refuses nothing, and what failed is tried again", async () => {
    const { responsiveness, server, pass } = make();
    const broken = () => Promise.reject(new ClickhouseUnreachableError("connection reset"));
    expect(await outcomeOf(responsiveness.run(broken, signal))).toBeInstanceOf(ClickhouseUnreachableError);
    expect(await outcomeOf(responsiveness.run(async () => {}, signal))).toBe("done");
    await pass(0);
    expect(server.returns).toBe(1);
  });

  it("pings nobody when no task runs, nor for longer than a minute after the last one", async () => {
    const { responsiveness, server, pass, timers } = make();
    await responsiveness.run(async () => {}, signal);
    await pass(CLICKHOUSE_SLOW_MS);
    expect([server.pings, timers]).toEqual([0, []]);
    server.isUp = false;
    const lost = outcomeOf(responsiveness.run(endless, signal));
    await pass(2 * CLICKHOUSE_PINGED_MS_MAX);
    expect(timers).toEqual([]);
    await lost;
    expect(await outcomeOf(responsiveness.run(async () => {}, signal))).toBe("done");
  });

  it("a task ends with the reason of its own signal", async () => {
    const { responsiveness } = make();
    const own = new AbortController();
    const outcome = outcomeOf(responsiveness.run(endless, own.signal));
    const reason = new Error("given up");
    own.abort(reason);
    expect(await outcome).toBe(reason);
    expect(await outcomeOf(responsiveness.run(endless, own.signal))).toBe(reason);
  });
});
