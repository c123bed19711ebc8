/** Where a request comes from: which header entries count, and how addresses are written. */
import { isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientAddressOf, forwardedEntry } from "../../../src/handlers/origins.ts";

const SOCKET = "198.51.100.1";

const behind = (trustedProxies: number, forwardedFor: string | null) =>
  clientAddressOf({ socketAddress: SOCKET, forwardedFor, trustedProxies });

describe("the client address without a trusted proxy", () => {
  it.each([null, "", "1.2.3.4", "1.2.3.4, 5.6.7.8"])("ignores X-Forwarded-For %j", (forwardedFor) => {
    expect(behind(0, forwardedFor)).toBe(SOCKET);
  });

  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:192.0.2.7", "192.0.2.7"],
    ["::ffff:c000:207", "192.0.2.7"],
    ["0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"],
    ["::ffff:0.0.0.1", "0.0.0.1"],
    ["::ffff:255.255.255.255", "255.255.255.255"],
    ["2001:DB8::A", "2001:db8::a"],
    ["2001:db8:0:0:0:0:0:1", "2001:db8::1"],
    ["::1", "::1"],
    ["::192.0.2.7", "::c000:207"],
    ["fe80::1%eth0", "fe80::1%eth0"],
    ["", ""],
  ])("is normalized from %s to %s", (socketAddress, expected) => {
    expect(clientAddressOf({ socketAddress, forwardedFor: null, trustedProxies: 0 })).toBe(expected);
  });
});

describe("the client address behind trusted proxies", () => {
  it.each([
    [1, "203.0.113.9", "203.0.113.9"],
    [1, "1.1.1.1, 203.0.113.9", "203.0.113.9"],
    [2, "1.1.1.1, 203.0.113.9, 10.0.0.1", "203.0.113.9"],
    [3, "203.0.113.9,10.0.0.2,10.0.0.1", "203.0.113.9"],
    [1, "  203.0.113.9\t", "203.0.113.9"],
    [1, "203.0.113.9:51234", "203.0.113.9"],
    [1, "2001:DB8::9", "2001:db8::9"],
    [1, "[2001:db8::9]", "2001:db8::9"],
    [1, "[2001:db8::9]:443", "2001:db8::9"],
    [1, "::ffff:203.0.113.9", "203.0.113.9"],
    [1, "[::ffff:203.0.113.9]:80", "203.0.113.9"],
  ])("with %d trusted proxies and %j is %s", (trustedProxies, forwardedFor, expected) => {
    expect(behind(trustedProxies, forwardedFor)).toBe(expected);
  });

  it.each([
    [1, null],
    [1, ""],
    [1, " "],
    [1, ","],
    [1, "203.0.113.9,"],
    [1, "1.1.1.1, unknown"],
    [1, "_hidden"],
    [1, "203.0.113"],
    [1, "203.0.113.9.1"],
    [1, "203.0.113.256"],
    [1, "203.0.113.09"],
    [1, "0xcb007109"],
    [1, "3405803785"],
    [1, "203.0.113.9:"],
    [1, "203.0.113.9:123456"],
    [1, "203.0.113.9 evil"],
    [1, "2001:db8::9::1"],
    [1, "[2001:db8::9"],
    [1, "2001:db8::9]"],
    [1, "[]"],
    [1, "::g"],
    [1, "fe80::1%eth0"],
    [1, "::1]/@evil.example/["],
    [1, "localhost"],
    [1, "\u0000"],
    [1, "1".repeat(100_000)],
    [2, "203.0.113.9"],
    [3, "203.0.113.9, 10.0.0.1"],
    [1000, "203.0.113.9"],
  ])("with %d trusted proxies and %j is the socket's address", (trustedProxies, forwardedFor) => {
    expect(behind(trustedProxies, forwardedFor)).toBe(SOCKET);
  });

  it("is independent of the entries that the sender wrote", () => {
    const anything = fc.string({ unit: fc.constantFrom("1", ".", ":", ",", " ", "[", "]", "a", "%") });
    fc.assert(
      fc.property(anything, (spoofed) => {
        expect(behind(1, `${spoofed}, 203.0.113.9`)).toBe("203.0.113.9");
      }),
    );
  });

  it("is parsed from every valid address into one form", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const found = behind(1, address);
        expect(isIP(found)).not.toBe(0);
        expect(found).toBe(found.toLowerCase());
        expect(behind(1, found)).toBe(found);
        expect(behind(1, address.toUpperCase())).toBe(found);
      }),
    );
  });

  it("is parsed from nothing but an address", () => {
    const nearMisses = fc.string({ unit: fc.constantFrom("1", "25", ".", ":", "::", "f", "[", "]", "0", "g"), maxLength: 12 });
    fc.assert(
      fc.property(nearMisses, (text) => {
        expect(isIP(behind(1, text))).not.toBe(0);
      }),
    );
  });
});

describe("the entry of the outermost trusted proxy", () => {
  it.each([
    ["https", 1, "https"],
    ["https, http", 1, "http"],
    ["https, http", 2, "https"],
    ["https, http", 3, null],
    ["", 1, ""],
    ["", 2, null],
    [",", 2, ""],
    [",", 3, null],
    [" a ,\tb ", 2, "a"],
  ])("in %j with %d proxies is %j", (header, trustedProxies, entry) => {
    expect(forwardedEntry(header, trustedProxies)).toBe(entry);
  });

  it("is counted from the end, whatever precedes it", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(",", " ", "a", "1") }), fc.integer({ min: 1, max: 8 }), (header, trustedProxies) => {
        expect(forwardedEntry(header, trustedProxies)).toBe(header.split(",").at(-trustedProxies)?.trim() ?? null);
      }),
    );
  });
});
