/** Guest tokens with a clock of the test's own: how long they last, and whose end when there are too many. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSha256 } from "../../../../src/runtime/base/sha256.ts";
import { GuestTokens } from "../../../../src/runtime/access/guest-tokens.ts";

const sha256 = await createSha256();

/** Tokens, and the monotonic clock they go by. */
function make(options: Partial<ConstructorParameters<typeof GuestTokens>[0]> = {}) {
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
    const { beginAt, shareAt } = make();
    const token = beginAt(1000, "one");
    expect(shareAt(token, 600_999)).toBe("one");
    expect(shareAt(token, 601_000)).toBeNull();
  });

  it("of a link end with the oldest where there would be too many of it, and those of other links stay", () => {
    const { beginAt, shareAt } = make();
    const other = beginAt(0, "other");
    const tokens = [1, 2, 3, 4, 5].map((ms) => beginAt(ms, "one"));
    expect(tokens.map((token) => shareAt(token, 6))).toEqual([null, null, "one", "one", "one"]);
    expect(shareAt(other, 6)).toBe("other");
  });

  it("end with the oldest of all where there would be too many in all", () => {
    const { beginAt, shareAt } = make();
    const tokens = ["one", "two", "three", "four", "five", "six", "seven"].map((share, ms) => beginAt(ms, share));
    expect(tokens.map((token) => shareAt(token, 7))).toEqual([null, "two", "three", "four", "five", "six", "seven"]);
  });

  it("make room by those that have expired first", () => {
    const { beginAt, shareAt } = make({ tokensMax: 3 });
    const expired = [beginAt(0, "one"), beginAt(0, "two")];
    const late = beginAt(500_000, "three");
    const later = [beginAt(600_000, "four"), beginAt(600_000, "five")];
    expect([...expired, late, ...later].map((token) => shareAt(token, 600_000))).toEqual([null, null, "three", "four", "five"]);
  });
});
