/** Filters in the URL: how they are written and read, as the service does, and what a click on a value makes of them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canFilterBy, filterBy, parseFilters, passes, printFilters, refusalOf, withChoice } from "../../../../dashboard/state/filters.ts";
import { filterText, parseSegmentFilter } from "../../../../src/runtime/query/filters.ts";
import { compiledTest } from "../../../../src/runtime/query/text-matching.ts";
import { filterOf, OPERATORS, printFilter, type Filter } from "../../../../src/shared/filters.ts";

const is = (dimension: string, ...values: readonly string[]): Filter => filterOf(dimension, "in", false, values);
const isNot = (dimension: string, ...values: readonly string[]): Filter => filterOf(dimension, "in", true, values);

/** Texts in which the characters of the notation are frequent. */
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(..."a;,%()=!*/é\u{1F426}") }),
  fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }),
);

const filter: fc.Arbitrary<Filter> = fc
  .record({
    dimension: fc.oneof(
      fc.constantFrom("pages", "utm-terms", "entry-page", "exit-page", "goal", "events"),
      text.map((key) => `props:${key}`),
    ),
    // Not every text is a regular expression.
    operator: fc.constantFrom(...OPERATORS.filter((operator) => operator !== "matches")),
    isNot: fc.boolean(),
    values: fc.array(text, { minLength: 1, maxLength: 4 }),
  })
  .map(({ dimension, operator, isNot: negated, values }) => filterOf(dimension, operator, negated, values));

describe("filters of the dashboard", () => {
  it.each([
    [null, []],
    ["", []],
    ["sources==Google", [is("sources", "Google")]],
    ["utm-terms!=a=b;pages==/x?y", [isNot("utm-terms", "a=b"), is("pages", "/x?y")]],
    ["sources=Google;pages==/", [is("pages", "/")]],
    ["countries=in=(FR,DE,DE)", [is("countries", "DE", "FR")]],
    ["countries=!in=(DE,FR)", [isNot("countries", "DE", "FR")]],
    ["pages=contains=docs", [filterOf("pages", "contains", false, ["docs"])]],
    ["pages=!matches=(^/a,b%2C%29$)", [filterOf("pages", "matches", true, ["^/a", "b,)$"])]],
    ["pages=matches=(a|b)", [filterOf("pages", "matches", false, ["(a|b)"])]],
    ["props:==pro", [is("props:", "pro")]],
    ["props:a%3Db==c%3D", [is("props:a=b", "c%3D")]],
    ["pages==a,b", [is("pages", "a,b")]],
    ["pages=nonsense=a;pages=in=;pages=in=();pages=begins=%;os==iOS", [is("os", "iOS")]],
  ])("%j is read as %j", (written, filters) => {
    expect(parseFilters(written)).toEqual(filters);
  });

  it("a list of expressions with single brackets is written so that the service reads the same list", () => {
    const written = printFilters([filterOf("pages", "matches", false, ["\\(a", "\\[b", "c"])]);
    expect(written).toBe("pages=matches=(\\%28a,\\%5Bb,c)");
    expect(filterText(parseSegmentFilter(written))).toBe(written);
  });

  it("no filter is written as no parameter", () => {
    expect(printFilters([])).toBeNull();
  });

  it("whatever is written is read as it was, by the page and by the service, which writes the same text", () => {
    fc.assert(
      fc.property(filter, (each) => {
        const written = printFilter(each);
        expect(parseFilters(written)).toEqual([each]);
        expect(filterText(parseSegmentFilter(written))).toBe(written);
      }),
    );
  });

  it("several filters are told apart, whatever their values are", () => {
    fc.assert(
      fc.property(fc.array(filter, { maxLength: 12 }), (filters) => {
        expect(parseFilters(printFilters(filters))).toEqual(filters);
        const all = new Set(filters.map(printFilter));
        expect(new Set(parseSegmentFilter(printFilters(filters)).map((each) => filterText([each])))).toEqual(all);
      }),
    );
  });

  it("a value passes where it passes in the service", () => {
    const short = fc.string({ maxLength: 6, unit: fc.constantFrom(..."ab*") });
    fc.assert(
      fc.property(
        fc.constantFrom("in", "contains", "begins", "like"),
        fc.array(short, { minLength: 1, maxLength: 3 }),
        short,
        (operator, values, value) => {
          const isMet = compiledTest({ kind: operator === "in" ? "is" : operator, values })(value);
          expect(passes(filterOf("events", operator, false, values), value)).toBe(isMet);
          expect(passes(filterOf("events", operator, true, values), value)).toBe(!isMet);
        },
      ),
    );
  });

  it.each([["x".repeat(513), "Longer than the 512 characters of a filter: filter by how it begins"]])(
    "a value that the API cannot take is not offered as a filter, and says why",
    (value, refusal) => {
      expect(canFilterBy(value)).toBe(false);
      expect(refusalOf(value)).toContain(refusal);
    },
  );

  it("the empty value is filtered by with a regular expression, which the API takes, and cannot be typed", () => {
    expect(refusalOf("")).toBeNull();
    expect(canFilterBy("")).toBe(false);
    expect(printFilters([filterBy("props:plan", ""), filterBy("props:plan", "", true)])).toBe(
      "props:plan=matches=^$;props:plan=!matches=^$",
    );
    expect(parseFilters("props:plan=matches=^$")).toEqual([filterBy("props:plan", "")]);
  });

  it("a click on the empty value filters by it alone, takes the place of other values, and undoes itself", () => {
    const [empty, notEmpty, pro] = [filterBy("props:plan", ""), filterBy("props:plan", "", true), filterBy("props:plan", "pro")];
    const other = filterBy("props:size", "");
    expect(withChoice([pro, other], "props:plan", "", "only")).toEqual([other, empty]);
    expect(withChoice([empty, other], "props:plan", "pro", "only")).toEqual([other, pro]);
    expect(withChoice([empty, other], "props:plan", "pro", "also")).toEqual([other, pro]);
    expect(withChoice([empty, other], "props:plan", "", "only")).toEqual([other]);
    expect(withChoice([empty], "props:plan", "", "not")).toEqual([notEmpty]);
    expect(withChoice([notEmpty, pro], "props:plan", "", "not")).toEqual([pro]);
    expect(withChoice([notEmpty], "props:plan", "pro", "not")).toEqual([notEmpty, filterBy("props:plan", "pro", true)]);
  });

  it("the length of a value counts characters as the API does", () => {
    expect(refusalOf("\u{1F426}".repeat(512))).toBeNull();
    expect(refusalOf("\u{1F426}".repeat(513))).not.toBeNull();
  });

  it("a value with a semicolon can be filtered by", () => {
    expect(canFilterBy("a;b")).toBe(true);
    expect(printFilters([filterBy("utm-terms", "a;b")])).toBe("utm-terms=in=a%3Bb");
  });
});

