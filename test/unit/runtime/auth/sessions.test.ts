/** Sessions with a clock and randomness of the test's own. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Sessions } from "../../../../src/runtime/auth/sessions.ts";
import { createSha256 } from "../../../../src/runtime/auth/sha256.ts";

const sha256 = await createSha256();

/** Sessions, and the monotonic clock they go by. */
function make(options: Partial<ConstructorParameters<typeof Sessions>[0]> = {}) {
  const clock = { ms: 0 };
  const sessions = new Sessions({ ttlSecs: 600, sessionsMax: 3, sha256, randomBytes, monotonicMs: () => clock.ms, ...options });
  const beginAt = (ms: number): string => ((clock.ms = ms), sessions.begin());
  const isValidAt = (token: string, ms: number): boolean => ((clock.ms = ms), sessions.isValid(token));
  return { sessions, beginAt, isValidAt };
}

describe("sessions", () => {
  it("have tokens of 256 random bits", () => {
    const asked: number[] = [];
    const { sessions } = make({ randomBytes: (length) => (asked.push(length), new Uint8Array(length).fill(0xab)) });
    expect(sessions.begin()).toBe("ab".repeat(32));
    expect(asked).toEqual([32]);
  });

  it("last for the ttl and not a millisecond longer", () => {
    const { beginAt, isValidAt } = make();
    const token = beginAt(1000);
    expect(isValidAt(token, 600_999)).toBe(true);
    expect(isValidAt(token, 601_000)).toBe(false);
  });

  it("end each for itself, and ending one that there is not is fine", () => {
    const { sessions } = make();
    const [first, second] = [sessions.begin(), sessions.begin()];
    sessions.end(first);
    sessions.end(first);
    sessions.end("nonsense");
    expect([first, second].map((token) => sessions.isValid(token))).toEqual([false, true]);
  });

  it("end all but those of the tokens that are kept", () => {
    const { sessions } = make();
    const tokens = [sessions.begin(), sessions.begin(), sessions.begin()];
    sessions.endOthers([tokens[1] ?? "", "nonsense"]);
    expect(tokens.map((token) => sessions.isValid(token))).toEqual([false, true, false]);
    sessions.endOthers([]);
    expect(tokens.map((token) => sessions.isValid(token))).toEqual([false, false, false]);
  });

  it("end with the oldest where there would be too many", () => {
    const { beginAt, isValidAt } = make();
    const tokens = [0, 1, 2, 3, 4].map((second) => beginAt(second * 1000));
    expect(tokens.map((token) => isValidAt(token, 5000))).toEqual([false, false, true, true, true]);
  });

  it("make room by those that have expired first", () => {
    const { beginAt, isValidAt } = make();
    for (const second of [0, 1]) beginAt(second * 1000);
    const late = beginAt(500_000);
    const later = [beginAt(601_000), beginAt(601_000)];
    expect([late, ...later].every((token) => isValidAt(token, 601_000))).toBe(true);
  });

  it.each(["", "x", "0".repeat(63), "0".repeat(65), "A".repeat(64), `${"0".repeat(64)}\n`])(
    "hash no text that is no token: %j",
    (token) => {
      const { sessions } = make({
        sha256: () => {
          throw new Error("hashed");
        },
      });
      expect(sessions.isValid(token)).toBe(false);
      expect(() => sessions.end(token)).not.toThrow();
    },
  );
});
