/** Pages with wildcards: what they match, and that no text makes it slow. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchTexts, patternsOf } from "../../../../../src/runtime/engine/duckdb/matched-texts.ts";
import { StringDictionary } from "../../../../../src/runtime/engine/duckdb/string-dictionary.ts";
import { TextPattern } from "../../../../../src/runtime/engine/duckdb/text-pattern.ts";

/** The textbook's table: whether the first characters of the text match the first characters of the pattern. */
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

const ROUNDS = 7;
const REPEATS = 50;

/** The shortest time of several rounds, in milliseconds. */
function fastest(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const begunMs = performance.now();
    for (let repeat = 0; repeat < REPEATS; repeat++) work();
    best = Math.min(best, performance.now() - begunMs);
  }
  return best;
}

describe("a page with wildcards", () => {
  it("matches what the textbook's table says, for any pattern and text", () => {
    fc.assert(
      fc.property(patterns, fewLetters, (pattern, text) => {
        expect(new TextPattern(pattern).matches(text)).toBe(matchesByTable(pattern, text));
      }),
      { numRuns: 20_000 },
    );
  });

  it("is exact about case, characters beyond 16 bits, and what means something in other languages", () => {
    const matches = (pattern: string, text: string) => new TextPattern(pattern).matches(text);
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
  ])("takes at most the product of pattern and text: %s", (_, make) => {
    const time = (n: number): number => {
      const [pattern, text] = make(n);
      const compiled = new TextPattern(pattern);
      return fastest(() => expect(compiled.matches(text)).toBe(false));
    };
    time(32);
    // Both grow to four times their length. Backtracking multiplied its time with every wildcard.
    expect(time(512) / time(128)).toBeLessThan(4 * 4 * 2);
  });

  it("is looked for in portions: others get their turn, and a search that is given up ends", async () => {
    const texts = new StringDictionary();
    for (let i = 0; i < 2_000; i++) texts.codeOf(`/${"a".repeat(2_000)}${i}`);
    let turns = 0;
    const controller = new AbortController();
    const patternList = ["/*a*a*b", "*7", "/nowhere*"];
    const matched = await matchTexts(texts, patternList, () => Promise.resolve(void turns++), controller.signal);
    expect(matched.codes).toHaveLength(200);
    expect(new Set(matched.patterns)).toEqual(new Set([2n]));
    expect(turns).toBeGreaterThan(5);
    const givenUp = matchTexts(texts, patternList, () => Promise.resolve(controller.abort(new Error("given up"))), controller.signal);
    await expect(givenUp).rejects.toThrow("given up");
  });

  it("counts once in a query, however many conditions name it, and there are at most as many as a number has bits", () => {
    expect(patternsOf([{ pattern: "/*" }, 1, { text: "/*" }, { pattern: "/*" }, { pattern: "*" }])).toEqual(["/*", "*"]);
    expect(() => patternsOf(Array.from({ length: 63 }, (_, i) => ({ pattern: `/${i}*` })))).toThrow(/at most 62/);
  });
});
