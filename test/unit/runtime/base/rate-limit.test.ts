import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRateLimit, takeFromAll, rateLimitKeyOf, wideNetworkOf, type RateLimit } from "../../../../src/runtime/base/rate-limit.ts";
import { clientAddressOf } from "../../../../src/handlers/origins.ts";

/** Some moment of the monotonic clock. */
const START = 1_000_000;

/** How many of `count` events at one instant are allowed. */
function burst(limit: RateLimit, key: string, nowMs: number, count = 100): number {
  let allowed = 0;
  for (let i = 0; i < count; i++) if (limit.take(key, nowMs).allowed) allowed++;
  return allowed;
}

describe("a rate limit", () => {
  it.each([
    [0, 100],
    [-1, 100],
    [1, 1],
    [0.5, 1],
    [0.001, 1],
    [1.5, 1],
    [2, 2],
    [2.9, 2],
    [10, 10],
    [50, 50],
  ])("of %d events a second allows %d at once from a full bucket", (perSecond, expected) => {
    expect(burst(createRateLimit({ perSecond, bucketsMax: 10 }), "a", START)).toBe(expected);
  });

  it("starts a new key with a full bucket, even for a request that began before the clock of its instance", () => {
    expect(burst(createRateLimit({ perSecond: 10, bucketsMax: 10 }), "a", -300)).toBe(10);
  });

  it("refills steadily, up to its capacity", () => {
    const limit = createRateLimit({ perSecond: 4, bucketsMax: 10 });
    expect(burst(limit, "a", START)).toBe(4);
    expect(burst(limit, "a", START + 249)).toBe(0);
    expect(burst(limit, "a", START + 250)).toBe(1);
    expect(burst(limit, "a", START + 750)).toBe(2);
    expect(burst(limit, "a", START + 3_600_000)).toBe(4);
  });

  it("counts each key separately", () => {
    const limit = createRateLimit({ perSecond: 1, bucketsMax: 10 });
    for (const key of ["a", "b", "__proto__", "constructor"]) expect(burst(limit, key, START)).toBe(1);
  });

  it.each([
    [1, 0, 1],
    [0.1, 0, 10],
    [0.1, 9_500, 1],
    [0.1, 1, 10],
    [0.1, 1_000, 9],
    [100, 0, 1],
  ])("of %d a second, %d ms after the last token, allows the next event in %d s", (perSecond, laterMs, retryAfterSecs) => {
    const limit = createRateLimit({ perSecond, bucketsMax: 10 });
    burst(limit, "a", START);
    expect(limit.take("a", START + laterMs)).toEqual({ allowed: false, retryAfterSecs });
  });

  it("allows an event after the returned wait", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 20, noNaN: true }), fc.integer({ min: 0, max: 3000 }), (perSecond, laterMs) => {
        const limit = createRateLimit({ perSecond, bucketsMax: 10 });
        burst(limit, "a", START);
        const verdict = limit.take("a", START + laterMs);
        if (verdict.allowed) return;
        expect(Number.isInteger(verdict.retryAfterSecs) && verdict.retryAfterSecs >= 1).toBe(true);
        expect(limit.take("a", START + laterMs + verdict.retryAfterSecs * 1000).allowed).toBe(true);
      }),
    );
  });

  it("takes no token for a peek", () => {
    const limit = createRateLimit({ perSecond: 2, bucketsMax: 10 });
    for (let i = 0; i < 10; i++) expect(limit.peek("a", START)).toEqual({ allowed: true });
    expect(burst(limit, "a", START)).toBe(2);
    expect(limit.peek("a", START)).toEqual({ allowed: false, retryAfterSecs: 1 });
  });

  it("agrees with counting tokens one by one", () => {
    // Intervals of whole milliseconds, so that the model is exact.
    const rates = fc.constantFrom(0.25, 0.5, 1, 2, 4, 5, 8, 10);
    const events = fc.array(
      fc.record({ key: fc.constantFrom("a", "b", "c"), stepMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3000 })) }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(rates, events, (perSecond, list) => {
        const limit = createRateLimit({ perSecond, bucketsMax: 1000 });
        const tokenMs = 1000 / perSecond;
        const capacityMs = Math.max(1, perSecond) * tokenMs;
        const filledMs = new Map<string, number>();
        let nowMs = START;
        for (const { key, stepMs } of list) {
          nowMs += stepMs;
          for (const other of ["a", "b", "c"]) {
            const filled = (filledMs.get(other) ?? capacityMs) + stepMs;
            filledMs.set(other, Math.min(capacityMs, filled));
          }
          const filled = filledMs.get(key) ?? capacityMs;
          const expected =
            filled >= tokenMs ? { allowed: true } : { allowed: false, retryAfterSecs: Math.max(1, Math.ceil((tokenMs - filled) / 1000)) };
          expect(limit.peek(key, nowMs)).toEqual(expected);
          expect(limit.take(key, nowMs)).toEqual(expected);
          if (filled >= tokenMs) filledMs.set(key, filled - tokenMs);
        }
      }),
    );
  });
});

