/** Sessions and guest tokens, with clocks and randomness of the test's own. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Sessions, GuestTokens, type KeptEntries, type KeptEntry } from "../../../../src/runtime/access/expiring-tokens.ts";
import { createSha256 } from "../../../../src/runtime/base/bytes.ts";

const sha256 = await createSha256();

/** Entries that outlive an instance, as a host keeps them. */
function makeKeptEntries(): KeptEntries {
  const entries = new Map<string, KeptEntry>();
  return {
    list: () => [...entries.values()].sort((a, b) => a.endMs - b.endMs),
    set: (entry) => void entries.set(entry.key, entry),
    remove: (key) => void entries.delete(key),
  };
}

const WALL_MS = 1_700_000_000_000;

/** Sessions, and the monotonic clock they go by. */
function makeSessions(options: Partial<ConstructorParameters<typeof Sessions>[0]> = {}) {
  const clock = { ms: 0 };
  const clocks = { now: () => WALL_MS + clock.ms, monotonicMs: () => clock.ms };
  const sessions = new Sessions({ ttlSecs: 600, sessionsMax: 3, sha256, randomBytes, ...clocks, ...options });
  const beginAt = (ms: number): string => ((clock.ms = ms), sessions.begin());
  const isValidAt = (token: string, ms: number): boolean => ((clock.ms = ms), sessions.isValid(token));
  return { sessions, beginAt, isValidAt };
}

describe("sessions", () => {
  it("use tokens of 256 random bits", () => {
    const asked: number[] = [];
    const { sessions } = makeSessions({ randomBytes: (length) => (asked.push(length), new Uint8Array(length).fill(0xab)) });
    expect(sessions.begin()).toBe("ab".repeat(32));
    expect(asked).toEqual([32]);
  });

  it("last for the ttl and not a millisecond longer", () => {
    const { beginAt, isValidAt } = makeSessions();
    const token = beginAt(1000);
    expect(isValidAt(token, 600_999)).toBe(true);
    expect(isValidAt(token, 601_000)).toBe(false);
  });

  it("end independently, and ending an unknown one succeeds", () => {
    const { sessions } = makeSessions();
    const [first, second] = [sessions.begin(), sessions.begin()];
    sessions.end(first);
    sessions.end(first);
    sessions.end("nonsense");
    expect([first, second].map((token) => sessions.isValid(token))).toEqual([false, true]);
  });

  it("can be ended all together except for some tokens", () => {
    const { sessions } = makeSessions();
    const tokens = [sessions.begin(), sessions.begin(), sessions.begin()];
    sessions.endOthers([tokens[1] ?? "", "nonsense"]);
    expect(tokens.map((token) => sessions.isValid(token))).toEqual([false, true, false]);
    sessions.endOthers([]);
    expect(tokens.map((token) => sessions.isValid(token))).toEqual([false, false, false]);
  });

  it("end oldest first above the limit", () => {
    const { beginAt, isValidAt } = makeSessions();
    const tokens = [0, 1, 2, 3, 4].map((second) => beginAt(second * 1000));
    expect(tokens.map((token) => isValidAt(token, 5000))).toEqual([false, false, true, true, true]);
  });

  it("give up their place first when they have expired", () => {
    const { beginAt, isValidAt } = makeSessions();
    for (const second of [0, 1]) beginAt(second * 1000);
    const late = beginAt(500_000);
    const later = [beginAt(601_000), beginAt(601_000)];
    expect([late, ...later].every((token) => isValidAt(token, 601_000))).toBe(true);
  });

  it("continue in another instance until their wall-clock end, whatever its monotonic clock is, and ended ones do not", () => {
    const kept = makeKeptEntries();
    const { sessions, beginAt } = makeSessions({ kept });
    const tokens = [beginAt(0), beginAt(1000), beginAt(2000)];
    sessions.end(tokens[1] ?? "");
    const after = (ms: number) => {
      const next = new Sessions({ ttlSecs: 600, sessionsMax: 3, sha256, randomBytes, now: () => WALL_MS + ms, monotonicMs: () => 5, kept });
      return tokens.map((token) => next.isValid(token));
    };
    expect(after(599_999)).toEqual([true, false, true]);
    expect(after(600_000)).toEqual([false, false, true]);
    expect(kept.list()).toHaveLength(1);
    expect(JSON.stringify(kept.list())).not.toContain(tokens[2]);
  });

  it("last no longer than a new one if the wall clock was set back meanwhile", () => {
    const kept = makeKeptEntries();
    const { beginAt } = makeSessions({ kept });
    const token = beginAt(0);
    const clock = { ms: 0 };
    const clocks = { now: () => WALL_MS - 1_000_000 + clock.ms, monotonicMs: () => clock.ms };
    const next = new Sessions({ ttlSecs: 600, sessionsMax: 3, sha256, randomBytes, ...clocks, kept });
    clock.ms = 599_999;
    expect(next.isValid(token)).toBe(true);
    clock.ms = 600_000;
    expect(next.isValid(token)).toBe(false);
  });

  it.each(["", "x", "0".repeat(63), "0".repeat(65), "A".repeat(64), `${"0".repeat(64)}\n`])(
    "cause no hashing for a text that is not a token: %j",
    (token) => {
      const { sessions } = makeSessions({
        sha256: () => {
          throw new Error("hashed");
        },
      });
      expect(sessions.isValid(token)).toBe(false);
      expect(() => sessions.end(token)).not.toThrow();
    },
  );
});

