/** The lockout with a clock of the test's own: what is counted, for how long, and how much is remembered. */
import { describe, expect, it } from "vitest";
import { LoginLockout } from "../../../../src/runtime/auth/login-lockout.ts";
import { AppError } from "../../../../src/runtime/errors.ts";

const START_MS = Date.parse("2026-03-15T12:00:00Z");

const make = (options: Partial<ConstructorParameters<typeof LoginLockout>[0]> = {}): LoginLockout =>
  new LoginLockout({ attemptsMax: 3, lockoutSecs: 300, addressesMax: 100, ...options });

/** Seconds that are left; null when the address may try. */
function waitSecs(lockout: LoginLockout, address: string, nowMs: number): number | null {
  try {
    lockout.check(address, nowMs);
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== "too_many_requests") throw error;
    return error.failure.retryAfterSecs;
  }
}

const failTimes = (lockout: LoginLockout, address: string, times: number, nowMs = START_MS): boolean[] =>
  Array.from({ length: times }, () => lockout.fail(address, nowMs));

describe("the login lockout", () => {
  it("starts with the last allowed failure in a row, which reports it", () => {
    const lockout = make();
    expect(failTimes(lockout, "a", 2)).toEqual([false, false]);
    expect(waitSecs(lockout, "a", START_MS)).toBeNull();
    expect(failTimes(lockout, "a", 1)).toEqual([true]);
    expect(waitSecs(lockout, "a", START_MS)).toBe(300);
    expect(waitSecs(lockout, "b", START_MS)).toBeNull();
  });

  it.each([
    [0, 300],
    [1, 300],
    [1000, 299],
    [299_000, 1],
    [299_999, 1],
    [300_000, null],
  ])("has, after %d ms, %s seconds left", (passedMs, left) => {
    const lockout = make();
    failTimes(lockout, "a", 3);
    expect(waitSecs(lockout, "a", START_MS + passedMs)).toBe(left);
  });

  it("counts from zero after the lockout has ended", () => {
    const lockout = make();
    failTimes(lockout, "a", 3);
    expect(waitSecs(lockout, "a", START_MS + 300_000)).toBeNull();
    expect(failTimes(lockout, "a", 3, START_MS + 300_000)).toEqual([false, false, true]);
  });

  it("counts from zero after a success", () => {
    const lockout = make();
    failTimes(lockout, "a", 2);
    lockout.clear("a");
    expect(failTimes(lockout, "a", 3)).toEqual([false, false, true]);
  });

  it("counts consecutive failures however far apart they are", () => {
    const lockout = make();
    const dayMs = 86_400_000;
    expect([0, 1, 2].map((day) => lockout.fail("a", START_MS + day * dayMs))).toEqual([false, false, true]);
    expect(waitSecs(lockout, "a", START_MS + 2 * dayMs)).toBe(300);
  });

  it("lasts no longer when the clock is set back", () => {
    const lockout = make();
    failTimes(lockout, "a", 3);
    const earlierMs = START_MS - 3_600_000;
    expect(waitSecs(lockout, "a", earlierMs)).toBe(300);
    expect(waitSecs(lockout, "a", earlierMs + 299_000)).toBe(1);
    expect(waitSecs(lockout, "a", earlierMs + 300_000)).toBeNull();
  });

  it("is off when the number of attempts is 0", () => {
    const lockout = make({ attemptsMax: 0 });
    expect(failTimes(lockout, "a", 50)).not.toContain(true);
    expect(waitSecs(lockout, "a", START_MS)).toBeNull();
  });

  it("evicts the address with the least recent failure when there are too many", () => {
    const lockout = make({ addressesMax: 2 });
    for (const address of ["a", "b"]) failTimes(lockout, address, 2);
    failTimes(lockout, "a", 1);
    failTimes(lockout, "c", 1);
    expect(waitSecs(lockout, "a", START_MS)).toBe(300);
    expect(failTimes(lockout, "b", 1)).toEqual([false]);
  });
});
