/** Wildcard patterns: what they match, and that no pattern or string makes matching slow. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WildcardPattern } from "../../../../../src/runtime/config/wildcard-pattern.ts";
import { StringDictionary } from "../../../../../src/runtime/engine/duckdb/string-dictionary.ts";
import { matchStrings, patternsOf } from "../../../../../src/runtime/engine/duckdb/wildcard-matches.ts";
import { growthOf, GROWTH_MAX, repeated, SIZE_RATIO, type Work } from "../../../../support/growth.ts";

/** The textbook's dynamic programme: whether each prefix of the text matches each prefix of the pattern. */
function matchesByTable(pattern: string, text: string): boolean {
  let row = Array.from({ length: text.length + 1 }, (_, i) => i === 0);
  for (const character of pattern) {
    const next = [character === "*" && row[0] === true];
    for (let i = 1; i <= text.length; i++) {
      next.push(character === "*" ? next[i - 1] === true || row[i] === true : row[i - 1] === true && text[i - 1] === character);
    }
    row = next;
  }
  return row[text.length] === true;
}

const fewLetters = fc.string({ unit: fc.constantFrom("a", "b", "/", "\n", "%", "_", "\\", ".", "é"), maxLength: 12 });
const patterns = fc.string({ unit: fc.constantFrom("a", "b", "/", "\n", "%", "_", "\\", ".", "é", "*", "*", "*"), maxLength: 10 });

describe("a wildcard pattern", () => {
  it("matches exactly what dynamic programming says, for any pattern and string", () => {
    fc.assert(
      fc.property(patterns, fewLetters, (pattern, text) => {
        expect(new WildcardPattern(pattern).matches(text)).toBe(matchesByTable(pattern, text));
      }),
      { numRuns: 20_000 },
    );
  });

  it("is case-sensitive, matches characters beyond 16 bits, and gives LIKE and regular expression syntax no meaning", () => {
    const matches = (pattern: string, text: string) => new WildcardPattern(pattern).matches(text);
    expect([matches("/a*", "/A"), matches("/*é", "/É"), matches("/*", "/😀\n😀"), matches("/😀*", "/😀"), matches("*", "")]).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect([
      matches("/a_", "/ab"),
      matches("/a%", "/ab"),
      matches("/a.", "/ab"),
      matches("/a_*", "/a_b"),
      matches("/ab*ba", "/aba"),
    ]).toEqual([false, false, false, true, false]);
  });

  it.each([
    ["no match at the end", (n: number) => [`/${"*a".repeat(n)}*b`, `/${"a".repeat(4 * n)}`] as const],
    ["no match at the beginning", (n: number) => [`b${"*a".repeat(n)}*`, `/${"a".repeat(4 * n)}`] as const],
    ["parts that almost match", (n: number) => [`*${"aab*".repeat(n)}c*`, "aab".repeat(2 * n)] as const],
  ])("takes time of at most pattern length times string length: %s", async (_, make) => {
    const matching = (n: number): Work => {
      const [pattern, text] = make(n);
      const compiled = new WildcardPattern(pattern);
      return repeated(50, () => expect(compiled.matches(text)).toBe(false));
    };
    // Pattern and string both become four times as long. Backtracking would multiply the time with every wildcard.
    const growthMax = SIZE_RATIO * GROWTH_MAX;
    expect(await growthOf(matching(128), matching(128 * SIZE_RATIO), growthMax)).toBeLessThan(growthMax);
  });

  it("is matched in batches: other work runs between them, and an aborted search ends", async () => {
    const strings = new StringDictionary();
    for (let i = 0; i < 2_000; i++) strings.codeOf(`/${"a".repeat(2_000)}${i}`);
    let yields = 0;
    const controller = new AbortController();
    const patternList = ["/*a*a*b", "*7", "/nowhere*"];
    const matched = await matchStrings(strings, patternList, () => Promise.resolve(void yields++), controller.signal);
    expect(matched.codes).toHaveLength(200);
    expect(new Set(matched.patterns)).toEqual(new Set([2n]));
    expect(yields).toBeGreaterThan(5);
    const aborted = matchStrings(strings, patternList, () => Promise.resolve(controller.abort(new Error("aborted"))), controller.signal);
    await expect(aborted).rejects.toThrow("aborted");
  });

  it("takes one bit of a query however many conditions name it, and a query has at most 62 patterns", () => {
    expect(patternsOf([{ pattern: "/*" }, 1, { text: "/*" }, { pattern: "/*" }, { pattern: "*" }])).toEqual(["/*", "*"]);
    expect(() => patternsOf(Array.from({ length: 63 }, (_, i) => ({ pattern: `/${i}*` })))).toThrow(/at most 62/);
  });
});
