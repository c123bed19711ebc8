/** A periodic job: when it begins, that it never overlaps itself, how it pauses after failures, and how it ends. */
import { describe, expect, it } from "vitest";
import { PeriodicJob, type PeriodicJobOptions, type Run } from "../../../../src/runtime/base/periodic-job.ts";
import { createDeferred } from "../../../support/deferred.ts";

/** A job by a clock that the test sets; each run ends as the next of `outcomes` says, and well when there is none. */
function createJob(options: Partial<PeriodicJobOptions> = {}) {
  const runs: Run[] = [];
  const outcomes: boolean[] = [];
  let nowMs = 0;
  let isDue = true;
  const job = new PeriodicJob({
    monotonicMs: () => nowMs,
    isDue: () => isDue,
    retryMs: 100,
    run: async (run) => {
      runs.push(run);
      return outcomes.shift() ?? true;
    },
    ...options,
  });
  return {
    job,
    runs,
    outcomes,
    setDue: (due: boolean) => (isDue = due),
    /** Lets the time pass and the run that a tick may begin end. */
    async tickAfter(ms: number): Promise<number> {
      nowMs += ms;
      job.tick();
      await job.settled();
      return runs.length;
    },
  };
}

describe("a periodic job", () => {
  it("runs at a tick if it is due, and not otherwise", async () => {
    const { tickAfter, setDue } = createJob();
    setDue(false);
    expect(await tickAfter(1000)).toBe(0);
    setDue(true);
    expect(await tickAfter(0)).toBe(1);
    expect(await tickAfter(0)).toBe(2);
  });

  it("waits for its interval between the starts of two runs", async () => {
    const { tickAfter } = createJob({ pauseMs: 50 });
    expect(await tickAfter(0)).toBe(1);
    expect(await tickAfter(49)).toBe(1);
    expect(await tickAfter(1)).toBe(2);
  });

  it("never overlaps itself: a tick during a run does nothing, and concurrent requests share the run", async () => {
    const end = createDeferred<void>();
    let runs = 0;
    const { job } = createJob({
      run: async () => {
        runs++;
        await end.promise;
        return true;
      },
    });
    job.tick();
    job.tick();
    const asked = [job.run(), job.run()];
    expect(runs).toBe(1);
    end.resolve();
    expect(await Promise.all(asked)).toEqual([true, true]);
    expect(await job.run()).toBe(true);
    expect(runs).toBe(2);
  });

  it("pauses after a failure, twice as long after each further one up to a maximum, and starts over after a success", async () => {
    const { tickAfter, outcomes, runs } = createJob({ retryMsMax: 300 });
    outcomes.push(false, false, false, true, false);
    expect(await tickAfter(0)).toBe(1);
    expect(await tickAfter(99)).toBe(1);
    expect(await tickAfter(1)).toBe(2);
    expect(await tickAfter(199)).toBe(2);
    expect(await tickAfter(1)).toBe(3);
    expect(await tickAfter(299)).toBe(3);
    expect(await tickAfter(1)).toBe(4);
    expect(await tickAfter(0)).toBe(5);
    expect(runs.map(({ retryInMs }) => retryInMs)).toEqual([100, 200, 300, 300, 100]);
  });

  it("runs on request even if it is not due or paused", async () => {
    const { job, tickAfter, outcomes, setDue } = createJob();
    outcomes.push(false);
    await tickAfter(0);
    setDue(false);
    expect(await job.run()).toBe(true);
  });

  it("aborts the current run when it is stopped, waits for its end, and starts no other at a tick", async () => {
    const { job, tickAfter, runs } = createJob();
    await tickAfter(0);
    expect(runs[0]?.signal.aborted).toBe(false);
    await job.stop();
    expect(runs[0]?.signal.aborted).toBe(true);
    expect(await tickAfter(1000)).toBe(1);
  });
});