describe("a rate limit without space for another bucket", () => {
  it("evicts a bucket that is full again", () => {
    const limit = createRateLimit({ perSecond: 1, bucketsMax: 2 });
    burst(limit, "a", START);
    burst(limit, "b", START + 500);
    // a is full again, b is not.
    expect(burst(limit, "c", START + 1000)).toBe(1);
    expect(burst(limit, "b", START + 1000)).toBe(0);
    expect(burst(limit, "a", START + 1500)).toBe(1);
  });

  it("evicts a full bucket behind one that is not full", () => {
    const limit = createRateLimit({ perSecond: 10, bucketsMax: 2 });
    burst(limit, "a", START);
    limit.take("b", START);
    expect(burst(limit, "c", START + 100)).toBe(10);
    expect(burst(limit, "a", START + 100)).toBe(1);
  });

  it("allows no key a second burst: new keys share a bucket", () => {
    const limit = createRateLimit({ perSecond: 2, bucketsMax: 3 });
    for (const key of ["a", "b", "c"]) expect(burst(limit, key, START)).toBe(2);
    let newcomers = 0;
    for (let i = 0; i < 1000; i++) newcomers += burst(limit, `new ${i}`, START, 5);
    expect(newcomers).toBe(2);
    for (const key of ["a", "b", "c"]) expect(burst(limit, key, START)).toBe(0);
    expect(burst(limit, "later", START + 1000)).toBe(2);
  });

  it("starts the bucket of a key from the state of the shared bucket", () => {
    const limit = createRateLimit({ perSecond: 1, bucketsMax: 1 });
    burst(limit, "a", START);
    expect(burst(limit, "b", START + 400)).toBe(1);
    expect(burst(limit, "b", START + 1000)).toBe(0);
    expect(burst(limit, "b", START + 1400)).toBe(1);
  });

  it("gives invalid keys one shared bucket, so that they fill no memory and affect no other key", () => {
    const limit = createRateLimit({ perSecond: 3, bucketsMax: 1000 });
    expect(burst(limit, "x".repeat(257), START)).toBe(3);
    expect(burst(limit, "y".repeat(60_000), START)).toBe(0);
    expect(burst(limit, "", START)).toBe(0);
    expect(burst(limit, "x".repeat(256), START)).toBe(3);
  });

  it("allows no key more than its rate, whatever other keys do", () => {
    const keys = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const events = fc.array(fc.record({ key: keys, stepMs: fc.integer({ min: 0, max: 400 }) }), { maxLength: 100 });
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 5), fc.integer({ min: 0, max: 4 }), events, (perSecond, bucketsMax, list) => {
        const limit = createRateLimit({ perSecond, bucketsMax });
        const taken = new Map<string, number[]>();
        let nowMs = START;
        for (const { key, stepMs } of list) {
          nowMs += stepMs;
          if (!limit.take(key, nowMs).allowed) continue;
          const times = [...(taken.get(key) ?? []), nowMs];
          taken.set(key, times);
          // In any stretch of time: its length's worth and one full bucket.
          for (const [index, sinceMs] of times.entries()) {
            const count = times.length - index;
            expect(count).toBeLessThanOrEqual(perSecond + ((nowMs - sinceMs) * perSecond) / 1000 + 1e-6);
          }
        }
      }),
    );
  });
});

