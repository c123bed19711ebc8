/** How values of dimensions are shown: readable, and leading back to what is stored. */
import { describe, expect, it, vi } from "vitest";
import { filterBy } from "../../../../dashboard/state/filters.ts";

const { formatValue } = await import("../../../../dashboard/format/dimensions.ts");
const { loadSpelling } = await import("../../../../dashboard/state/spelling.ts");
const { searchParameters } = await import("../../../../dashboard/cards/details-names.ts");
vi.unstubAllGlobals();
await loadSpelling();

describe("values of dimensions", () => {
  it.each([
    ["pages", "/caf%C3%A9", "/café"],
    ["entry-pages", "/%E6%A9%9F%E8%83%BD", "/機能"],
    ["exit-pages", "/a%20b", "/a b"],
    ["pages", "/a%E2%80%AEb", "/a%E2%80%AEb"],
    ["pages", "/a%0Ab", "/a%0Ab"],
    ["pages", "(unknown)", "Unknown"],
    ["hostnames", "xn--bcher-kva.example", "bücher.example"],
    ["sources", "xn--bcher-kva.example", "bücher.example"],
    ["sources", "Google", "Google"],
    ["referrers", "https://xn--bcher-kva.example:8080/caf%C3%A9?q=%C3%A9", "https://bücher.example:8080/café?q=é"],
    ["referrers", "android-app://com.example.app/", "android-app://com.example.app/"],
    ["os-versions", "10.15", "10.15 or later"],
    ["os-versions", "10", "10 or later"],
    ["browser-versions", "10", "10"],
  ] as const)("of %s, %s is shown as %s", (dimension, value, label) => {
    expect(formatValue(dimension, value)).toBe(label);
  });

  it("a version stands beside its system, with what it can mean", () => {
    expect(formatValue("os-versions", "10", [filterBy("os", "Windows")])).toBe("Windows 10 or 11");
    expect(formatValue("os-versions", "8.1", [filterBy("os", "Windows")])).toBe("Windows 8.1");
    expect(formatValue("browser-versions", "147", [filterBy("browsers", "Chrome")])).toBe("Chrome 147");
  });

  it("the search of pages and hosts sends what was typed, which the service normalizes", () => {
    expect(searchParameters("pages", "café", [])).toMatchObject({ search: "café" });
    expect(searchParameters("hostnames", "bücher", [])).toMatchObject({ search: "bücher" });
  });
});
