import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import { EXPORT_WANTED_MS, QUERIES_WAITING_MAX } from "../../../../src/runtime/base/config/report-limits.ts";
import { QueryLimiter, type SlotUse } from "../../../../src/runtime/results/query-limiter.ts";
import { createDeferred } from "../../../support/deferred.ts";

const REFUSAL = new AppError(
  { code: "too_many_requests", retryAfterSecs: 1 },
  "Too many statistics queries at the same time. Try again later.",
);

const OWN: SlotUse = { isGuest: false };
const VIEWER: SlotUse = { isGuest: true };
const GUEST_EXPORT: SlotUse = { isGuest: true, isExport: true };

interface Task {
  readonly name: string;
  readonly outcome: Promise<string>;
  finish(): void;
  fail(error: Error): void;
}

/** Slots whose waits end when the test says so, and tasks that end when the test says so. */
function slotsAndTasks(concurrentMax: number, queueMs: number) {
  const begun: string[] = [];
  const waits: { ms: number; end: () => void }[] = [];
  const wait = (ms: number) => new Promise<void>((end) => waits.push({ ms, end }));
  const clock = { monotonicMs: 0 };
  const limiter = new QueryLimiter({ concurrentMax, queueMs, wait, monotonicMs: () => clock.monotonicMs });
  const run = (name: string, use: SlotUse = OWN): Task => {
    const { promise, resolve, reject } = createDeferred<string>();
    const outcome = limiter.run(use, () => {
      begun.push(name);
      return promise;
    });
    // Looked at later, and no reason to stop until then.
    outcome.catch(() => {});
    return { name, outcome, finish: () => resolve(name), fail: reject };
  };
  return { limiter, run, begun, waits, clock };
}

