import { describe, expect, it } from "vitest";
import { parseUrl, resolveUrl } from "../../../../src/runtime/ingest/urls.ts";
import { URL_HOST_CHARS_MAX } from "../../../../src/runtime/base/config/limits.ts";
import { GROWTH_MAX, growthOf } from "../../../support/growth.ts";

it("parseUrl returns the same result however often it was called before", () => {
  for (let calls = 0; calls < 200_000; calls++) parseUrl(`https://page.example/${calls % 10}`);
  expect(parseUrl("https://münchen.example/ü")?.href).toBe("https://xn--mnchen-3ya.example/%C3%BC");
  expect(parseUrl("münchen.example")).toBeNull();
});

describe("the host of a URL", () => {
  const hostOf = (length: number) => `${"a".repeat(length - 4)}.com`;
  const credentials = "user:password@";

  it.each([
    ["https://", ""],
    ["https:///", "/a"],
    ["https:", "?a"],
    ["https:\\\\", "\\a"],
    ["https:/\t/", "#a"],
    [" \nhttps://", ":443/"],
    [`https://${credentials}`, "/"],
  ])("between %j and %j may be as long as the limit, and no longer", (before, behind) => {
    const beside = (before.includes("@") ? credentials.length : 0) + (behind.startsWith(":") ? 4 : 0);
    const longest = URL_HOST_CHARS_MAX - beside;
    expect(parseUrl(`${before}${hostOf(longest)}${behind}`)?.hostname).toBe(hostOf(longest));
    expect(parseUrl(`${before}${hostOf(longest + 1)}${behind}`)).toBeNull();
  });

  it("the host of a URL is bounded whatever follows it", () => {
    for (const behind of ["/", "?", "#"]) expect(parseUrl(`https://a.test${behind}${"a".repeat(5_000)}`)?.hostname).toBe("a.test");
    expect(parseUrl(`https://a.test/${"@".repeat(5_000)}`)?.hostname).toBe("a.test");
    expect(parseUrl(`android-app://com.example/${"a".repeat(5_000)}`)?.hostname).toBe("com.example");
  });
});

it("resolveUrl resolves a reference whose host, if any, is at most as long as the limit", () => {
  const base = new URL("https://a.test/b/c");
  for (const [reference, href] of [
    ["d?e", "https://a.test/b/d?e"],
    ["//d.test/e", "https://d.test/e"],
    [" \t/\\d.test", "https://d.test/"],
    ["http://d.test", "http://d.test/"],
    [`/d?e=f:${"g".repeat(URL_HOST_CHARS_MAX + 1)}`, `https://a.test/d?e=f:${"g".repeat(URL_HOST_CHARS_MAX + 1)}`],
    [`/${"d".repeat(URL_HOST_CHARS_MAX + 1)}`, `https://a.test/${"d".repeat(URL_HOST_CHARS_MAX + 1)}`],
  ] as const)
    expect(resolveUrl(reference, base)?.href).toBe(href);
  const long = "d".repeat(URL_HOST_CHARS_MAX + 1);
  for (const reference of [`//${long}`, `http://${long}/e`, `\0 /\t\\${long}`, `//${long}?e`, `\t ht\ntp:/\t/${long}`, "http://", "//["])
    expect(resolveUrl(reference, base)).toBeNull();
});

describe("the cost of parseUrl", () => {
  const distinct = (length: number): string => Array.from({ length }, (_, i) => String.fromCodePoint(0x4e00 + (i % 20_000))).join("");

  it.each<[string, (length: number) => string]>([
    ["of a host of different characters", (length) => `http://${distinct(length / 4)}/`],
    ["of such a host with escapes", (length) => `http://${encodeURIComponent(distinct(length / 4))}/`],
    ["of a host in Punycode", (length) => `http://xn--${"a".repeat(length / 2)}-${"a".repeat(length / 2)}.test/`],
    ["of such a host with tabs in it", (length) => `http:/\t/x\tn--${"a".repeat(length / 2)}-${"a".repeat(length / 2)}.test/`],
    ["of a path", (length) => `http://a.test/${distinct(length)}`],
    ["of steps up in a path", (length) => `http://a.test/${"a/../".repeat(length / 5)}`],
    ["of a query", (length) => `http://a.test/?${distinct(length)}`],
    ["of credentials", (length) => `http://${"@".repeat(length)}a.test/`],
    ["of what is no URL", (length) => "a/".repeat(length / 2)],
    ["of what is no URL, with slashes", (length) => `http:${"/\t".repeat(length / 2)}`],
  ])("is linear in the length %s", async (_, textOf) => {
    const [small, large] = [textOf(16_000), textOf(64_000)];
    expect(
      await growthOf(
        () => parseUrl(small),
        () => parseUrl(large),
      ),
    ).toBeLessThan(GROWTH_MAX);
  });
});
