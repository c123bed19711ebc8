/** How many passwords of a link are checked: of all addresses, and of those that have hardly used its reserve. */
import { describe, expect, it } from "vitest";
import { ShareUnlockLimit } from "../../../../src/runtime/access/share-unlock.ts";
import { SHARE_UNLOCKS_AT_ONCE, SHARE_UNLOCKS_OF_NETWORK_AT_ONCE } from "../../../../src/runtime/base/config/admin-limits.ts";

const DAY_MS = 86_400_000;

function create() {
  const clock = { ms: 0 };
  const limit = new ShareUnlockLimit(() => clock.ms);
  /** How many of the attempts are taken. `isRight`: with the right password. */
  const taken = (attempts: number, addressOf: (i: number) => string, isRight = false, link = "one"): number => {
    let count = 0;
    for (let i = 0; i < attempts; i++) {
      try {
        const noteRight = limit.take(link, addressOf(i));
        if (isRight) noteRight();
        count++;
      } catch {
        // Refused.
      }
    }
    return count;
  };
  return { clock, taken };
}

const GUESSER = (i: number): string => `203.0.113.${i % 256}`;

describe("the password limit of a share link", () => {
  it("keeps a reserve for networks that have sent few passwords, and none for the one that has sent many", () => {
    const { taken } = create();
    expect(taken(100, GUESSER)).toBe(SHARE_UNLOCKS_AT_ONCE + SHARE_UNLOCKS_OF_NETWORK_AT_ONCE);
    expect(taken(1, () => "198.51.100.1", true)).toBe(1);
    expect(taken(1, () => "2001:db8::1", true)).toBe(1);
    expect(taken(100, GUESSER, false, "two")).toBe(SHARE_UNLOCKS_AT_ONCE + SHARE_UNLOCKS_OF_NETWORK_AT_ONCE);
  });

  it("bounds all guesses together, from any number of networks", () => {
    const { clock, taken } = create();
    const anywhere = (i: number): string => `${1 + (i % 200)}.${Math.floor(i / 200)}.0.1`;
    expect(taken(1_000, anywhere)).toBe(2 * SHARE_UNLOCKS_AT_ONCE);
    clock.ms = 10_000;
    expect(taken(1_000, (i) => anywhere(1_000 + i))).toBe(20);
  });

  it("counts only wrong passwords for a network", () => {
    const { taken } = create();
    taken(100, GUESSER);
    expect(taken(SHARE_UNLOCKS_OF_NETWORK_AT_ONCE + 5, () => "198.51.100.1", true)).toBe(SHARE_UNLOCKS_OF_NETWORK_AT_ONCE + 5);
  });

  it("allows a network four guesses a day from the reserve", () => {
    const { clock, taken } = create();
    taken(100, GUESSER);
    clock.ms = DAY_MS;
    expect(taken(100, GUESSER)).toBe(SHARE_UNLOCKS_AT_ONCE + 4);
  });
});