describe("a click on a value", () => {
  const before = [is("sources", "Google"), isNot("os", "Windows")];

  it("a click adds a filter, and a second one removes it", () => {
    const added = withChoice(before, "pages", "/", "only");
    expect(added).toEqual([...before, is("pages", "/")]);
    expect(withChoice(added, "pages", "/", "only")).toEqual(before);
  });

  it("a click replaces the other values of its dimension, and keeps excluded ones", () => {
    expect(withChoice([is("sources", "Bing", "Google"), isNot("sources", "Yahoo")], "sources", "Reddit", "only")).toEqual([
      isNot("sources", "Yahoo"),
      is("sources", "Reddit"),
    ]);
  });

  it("a Shift-click adds to the values of the filter, and removes from them", () => {
    const added = withChoice(before, "sources", "Bing", "also");
    expect(added).toEqual([is("sources", "Bing", "Google"), isNot("os", "Windows")]);
    expect(withChoice(added, "sources", "Google", "also")).toEqual([is("sources", "Bing"), isNot("os", "Windows")]);
    expect(withChoice(before, "pages", "/", "also")).toEqual([...before, is("pages", "/")]);
  });

  it("an Alt-click excludes the value, together with others, and removes it from the chosen values", () => {
    expect(withChoice(before, "os", "iOS", "not")).toEqual([is("sources", "Google"), isNot("os", "Windows", "iOS")]);
    expect(withChoice(before, "sources", "Google", "not")).toEqual([isNot("os", "Windows"), isNot("sources", "Google")]);
    expect(withChoice(before, "os", "Windows", "not")).toEqual([is("sources", "Google")]);
    expect(withChoice(before, "os", "Windows", "only")).toEqual([is("sources", "Google"), is("os", "Windows")]);
  });

  it("a click leaves conditions with other operators alone", () => {
    const docs = filterOf("pages", "contains", false, ["docs"]);
    expect(withChoice([docs], "pages", "docs", "only")).toEqual([docs, is("pages", "docs")]);
  });
});
