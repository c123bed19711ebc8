/** The lockout with a clock of the test's own: what is counted, for how long, and how much is remembered. */
import { describe, expect, it } from "vitest";
import { LoginLockout } from "../../../../src/runtime/access/login-lockout.ts";
import { AppError } from "../../../../src/runtime/base/errors.ts";

/** A lockout, and the monotonic clock it goes by. */
function make(options: Partial<ConstructorParameters<typeof LoginLockout>[0]> = {}) {
  const clock = { ms: 0 };
  const lockout = new LoginLockout({
    attemptsMax: 3,
    lockoutSecs: 300,
    rowSecs: Number.POSITIVE_INFINITY,
    addressesMax: 100,
    monotonicMs: () => clock.ms,
    ...options,
  });
  return {
    lockout,
    failTimes: (address: string, times: number, ms = 0, shareHash?: string): boolean[] =>
      Array.from({ length: times }, () => ((clock.ms = ms), lockout.fail(address, shareHash))),
    /** Seconds that are left; null when the address may try. */
    waitSecs(address: string, ms = 0, shareHash?: string): number | null {
      clock.ms = ms;
      try {
        lockout.check(address, shareHash);
        return null;
      } catch (error) {
        if (!(error instanceof AppError) || error.failure.code !== "too_many_requests") throw error;
        return error.failure.retryAfterSecs;
      }
    },
  };
}

describe("the lockout", () => {
  it("locks at the failure that reaches the limit, and reports it", () => {
    const { failTimes, waitSecs } = make();
    expect(failTimes("a", 2)).toEqual([false, false]);
    expect(waitSecs("a")).toBeNull();
    expect(failTimes("a", 1)).toEqual([true]);
    expect(waitSecs("a")).toBe(300);
    expect(waitSecs("b")).toBeNull();
  });

  it.each([
    [0, 300],
    [1, 300],
    [1000, 299],
    [299_000, 1],
    [299_999, 1],
    [300_000, null],
  ])("after %d ms %s seconds are left", (passedMs, left) => {
    const { failTimes, waitSecs } = make();
    failTimes("a", 3);
    expect(waitSecs("a", passedMs)).toBe(left);
  });

  it("starts a new count when the lockout has ended", () => {
    const { failTimes, waitSecs } = make();
    failTimes("a", 3);
    expect(waitSecs("a", 300_000)).toBeNull();
    expect(failTimes("a", 3, 300_000)).toEqual([false, false, true]);
  });

  it("resets the count at a success", () => {
    const { lockout, failTimes } = make();
    failTimes("a", 2);
    lockout.clear("a");
    expect(failTimes("a", 3)).toEqual([false, false, true]);
  });

  it("counts consecutive failures however far apart", () => {
    const { failTimes, waitSecs } = make();
    const dayMs = 86_400_000;
    expect([0, 1, 2].flatMap((day) => failTimes("a", 1, day * dayMs))).toEqual([false, false, true]);
    expect(waitSecs("a", 2 * dayMs)).toBe(300);
  });

  it("counts failures of each link separately, and resets the count at a success with this link only", () => {
    const { lockout, failTimes, waitSecs } = make();
    expect(failTimes("a", 2, 0, "one")).toEqual([false, false]);
    expect(failTimes("a", 3, 0, "two")).toEqual([false, false, true]);
    expect([waitSecs("a", 0, "one"), waitSecs("a", 0, "two"), waitSecs("a"), waitSecs("b", 0, "two")]).toEqual([null, 300, null, null]);
    lockout.clear("a", "one");
    expect(failTimes("a", 2, 0, "one")).toEqual([false, false]);
    expect(waitSecs("a", 0, "two")).toBe(300);
  });

  it("forgets failures below the limit after a while", () => {
    const { failTimes, waitSecs } = make({ rowSecs: 300 });
    expect(failTimes("a", 2)).toEqual([false, false]);
    expect(failTimes("a", 2, 300_000)).toEqual([false, false]);
    expect(failTimes("a", 1, 599_999)).toEqual([true]);
    expect(waitSecs("a", 599_999)).toBe(300);
  });

  it("locks nobody out if attempts are 0", () => {
    const { failTimes, waitSecs } = make({ attemptsMax: 0 });
    expect(failTimes("a", 50)).not.toContain(true);
    expect(waitSecs("a")).toBeNull();
  });

  it("forgets the address with the oldest last failure above its limit", () => {
    const { failTimes, waitSecs } = make({ addressesMax: 2 });
    for (const address of ["a", "b"]) failTimes(address, 2);
    failTimes("a", 1);
    failTimes("c", 1);
    expect(waitSecs("a")).toBe(300);
    expect(failTimes("b", 1)).toEqual([false]);
  });
});