/** Lets everything go on that waits for nothing but its turn. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("QueryLimiter without a queue", () => {
  it("runs up to its limit at once and refuses the next task with 429", async () => {
    const { run, begun } = slotsAndTasks(2, 0);
    const [first, second, third] = [run("1"), run("2"), run("3")];
    await expect(third.outcome).rejects.toEqual(REFUSAL);
    expect(begun).toEqual(["1", "2"]);
    first.finish();
    second.finish();
    await expect(Promise.all([first.outcome, second.outcome])).resolves.toEqual(["1", "2"]);
  });

  it("frees a slot after a success and after a failure", async () => {
    const { run } = slotsAndTasks(1, 0);
    const first = run("1");
    first.finish();
    await first.outcome;
    const second = run("2");
    second.fail(new Error("no"));
    await expect(second.outcome).rejects.toThrow("no");
    const third = run("3");
    third.finish();
    await expect(third.outcome).resolves.toBe("3");
  });

  it("frees the slot of a task that throws synchronously", async () => {
    const { limiter, run } = slotsAndTasks(1, 0);
    await expect(
      limiter.run(OWN, () => {
        throw new Error("at once");
      }),
    ).rejects.toThrow("at once");
    const next = run("next");
    next.finish();
    await expect(next.outcome).resolves.toBe("next");
  });

  it("runs any number of tasks with a limit of 0", async () => {
    const { run, begun } = slotsAndTasks(0, 0);
    const tasks = Array.from({ length: 1000 }, (_, i) => run(String(i)));
    await settle();
    expect(begun).toHaveLength(1000);
    for (const task of tasks) task.finish();
    await Promise.all(tasks.map(({ outcome }) => outcome));
  });
});

describe("QueryLimiter with a queue", () => {
  it("gives slots to waiting tasks in order of arrival", async () => {
    const { run, begun } = slotsAndTasks(1, 500);
    const tasks = ["1", "2", "3"].map((name) => run(name));
    for (const [i, task] of tasks.entries()) {
      await settle();
      expect(begun).toEqual(["1", "2", "3"].slice(0, i + 1));
      task.finish();
    }
    await expect(Promise.all(tasks.map(({ outcome }) => outcome))).resolves.toEqual(["1", "2", "3"]);
  });

  it("does not let a new task overtake waiting ones", async () => {
    const { run, begun } = slotsAndTasks(1, 500);
    const [first, second] = [run("1"), run("2")];
    await settle();
    first.finish();
    await first.outcome;
    const third = run("3");
    await settle();
    expect(begun).toEqual(["1", "2"]);
    second.finish();
    await settle();
    third.finish();
    await expect(third.outcome).resolves.toBe("3");
  });

  it("refuses a task after the maximum wait", async () => {
    const { run, begun, waits } = slotsAndTasks(1, 500);
    const [first, second] = [run("1"), run("2")];
    await settle();
    expect(waits.map(({ ms }) => ms)).toEqual([500]);
    waits[0]?.end();
    await expect(second.outcome).rejects.toEqual(REFUSAL);
    first.finish();
    await settle();
    expect(begun).toEqual(["1"]);
  });

  it("gives no slot to a task that has timed out", async () => {
    const { run, begun, waits } = slotsAndTasks(1, 500);
    const [first, second, third] = [run("1"), run("2"), run("3")];
    await settle();
    waits[0]?.end();
    await expect(second.outcome).rejects.toEqual(REFUSAL);
    first.finish();
    await settle();
    expect(begun).toEqual(["1", "3"]);
    third.finish();
    await expect(third.outcome).resolves.toBe("3");
  });

  it("ignores the timeout of a task that already has its slot", async () => {
    const { run, waits } = slotsAndTasks(1, 500);
    const [first, second] = [run("1"), run("2")];
    first.finish();
    await settle();
    waits[0]?.end();
    await settle();
    second.finish();
    await expect(second.outcome).resolves.toBe("2");
  });

  it("passes the slot on after a failure", async () => {
    const { run, begun } = slotsAndTasks(1, 500);
    const [first, second] = [run("1"), run("2")];
    first.fail(new Error("no"));
    await expect(first.outcome).rejects.toThrow("no");
    await settle();
    expect(begun).toEqual(["1", "2"]);
    second.finish();
    await expect(second.outcome).resolves.toBe("2");
  });

  it("refuses tasks when the queue is full", async () => {
    const { run } = slotsAndTasks(1, 500);
    const tasks = Array.from({ length: QUERIES_WAITING_MAX + 1 }, (_, i) => run(String(i)));
    const oneTooMany = run("one too many");
    await expect(oneTooMany.outcome).rejects.toEqual(REFUSAL);
    for (const task of tasks) task.finish();
    await expect(Promise.all(tasks.map(({ outcome }) => outcome))).resolves.toHaveLength(QUERIES_WAITING_MAX + 1);
  });

  it("never runs more than its limit, whatever happens", async () => {
    const { limiter } = slotsAndTasks(3, 500);
    let running = 0;
    let most = 0;
    const outcomes = Array.from({ length: 50 }, (_, i) =>
      limiter.run(OWN, async () => {
        most = Math.max(most, ++running);
        for (let turn = 0; turn <= i % 3; turn++) await settle();
        running--;
        if (i % 7 === 0) throw new Error("now and then");
      }),
    );
    await Promise.allSettled(outcomes);
    expect({ most, running }).toEqual({ most: 3, running: 0 });
  });
});

describe("QueryLimiter for guests", () => {
  const settled = (tasks: readonly Task[]) => Promise.allSettled(tasks.map(({ outcome }) => outcome));

  it.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
    [10, 5],
    [0, 100],
  ])("gives them, of %d slots, %d", async (slots, theirs) => {
    const { run, begun } = slotsAndTasks(slots, 0);
    const tasks = Array.from({ length: 100 }, (_, i) => run(String(i), VIEWER));
    await settle();
    expect(begun).toHaveLength(theirs);
    for (const task of tasks) task.finish();
    const outcomes = await settled(tasks);
    expect(outcomes.slice(0, theirs).every(({ status }) => status === "fulfilled")).toBe(true);
    for (const outcome of outcomes.slice(theirs)) expect(outcome).toEqual({ status: "rejected", reason: REFUSAL });
  });

  it("gives all slots that they do not use to others", async () => {
    const { run, begun } = slotsAndTasks(10, 0);
    for (let i = 0; i < 20; i++) run("viewer", VIEWER);
    for (let i = 0; i < 5; i++) run("own");
    await expect(run("own").outcome).rejects.toEqual(REFUSAL);
    expect(begun.filter((name) => name === "own")).toHaveLength(5);
  });

  it("refuses them while others use all slots", async () => {
    const { run } = slotsAndTasks(10, 0);
    for (let i = 0; i < 10; i++) run("own");
    await expect(run("viewer", VIEWER).outcome).rejects.toEqual(REFUSAL);
  });

  it.each([10, 0])("runs at most two of their exports, of %d slots, and any number of those of others", async (slots) => {
    const { run, begun } = slotsAndTasks(slots, 0);
    const [first] = ["1", "2"].map((name) => run(name, GUEST_EXPORT));
    await expect(run("3", GUEST_EXPORT).outcome).rejects.toEqual(REFUSAL);
    run("report", VIEWER);
    for (const name of ["a", "b", "c"]) run(name, { isGuest: false, isExport: true });
    await settle();
    expect(begun).toEqual(["1", "2", "report", "a", "b", "c"]);
    first?.finish();
    await first?.outcome;
    run("4", GUEST_EXPORT);
    await settle();
    expect(begun.at(-1)).toBe("4");
  });

  const exportOf = (share: string, address: string): SlotUse => ({ ...GUEST_EXPORT, exporter: { share, address } });

  it("allows each share link and each address one export at a time", async () => {
    const { limiter, run, begun, clock } = slotsAndTasks(10, 0);
    clock.monotonicMs = 5_000;
    const first = run("first", exportOf("a", "1"));
    const second = { code: "too_many_requests", retryAfterSecs: 10 };
    await expect(run("own address", exportOf("b", "1")).outcome).rejects.toMatchObject({ failure: second });
    expect(limiter.exportWantedSinceMs).toBe(null);
    await expect(run("same share", exportOf("a", "2")).outcome).rejects.toMatchObject({ failure: second });
    expect(limiter.exportWantedSinceMs).toBe(5_000);
    run("other", exportOf("b", "2"));
    first.finish();
    await first.outcome;
    expect(limiter.exportWantedSinceMs).toBe(null);
    run("again", exportOf("a", "1"));
    await settle();
    expect(begun).toEqual(["first", "other", "again"]);
    await expect(run("third", exportOf("c", "3")).outcome).rejects.toEqual(REFUSAL);
    expect(limiter.exportWantedSinceMs).toBe(5_000);
  });

  it("forgets the callers whose exports were refused", async () => {
    const { limiter, run, clock } = slotsAndTasks(10, 0);
    run("first", exportOf("a", "1"));
    const refused = () => expect(run("refused", exportOf("a", "2")).outcome).rejects.toThrow("one export at a time");
    await refused();
    clock.monotonicMs = EXPORT_WANTED_MS - 1;
    await refused();
    clock.monotonicMs = 2 * EXPORT_WANTED_MS - 2;
    expect(limiter.exportWantedSinceMs).toBe(0);
    clock.monotonicMs++;
    expect(limiter.exportWantedSinceMs).toBe(null);
    await refused();
    expect(limiter.exportWantedSinceMs).toBe(clock.monotonicMs);
  });

  it("makes an export wait for another one of its share link while another link's goes first", async () => {
    const { run, begun } = slotsAndTasks(10, 500);
    const first = run("first", exportOf("a", "1"));
    run("waits", exportOf("a", "2"));
    run("passes", exportOf("b", "3"));
    await settle();
    expect(begun).toEqual(["first", "passes"]);
    first.finish();
    await settle();
    expect(begun).toEqual(["first", "passes", "waits"]);
  });

  it("gives waiting guests a slot after all others, and only one of their share", async () => {
    const { run, begun } = slotsAndTasks(2, 500);
    const [viewer, own] = [run("viewer", VIEWER), run("own")];
    for (const name of ["viewer 2", "viewer 3"]) run(name, VIEWER);
    const own2 = run("own 2");
    await settle();
    own.finish();
    await settle();
    expect(begun).toEqual(["viewer", "own", "own 2"]);
    own2.finish();
    await settle();
    expect(begun).toHaveLength(3);
    viewer.finish();
    await settle();
    expect(begun).toEqual(["viewer", "own", "own 2", "viewer 2"]);
  });

  it("has room for others in the queue, however many guests wait", async () => {
    const { run } = slotsAndTasks(1, 500);
    const tasks = [run("first"), ...Array.from({ length: QUERIES_WAITING_MAX }, (_, i) => run(String(i), VIEWER))];
    await expect(run("one viewer too many", VIEWER).outcome).rejects.toEqual(REFUSAL);
    tasks.push(run("own"));
    for (const task of tasks) task.finish();
    await expect(Promise.all(tasks.map(({ outcome }) => outcome))).resolves.toHaveLength(QUERIES_WAITING_MAX + 2);
  });

  it("never exceeds their share, and loses no slot, whoever comes and goes", async () => {
    const { limiter } = slotsAndTasks(4, 500);
    const running = { viewers: 0, exports: 0, all: 0 };
    const most = { ...running };
    const add = ({ isGuest, isExport = false }: SlotUse, change: 1 | -1) => {
      running.all += change;
      if (isGuest) running.viewers += change;
      if (isGuest && isExport) running.exports += change;
      for (const key of ["viewers", "exports", "all"] as const) most[key] = Math.max(most[key], running[key]);
    };
    const outcomes = Array.from({ length: 60 }, (_, i) => {
      const use = [OWN, VIEWER, GUEST_EXPORT][i % 3] ?? OWN;
      return limiter.run(use, async () => {
        add(use, 1);
        for (let turn = 0; turn <= i % 4; turn++) await settle();
        add(use, -1);
        if (i % 7 === 0) throw new Error("now and then");
      });
    });
    await Promise.allSettled(outcomes);
    expect({ most, running }).toEqual({ most: { viewers: 2, exports: 2, all: 4 }, running: { viewers: 0, exports: 0, all: 0 } });
  });
});
