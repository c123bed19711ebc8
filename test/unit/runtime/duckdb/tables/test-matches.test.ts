/** Tests of texts and properties: what they match, and that no pattern or string makes matching slow. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WildcardPattern } from "../../../../../src/shared/text.ts";
import { StringDictionary } from "../../../../../src/runtime/duckdb/tables/dictionaries.ts";
import { createPropsMatching, createTextMatching, QueryTests } from "../../../../../src/runtime/duckdb/tables/query-runner.ts";
import type { TextTest } from "../../../../../src/runtime/query/text-matching.ts";
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

const withBits = <Test>(tests: readonly Test[]) => tests.map((test, i) => ({ test, bit: 1n << BigInt(i) }));

describe("a wildcard pattern", () => {
  it("matches exactly like dynamic programming, for any pattern and string", () => {
    fc.assert(
      fc.property(patterns, fewLetters, (pattern, text) => {
        expect(new WildcardPattern(pattern).matches(text)).toBe(matchesByTable(pattern, text));
      }),
      { numRuns: 20_000 },
    );
  });

  it("is case-sensitive, matches characters beyond 16 bits, and treats LIKE and regular expression syntax as text", () => {
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
    const tests = ["/*a*a*b", "*7", "/nowhere*"].map((pattern): TextTest => ({ kind: "like", values: [pattern] }));
    const matching = createTextMatching(withBits(tests));
    await matching.test(strings.entries(), () => Promise.resolve(void yields++));
    expect(matching.matches.codes).toHaveLength(200);
    expect(new Set(matching.matches.tests)).toEqual(new Set([2n]));
    expect(yields).toBeGreaterThan(5);
    const aborted = createTextMatching(withBits(tests)).test(strings.entries(), () => Promise.reject(new Error("aborted")));
    await expect(aborted).rejects.toThrow("aborted");
  });
});

const contains = (value: string): TextTest => ({ kind: "contains", values: [value] });

describe("the tests of a query", () => {
  it("take one bit each, however many conditions use them, and there are at most 62", () => {
    const parameters = [{ test: contains("a") }, 1, { text: "a" }, { test: contains("a") }, { test: contains("b") }];
    const { texts, properties } = new QueryTests([...parameters, { propertyTest: { key: "plan", test: contains("a") } }]);
    expect([texts.tests, texts.of(contains("b")), properties.tests.length]).toEqual([[contains("a"), contains("b")], 2n, 1]);
    const many = Array.from({ length: 63 }, (_, i) => ({ test: contains(String(i)) }));
    expect(() => new QueryTests(many)).toThrow(/at most 62/);
    expect(new QueryTests(many.slice(1)).texts.of(contains("62"))).toBe(1n << 61n);
  });

  it("of properties see the value of their key, even in nested objects, and nothing without a value", async () => {
    const strings = ['{"plan":"pro"}', '{"a":{"plan":"pro"}}', '{"plan":null}', '{"plan":12}', "{}"].map(
      (json, i) => [json, i + 1] as const,
    );
    const tests = [
      { key: "plan", test: contains("") },
      { key: "plan", test: contains("12") },
      { key: "a.plan", test: contains("pro") },
    ];
    const matching = createPropsMatching(withBits(tests));
    await matching.test(strings, () => Promise.resolve());
    const { codes, tests: bits } = matching.matches;
    expect([...codes].map((code, i) => [code, bits[i]])).toEqual([
      [1, 1n],
      [2, 4n],
      [4, 3n],
    ]);
  });
});
