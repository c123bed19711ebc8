/** Sessions with a clock and randomness of the test's own. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Sessions } from "../../../../src/runtime/auth/sessions.ts";
import { createSha256 } from "../../../../src/runtime/auth/sha256.ts";

const START_MS = Date.parse("2026-03-15T12:00:00Z");

const sha256 = await createSha256();

const make = (options: Partial<ConstructorParameters<typeof Sessions>[0]> = {}): Sessions =>
  new Sessions({ ttlSecs: 600, sessionsMax: 3, sha256, randomBytes, ...options });

describe("sessions", () => {
  it("have tokens of 256 random bits", () => {
    const asked: number[] = [];
    const sessions = make({ randomBytes: (length) => (asked.push(length), new Uint8Array(length).fill(0xab)) });
    expect(sessions.begin(START_MS)).toBe("ab".repeat(32));
    expect(asked).toEqual([32]);
  });

  it("last for their lifetime and not a millisecond longer", () => {
    const sessions = make();
    const token = sessions.begin(START_MS);
    expect(sessions.isValid(token, START_MS + 599_999)).toBe(true);
    expect(sessions.isValid(token, START_MS + 600_000)).toBe(false);
  });

  it("end one by one, and ending an unknown session does nothing", () => {
    const sessions = make();
    const [first, second] = [sessions.begin(START_MS), sessions.begin(START_MS)];
    sessions.end(first);
    sessions.end(first);
    sessions.end("nonsense");
    expect([first, second].map((token) => sessions.isValid(token, START_MS))).toEqual([false, true]);
  });

  it("are limited in number: a new session ends the oldest", () => {
    const sessions = make();
    const tokens = [0, 1, 2, 3, 4].map((second) => sessions.begin(START_MS + second * 1000));
    expect(tokens.map((token) => sessions.isValid(token, START_MS + 5000))).toEqual([false, false, true, true, true]);
  });

  it("that have expired are removed before any valid one", () => {
    const sessions = make();
    for (const second of [0, 1]) sessions.begin(START_MS + second * 1000);
    const late = sessions.begin(START_MS + 500_000);
    const later = [sessions.begin(START_MS + 601_000), sessions.begin(START_MS + 601_000)];
    expect([late, ...later].every((token) => sessions.isValid(token, START_MS + 601_000))).toBe(true);
  });

  it.each(["", "x", "0".repeat(63), "0".repeat(65), "A".repeat(64), `${"0".repeat(64)}\n`])(
    "hash no text that is no token: %j",
    (token) => {
      const sessions = make({
        sha256: () => {
          throw new Error("hashed");
        },
      });
      expect(sessions.isValid(token, START_MS)).toBe(false);
      expect(() => sessions.end(token)).not.toThrow();
    },
  );
});
