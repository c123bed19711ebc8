/** Filters in the URL: how they are written, read and toggled. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canFilterBy, parseFilters, printFilters, toggled, type Filter } from "../../../../dashboard/state/filters.ts";

const is = (dimension: string, value: string): Filter => ({ dimension, isNot: false, value });
const isNot = (dimension: string, value: string): Filter => ({ dimension, isNot: true, value });

describe("filters of the dashboard", () => {
  it.each([
    [null, []],
    ["", []],
    ["sources==Google", [is("sources", "Google")]],
    ["utm-terms!=a=b;pages==/x?y", [isNot("utm-terms", "a=b"), is("pages", "/x?y")]],
    ["sources=Google;pages==/", [is("pages", "/")]],
  ])("%j is read as %j", (text, filters) => {
    expect(parseFilters(text)).toEqual(filters);
  });

  it("no filter is written as no parameter", () => {
    expect(printFilters([])).toBeNull();
  });

  it("whatever can be filtered by is read as it was written", () => {
    const value = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => canFilterBy(text));
    const filter = fc.record({ dimension: fc.constantFrom("pages", "utm-terms", "os"), isNot: fc.boolean(), value });
    fc.assert(
      fc.property(fc.array(filter), (filters) => {
        expect(parseFilters(printFilters(filters))).toEqual(filters);
      }),
    );
  });

  it("a toggled filter is added, and removed when toggled again", () => {
    const before = [is("sources", "Google"), isNot("os", "Windows")];
    const added = toggled(before, is("pages", "/"));
    expect(added).toEqual([...before, is("pages", "/")]);
    expect(toggled(added, is("pages", "/"))).toEqual(before);
  });

  it("a toggled filter replaces the other value of its dimension, and keeps what is excluded", () => {
    const before = [is("sources", "Google"), isNot("sources", "Bing")];
    expect(toggled(before, is("sources", "Reddit"))).toEqual([isNot("sources", "Bing"), is("sources", "Reddit")]);
    expect(toggled(before, isNot("sources", "Reddit"))).toEqual([...before, isNot("sources", "Reddit")]);
  });

  it.each([["a;b"], ["x".repeat(513)]])("a value that the API cannot take is not offered as a filter", (value) => {
    expect(canFilterBy(value)).toBe(false);
  });
});
