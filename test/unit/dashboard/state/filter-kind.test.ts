/** What filters select: visitors whole, single events, or the conversions of a goal. */
import { describe, expect, it } from "vitest";
import { filterKindOf, hasEvent, withoutEventFilters } from "../../../../dashboard/state/filter-kind.ts";
import { parseFilters, printFilters } from "../../../../dashboard/state/filters.ts";

describe("filters", () => {
  it.each([
    [null, "visitors"],
    ["countries==DE", "visitors"],
    ["countries!=DE;browsers==Firefox;os!=iOS;devices==mobile", "visitors"],
    ["pages==/pricing", "events"],
    ["pages!=/pricing", "events"],
    ["sources==Google", "events"],
    ["utm-campaigns==spring", "events"],
    ["screen-sizes==1440", "events"],
    ["countries==DE;hostnames==shop.example", "events"],
    ["events!=Signup", "events"],
    ["events==pageview", "events"],
    ["nonsense==1", "events"],
    ["events==Signup", "goal"],
    ["pages==/pricing;countries==DE;events==Signup", "goal"],
  ] as const)("%s select %s", (text, kind) => {
    expect(filterKindOf(parseFilters(text))).toBe(kind);
  });

  it("on events are left out of the share's whole", () => {
    expect(printFilters(withoutEventFilters(parseFilters("pages==/;events==Signup;events!=Login")))).toBe("pages==/");
    expect(printFilters(withoutEventFilters(parseFilters("events==Signup")))).toBeNull();
  });

  it.each([
    ["events==Signup", "Signup", true],
    ["events==Signup", "Login", false],
    ["events!=Signup", "Signup", false],
    ["events!=Signup", "Login", true],
    ["countries==DE", "Login", true],
    ["events==Login;events!=Signup", "Login", true],
  ] as const)("%s: whether %s is left is %s", (text, name, isLeft) => {
    expect(hasEvent(parseFilters(text), name)).toBe(isLeft);
  });
});
