/** Exclusions: what they match, and that nothing is prepared for what is not excluded. */
import { describe, expect, it } from "vitest";
import { parsePageUrl } from "../../../../src/runtime/ingest/urls.ts";
import { exclusionsOf } from "../../../../src/runtime/sites/exclusions.ts";
import { DEFAULT_SETTINGS } from "../../../../src/runtime/sites/site-settings.ts";
import { parseSettings } from "../../../../src/runtime/sites/site-settings.ts";

const excludes = (pattern: string, url: string): boolean =>
  exclusionsOf(parseSettings({ excluded_paths: [pattern] }))?.hasPage?.(parsePageUrl(url, DEFAULT_SETTINGS).pathname, null) ?? false;

describe("exclusions", () => {
  it("are null without entries, and contain only non-empty parts", () => {
    expect(exclusionsOf(DEFAULT_SETTINGS)).toBeNull();
    const { hasPage, hasAddress, hasCountry, hasNetwork, hasReferrer } = exclusionsOf(parseSettings({ excluded_countries: ["de"] })) ?? {};
    expect([hasPage, hasAddress, hasNetwork, hasReferrer, hasCountry?.("DE"), hasCountry?.("AT")]).toEqual([
      null,
      null,
      null,
      null,
      true,
      false,
    ]);
  });

  it.each([
    ["/admin", "https://a.test/admin", true],
    ["/admin", "https://a.test/admin/", true],
    ["/admin/", "https://a.test/admin?x=1#y", true],
    ["/admin", "https://a.test/Admin", false],
    ["/admin", "https://a.test/admin/users", false],
    ["/admin*", "https://a.test/administration/users", true],
    ["/admin/*", "https://a.test/admin", false],
    ["/*/draft", "https://a.test/blog/2026/draft", true],
    ["/*/draft", "https://a.test/draft", false],
    ["/", "https://a.test", true],
    ["/", "https://a.test/x", false],
    ["/*", "https://a.test/anything", true],
    ["/größe *", "https://a.test/gr%C3%B6%C3%9Fe%2010", true],
    ["/gr%C3%B6%C3%9Fe*", "https://a.test/größe", true],
    ["/a.c", "https://a.test/abc", false],
    ["//x", "https://a.test//x", true],
  ])("by path: %s of %s is %s", (pattern, url, isExcluded) => {
    expect(excludes(pattern, url)).toBe(isExcluded);
  });
});
