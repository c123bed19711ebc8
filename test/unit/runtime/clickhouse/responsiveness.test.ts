/** When ClickHouse counts as silent, with a clock and a server of the test's own. */
import { describe, expect, it } from "vitest";
import {
  CLICKHOUSE_PINGED_MS_MAX,
  CLICKHOUSE_PING_PAUSE_MS,
  CLICKHOUSE_SLOW_MS,
} from "../../../../src/runtime/base/config/clickhouse-limits.ts";
import { ClickhouseUnreachableError, Responsiveness } from "../../../../src/runtime/clickhouse/connection.ts";
import { createManualTimers } from "../../../support/manual-timers.ts";

function make() {
  const timers = createManualTimers();
  const server = { isUp: true, pings: 0, pingsAtOnce: 0, pingMs: 0, returns: 0 };
  let running = 0;
  const responsiveness = new Responsiveness({
    connection: {
      async responds() {
        server.pings++;
        server.pingsAtOnce = Math.max(server.pingsAtOnce, ++running);
        const { isUp, pingMs } = server;
        if (pingMs > 0) await timers.wait(pingMs);
        running--;
        return isUp;
      },
    },
    monotonicMs: timers.nowMs,
    wait: timers.wait,
    onReturn: () => server.returns++,
  });
  return { responsiveness, server, pass: timers.pass, pending: timers.pending };
}

const signal = new AbortController().signal;

/** Ends only by its signal. */
const endless = (ended: AbortSignal): Promise<never> =>
  new Promise((_, reject) => ended.addEventListener("abort", () => reject(ended.reason as Error)));

const broken = () => Promise.reject(new ClickhouseUnreachableError("connection reset"));

const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => error,
  );

describe("the responsiveness of ClickHouse", () => {
  it("a long task continues while the server responds, and ends as soon as it does not", async () => {
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

  it("a connection that breaks before the server has responded refuses nothing, and failed tasks are retried", async () => {
    const { responsiveness, server, pass } = make();
    expect(await outcomeOf(responsiveness.run(broken, signal))).toBeInstanceOf(ClickhouseUnreachableError);
    expect(await outcomeOf(responsiveness.run(async () => {}, signal))).toBe("done");
    await pass(0);
    expect(server.returns).toBe(1);
  });

  it("a broken connection during a task to a server that has responded is not a return", async () => {
    const { responsiveness, server, pass } = make();
    void outcomeOf(responsiveness.run(endless, signal));
    await responsiveness.run(async () => {}, signal);
    for (let i = 0; i < 3; i++) {
      await outcomeOf(responsiveness.run(broken, signal));
      await pass(CLICKHOUSE_PING_PAUSE_MS);
    }
    expect([server.pings, server.returns]).toEqual([3, 0]);
  });

  it("pings a server that a broken connection has shown to be silent, at short intervals from then on", async () => {
    const { responsiveness, server, pass } = make();
    server.isUp = false;
    await outcomeOf(responsiveness.run(broken, signal));
    await pass(0);
    expect(server.pings).toBe(1);
    server.isUp = true;
    await pass(CLICKHOUSE_PING_PAUSE_MS);
    expect(await outcomeOf(responsiveness.run(async () => {}, signal))).toBe("done");
    expect([server.pings, server.returns]).toEqual([2, 1]);
  });

  it("sends one ping at a time, so a late failure of an older one does not refuse reports", async () => {
    const { responsiveness, server, pass } = make();
    void outcomeOf(responsiveness.run(endless, signal));
    server.pingMs = 2 * CLICKHOUSE_PING_PAUSE_MS;
    await pass(CLICKHOUSE_SLOW_MS);
    for (let i = 0; i < 20; i++) {
      await outcomeOf(responsiveness.run(broken, signal));
      await pass(CLICKHOUSE_PING_PAUSE_MS / 2);
    }
    expect(server.pings).toBeGreaterThan(2);
    expect(server.pingsAtOnce).toBe(1);
  });

  it("connections that break all the time cause at most one ping in each pause, and few timers", async () => {
    const { responsiveness, server, pass, pending } = make();
    for (let i = 0; i < 100; i++) {
      await outcomeOf(responsiveness.run(broken, signal));
      await pass(CLICKHOUSE_PING_PAUSE_MS / 10);
    }
    expect(server.pings).toBeLessThanOrEqual(11);
    expect(pending()).toBeLessThanOrEqual(CLICKHOUSE_SLOW_MS / CLICKHOUSE_PING_PAUSE_MS + 1);
  });

  it("no task, no ping: pings end a minute after the last task", async () => {
    const { responsiveness, server, pass, pending } = make();
    await responsiveness.run(async () => {}, signal);
    await pass(CLICKHOUSE_SLOW_MS);
    expect([server.pings, pending()]).toEqual([0, 0]);
    server.isUp = false;
    const lost = outcomeOf(responsiveness.run(endless, signal));
    await pass(2 * CLICKHOUSE_PINGED_MS_MAX);
    expect(pending()).toBe(0);
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