/** Tokens, and the monotonic clock they go by. */
function makeGuestTokens(options: Partial<ConstructorParameters<typeof GuestTokens>[0]> = {}) {
  const clock = { ms: 0 };
  const tokens = new GuestTokens({
    ttlSecs: 600,
    tokensMax: 6,
    tokensOfShareMax: 3,
    sha256,
    randomBytes,
    now: () => clock.ms,
    monotonicMs: () => clock.ms,
    ...options,
  });
  const beginAt = (ms: number, shareHash: string): string => ((clock.ms = ms), tokens.begin(shareHash));
  const shareAt = (token: string, ms: number): string | null => ((clock.ms = ms), tokens.shareHashOf(token));
  return { beginAt, shareAt };
}

describe("guest tokens", () => {
  it("stand for their link for the ttl and not a millisecond longer", () => {
    const { beginAt, shareAt } = makeGuestTokens();
    const token = beginAt(1000, "one");
    expect(shareAt(token, 600_999)).toBe("one");
    expect(shareAt(token, 601_000)).toBeNull();
  });

  it("end oldest first above the limit of their link, and tokens of other links stay", () => {
    const { beginAt, shareAt } = makeGuestTokens();
    const other = beginAt(0, "other");
    const tokens = [1, 2, 3, 4, 5].map((ms) => beginAt(ms, "one"));
    expect(tokens.map((token) => shareAt(token, 6))).toEqual([null, null, "one", "one", "one"]);
    expect(shareAt(other, 6)).toBe("other");
  });

  it("end oldest first above the limit for all links", () => {
    const { beginAt, shareAt } = makeGuestTokens();
    const tokens = ["one", "two", "three", "four", "five", "six", "seven"].map((share, ms) => beginAt(ms, share));
    expect(tokens.map((token) => shareAt(token, 7))).toEqual([null, "two", "three", "four", "five", "six", "seven"]);
  });

  it("give up their place first when they have expired", () => {
    const { beginAt, shareAt } = makeGuestTokens({ tokensMax: 3 });
    const expired = [beginAt(0, "one"), beginAt(0, "two")];
    const late = beginAt(500_000, "three");
    const later = [beginAt(600_000, "four"), beginAt(600_000, "five")];
    expect([...expired, late, ...later].map((token) => shareAt(token, 600_000))).toEqual([null, null, "three", "four", "five"]);
  });
});
