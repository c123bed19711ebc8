/** Which requests are verified to come from the company whose crawler they claim to be. */
import { describe, expect, it } from "vitest";
import { crawlersNamed, crawlerVerifier, networksIn, VERIFIES_NONE } from "../../../../src/runtime/bots/crawler-addresses.ts";

const listOf = (...networks: string[]): string =>
  JSON.stringify({
    creationTime: "2026-03-01T00:00:00.000000",
    prefixes: networks.map((network) => (network.includes(":") ? { ipv6Prefix: network } : { ipv4Prefix: network })),
  });

describe("a list of the addresses of a crawler", () => {
  it("verifies that crawler in its networks, and no other crawler or address", () => {
    const verifies = crawlerVerifier(new Map([["gptbot", networksIn(listOf("192.0.2.0/28", "198.51.100.7", "2001:db8:1::/48"))]]));
    const inside = [
      "192.0.2.0",
      "192.0.2.15",
      "198.51.100.7",
      "2001:db8:1:ffff::1",
      "::ffff:192.0.2.1",
      "::FFFF:c000:201",
      "0:0:0:0:0:ffff:192.0.2.1",
    ];
    expect(inside.map((address) => verifies("GPTBot", address))).toEqual(inside.map(() => true));
    expect(inside.map((address) => verifies("ChatGPT-User", address))).toEqual(inside.map(() => false));
    const outside = [
      "192.0.2.16",
      "198.51.100.6",
      "2001:db8:2::1",
      "192.0.2.1, 192.0.2.2",
      "",
      "example.com",
      "0300.0.2.1",
      "::ffff:198.51.100.6",
      null,
    ];
    expect(outside.map((address) => verifies("GPTBot", address))).toEqual(outside.map(() => false));
  });

  it("verifies all crawlers of an operator after which it is named, beside their own lists", () => {
    const lists = new Map([
      ["OpenAI", networksIn(listOf("192.0.2.0/24"))],
      ["GPTBot", networksIn(listOf("198.51.100.0/24"))],
    ]);
    const verifies = crawlerVerifier(lists);
    expect(["GPTBot", "ChatGPT-User", "ClaudeBot"].map((name) => verifies(name, "192.0.2.1"))).toEqual([true, true, false]);
    expect(["GPTBot", "ChatGPT-User", "ClaudeBot"].map((name) => verifies(name, "198.51.100.1"))).toEqual([true, false, false]);
    expect([crawlersNamed("mistral ai").length > 1, crawlersNamed("searchbot"), crawlersNamed("")]).toEqual([true, [], []]);
  });

  it("has the form in which operators publish theirs", () => {
    const form = /the form \{"prefixes":/;
    for (const text of ["", "[]", "null", '{"prefixes":{}}', '{"prefixes":[]}', '{"prefixes":[7]}', '{"prefixes":[{"ip":"192.0.2.1"}]}']) {
      expect(() => networksIn(text)).toThrow(form);
    }
    for (const network of ["192.0.2.0/33", "192.0.2", "example.com", ""])
      expect(() => networksIn(listOf(network))).toThrow("is no network");
    const both = {
      prefixes: [
        { ipv4Prefix: "192.0.2.0/24", ipv6Prefix: "2001:db8::/32" },
        { ipv4Prefix: null, ipv6Prefix: "2001:db9::/32" },
      ],
    };
    expect(networksIn(JSON.stringify(both))).toHaveLength(3);
  });

  it("has no networks that are wider than those of any company", () => {
    expect(networksIn(listOf("17.0.0.0/8", "2001::/16"))).toHaveLength(2);
    for (const network of ["0.0.0.0/0", "17.0.0.0/7", "::ffff:0:0/96", "::/0", "2001::/15"])
      expect(() => networksIn(listOf(network))).toThrow(/is wider than \/(?:8|16)$/);
  });

  it("does not exist by default: nothing is verified", () => {
    expect([VERIFIES_NONE("GPTBot", "192.0.2.1"), crawlerVerifier(new Map())("GPTBot", "192.0.2.1")]).toEqual([false, false]);
  });
});