describe("takeFromAll", () => {
  const claimsOn = (site: RateLimit, address: RateLimit) => (siteId: string, clientAddress: string, nowMs: number) =>
    takeFromAll(
      [
        { limit: site, key: siteId },
        { limit: address, key: clientAddress },
      ],
      nowMs,
    );

  it("takes a token from both limits when both allow the event", () => {
    const [site, address] = [createRateLimit({ perSecond: 2, bucketsMax: 10 }), createRateLimit({ perSecond: 3, bucketsMax: 10 })];
    const take = claimsOn(site, address);
    expect(take("s", "1", START)).toEqual({ allowed: true });
    expect(take("s", "1", START)).toEqual({ allowed: true });
    expect(take("s", "1", START)).toEqual({ allowed: false, retryAfterSecs: 1 });
    expect(burst(address, "1", START)).toBe(1);
  });

  it("takes no token when one limit rejects the event", () => {
    const [site, address] = [createRateLimit({ perSecond: 5, bucketsMax: 10 }), createRateLimit({ perSecond: 1, bucketsMax: 10 })];
    const take = claimsOn(site, address);
    expect(take("s", "1", START)).toEqual({ allowed: true });
    for (let i = 0; i < 50; i++) expect(take("s", "1", START).allowed).toBe(false);
    expect(burst(site, "s", START)).toBe(4);
  });

  it("takeFromAll returns the longest wait of all buckets", () => {
    const [site, address] = [createRateLimit({ perSecond: 0.1, bucketsMax: 10 }), createRateLimit({ perSecond: 1, bucketsMax: 10 })];
    const take = claimsOn(site, address);
    take("s", "1", START);
    expect(take("s", "1", START)).toEqual({ allowed: false, retryAfterSecs: 10 });
  });

  it("allows every event when no limit is set", () => {
    const off = createRateLimit({ perSecond: 0, bucketsMax: 10 });
    for (let i = 0; i < 100; i++) expect(claimsOn(off, off)("s", "1", START)).toEqual({ allowed: true });
    expect(takeFromAll([], START)).toEqual({ allowed: true });
  });
});

/** As a request that came from that address counts. */
const networkFrom = (socketAddress: string): string =>
  rateLimitKeyOf(clientAddressOf({ socketAddress, forwardedFor: null, trustedProxies: 0 }));

describe("the rate limit key", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:DB8:0001:0002::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8::2:0:0:0:1", "2001:db8:0:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["", ""],
  ])("of %s is %s", (address, network) => {
    expect(networkFrom(address)).toBe(network);
  });

  it("is equal for two IPv6 addresses if and only if their first 64 bits are", () => {
    const half = fc.array(fc.oneof(fc.constantFrom(0, 1, 0xffff), fc.nat(0xffff)), { minLength: 4, maxLength: 4 });
    const written = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(":");
    const isMapped = (groups: readonly number[]): boolean => groups.slice(0, 6).every((group, i) => group === (i === 5 ? 0xffff : 0));
    fc.assert(
      fc.property(half, half, half, half, (network, host, otherNetwork, otherHost) => {
        fc.pre(![host, otherHost].some((last) => isMapped([...network, ...last])) && !isMapped([...otherNetwork, ...host]));
        const from = networkFrom(written([...network, ...host]));
        expect(networkFrom(written([...network, ...otherHost]))).toBe(from);
        expect(networkFrom(written([...otherNetwork, ...host])) === from).toBe(written(otherNetwork) === written(network));
      }),
    );
  });
});

describe("the wide network", () => {
  it.each([
    ["192.0.2.7", "192.0.0.0/16"],
    ["198.51.100.1", "198.51.0.0/16"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8::/32"],
    ["2001:db8::1", "2001:db8::/32"],
    ["::1", "0:0::/32"],
    ["", ".0.0/16"],
  ])("of %s is %s", (address, network) => {
    expect(wideNetworkOf(address)).toBe(network);
  });
});
