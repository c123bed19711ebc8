/** Tests of a text: what each kind matches, lower case, and that no value or text makes them slow. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compiledTest, lowerCase, problemOfExpression, type TextTestKind } from "../../../../src/runtime/query/text-matching.ts";
import { character } from "../../../support/character.ts";
import { growthOf, GROWTH_MAX, repeated, SIZE_RATIO, type Work } from "../../../support/growth.ts";

const passes = (kind: TextTestKind, values: readonly string[], text: string): boolean => compiledTest({ kind, values })(text);

describe("a test of a text", () => {
  it.each<[kind: TextTestKind, value: string, passing: string[], failing: string[]]>([
    ["is", "/a", ["/a"], ["/A", "/a/", "/", ""]],
    ["contains", "a*", ["a*", "ba*c"], ["a", "ab", "A*", ""]],
    ["contains", "", ["", "a"], []],
    ["begins", "/a", ["/a", "/ab"], ["b/a", "/A", "/", ""]],
    ["like", "/a*", ["/a", "/a\nb"], ["b/a", "/A", "/", ""]],
    ["like", "/a.", ["/a."], ["/ab"]],
    ["matches", "^/a.$", ["/ab", "/a😀"], ["/a\n", "/abc", "/a"]],
    ["matches", "b|(?i)c", ["abc", "C"], ["B", ""]],
    ["matches", "^é$", ["é"], ["e\u0301"]],
    ["matches", "\\bkey\\b", ["a key!"], ["monkey", "éékeys"]],
    ["search", "ä(", ["xÄ(", "ä("], ["a(", "Ä"]],
  ])("%s %j", (kind, value, passing, failing) => {
    expect(passing.filter((text) => !passes(kind, [value], text))).toEqual([]);
    expect(failing.filter((text) => passes(kind, [value], text))).toEqual([]);
  });

  it.each<TextTestKind>(["is", "contains", "begins", "like", "matches", "search"])("%s passes with any of its values", (kind) => {
    expect(["a", "b", "c"].map((text) => passes(kind, ["c", "a"], text))).toEqual([true, false, true]);
    expect(passes(kind, [], "a")).toBe(false);
  });

  it("reports the error in an expression", () => {
    expect(["a+", "(?i)[[:alpha:]]\\pL", "(a{20}){20}"].map(problemOfExpression)).toEqual([null, null, null]);
    for (const large of ["((ab){30}){30}", "a{1001}", "(a{40}){40}", "(?:a|b){250}", "[a-z\\pL]{50}"])
      expect(problemOfExpression(large)).toBe("is too large: it repeats too much");
    for (const wrong of ["(", "a**", "[b-a]", "(?=a)", "(?<=a)", "(a)\\1", "(?P<a", "\\", "\\C", "\\p{Nope}"]) {
      expect(problemOfExpression(wrong), wrong).toMatch(/^is no regular expression in the syntax of RE2: ./);
    }
  });
});

describe("lower case", () => {
  it("is computed for each character by itself, and is the same for each sigma", () => {
    expect(["ÄÖÜ", "ΑΣ", "ΑΣ Α", "ς", "İ", "ẞ", "ß", "Ǆ", "𐐀", "K"].map(lowerCase)).toEqual([
      "äöü",
      "ασ",
      "ασ α",
      "σ",
      "i\u0307",
      "ß",
      "ß",
      "ǆ",
      "𐐨",
      "k",
    ]);
  });

  it("does not depend on surrounding characters, and is idempotent", () => {
    const odd = fc.constantFrom("Σ", "ς", "σ", "İ", "ẞ", "A", ".", "\u0307", "Å", "Ω");
    const text = fc.string({ unit: fc.oneof(character, odd), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(lowerCase(a + b)).toBe(lowerCase(a) + lowerCase(b));
        expect(lowerCase(lowerCase(a))).toBe(lowerCase(a));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the time of a test", () => {
  const EXPRESSIONS = [
    "^(a+)+$",
    "(a|a)*b",
    "(a*)*c",
    "(.*)(.*)(.*)(.*)x$",
    "a?a?a?a?a?a?a?a?aaaaaaaab",
    "(?:a{0,30}){0,30}b",
    "[^b]*[^c]*d",
  ];

  it.each(EXPRESSIONS)("with the expression %s grows with the length of a text and no faster", async (expression) => {
    const test = compiledTest({ kind: "matches", values: [expression] });
    const matching = (length: number): Work => {
      const text = `${"a".repeat(length)}!`;
      return repeated(5, () => test(text));
    };
    expect(await growthOf(matching(2_000), matching(2_000 * SIZE_RATIO))).toBeLessThan(GROWTH_MAX);
  });

  it.each<TextTestKind>(["is", "contains", "begins", "like", "matches", "search"])(
    "%s grows with the number of values and texts",
    async (kind) => {
      const testing = (values: number, texts: number): Work => {
        const test = compiledTest({ kind, values: Array.from({ length: values }, (_, i) => `a${kind === "like" ? "*" : ""}b${i}`) });
        const many = Array.from({ length: texts }, (_, i) => `${"a".repeat(100)}${i}`);
        return () => many.filter(test);
      };
      const [small, manyValues, manyTexts] = [testing(8, 50), testing(8 * SIZE_RATIO, 50), testing(8, 50 * SIZE_RATIO)];
      expect(await growthOf(small, manyValues)).toBeLessThan(GROWTH_MAX);
      expect(await growthOf(small, manyTexts)).toBeLessThan(GROWTH_MAX);
    },
  );
});
