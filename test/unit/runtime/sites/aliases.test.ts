import { describe, expect, it } from "vitest";
import { EARLIER_TAG_ID_CHARS_MAX, UNKNOWN_ALIASES_MAX } from "../../../../src/runtime/base/config/limits.ts";
import { parseAlias, sitesByAlias, UnknownAliases } from "../../../../src/runtime/sites/aliases.ts";
import type { SiteId } from "../../../../src/storage/event.ts";

describe("ids in tags of other products", () => {
  it.each([
    ["umami:0B1B-3f5a", "umami:0b1b-3f5a"],
    ["GoatCounter:Shop.Example", "goatcounter:shop.example"],
    ["matomo:7", "matomo:7"],
    ["matomo:", null],
    ["matomo:7:8", null],
    ["matomo:a b", null],
    ["plausible:a", null],
    [`umami:${"x".repeat(EARLIER_TAG_ID_CHARS_MAX)}`, `umami:${"x".repeat(EARLIER_TAG_ID_CHARS_MAX)}`],
    [`umami:${"x".repeat(EARLIER_TAG_ID_CHARS_MAX + 1)}`, null],
  ])("%s is the alias %s", (text, alias) => {
    expect(parseAlias(text)).toBe(alias);
  });

  it("belong to the first site that has them, where nodes of a cluster have set two", () => {
    const sites = sitesByAlias([
      ["a.test" as SiteId, ["matomo:1"]],
      ["b.test" as SiteId, ["matomo:1", "matomo:2"]],
    ]);
    expect([...sites]).toEqual([
      ["matomo:1", "a.test"],
      ["matomo:2", "b.test"],
    ]);
  });

  it("are counted while no site has them, the latest first, up to a limit", () => {
    const unknown = new UnknownAliases();
    for (let id = 0; id <= UNKNOWN_ALIASES_MAX; id++) unknown.note(`matomo:${id}`, id);
    unknown.note("matomo:5", 99);
    const listed = unknown.listed();
    expect(listed).toHaveLength(UNKNOWN_ALIASES_MAX);
    expect(listed[0]).toEqual({ name: "matomo:5", count: 2, latestMs: 99 });
    expect(listed.map(({ name }) => name)).not.toContain("matomo:0");
  });
});
