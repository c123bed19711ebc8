/** What an address counts as where limits go by addresses. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientAddressOf } from "../../../../src/handlers/forwarded-headers.ts";
import { rateLimitKeyOf, wideNetworkOf } from "../../../../src/runtime/base/rate-limit-key.ts";

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

  it("of two IPv6 addresses is the same if and only if their first 64 bits are", () => {
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
