/** The size of an expression, from its text: never less than that of its program, and about that where nothing is repeated. */
import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { expressionSize } from "../../../../src/runtime/query/expression-size.ts";
import { ATOMS, REPEATS } from "../../../support/expressions.ts";

const sized = (instructions: number, classes = 0, rangeChars = 0) => ({ instructions: instructions + 2, classes, rangeChars });

/** Null for what is no expression. */
function programSize(expression: string): number | null {
  try {
    return RE2JS.compile(expression).programSize();
  } catch {
    return null;
  }
}

describe("the size of an expression", () => {
  it.each([
    ["", sized(1)],
    ["abc", sized(3)],
    ["a😀", sized(2)],
    ["a|b", sized(3)],
    ["()", sized(3)],
    ["(?:)", sized(1)],
    ["(?i)a", sized(1)],
    ["(a)(?:b)(?P<n>c)(?<m>d)(?i-s:e)", sized(11)],
    ["a{3}", sized(3)],
    ["ab{3}", sized(4)],
    ["a{2,5}", sized(8)],
    ["a{3,}", sized(4)],
    ["(?:a{10}b){20}", sized(220)],
    ["((()){10}){10}", sized(520)],
    ["a{01}", sized(5)],
    ["a{,3}", sized(5)],
    ["\\a{2}\\x{41}{3}\\101{2}\\x41{2}", sized(9)],
    ["a\\{9}", sized(4)],
    ["\\Qa{9}(\\E{2}", sized(6)],
    ["\\Q(a){9}", sized(6)],
    ["[a-z]{3}", sized(3, 1, 25)],
    ["[](){9}]", sized(1, 1)],
    ["[^]a{9}]", sized(1, 1)],
    ["[a\\]b]{9}", sized(9, 1)],
    ["[[:alpha:]]", sized(1, 2)],
    ["[\\d-z]", sized(1, 2)],
    ["[\\x{61}-\\172]", sized(1, 1, 25)],
    ["\\d\\W", sized(2, 2)],
    ["\\pL\\p{Greek}{2}", sized(30, 2)],
    ["(a", sized(3)],
    ["a)", sized(1)],
  ])("is computed for %j", (expression, size) => {
    expect(expressionSize(expression)).toEqual(size);
  });

  it("is at least the size of its program, whatever it consists of", () => {
    const piece = fc.constantFrom(
      ...[...ATOMS, "b", "é", "(", "(", "(?:", "(?i)", "(?s-i:", "(?U)", "(?)", "(?<m>", ")", ")", ")", "|", "*", "+", "?", "??"],
      ...[
        "{3}",
        "{2,5}",
        "{0}",
        "{0,}",
        "{1,}",
        "{4,}",
        "{01}",
        "{,3}",
        "{40}",
        "{7,8}",
        "[]a]",
        "[\\d-z]",
        "[\\pL\\pN]",
        "[a-",
        "]",
        "\\pL",
      ],
      ...["\\PN", "\\x{10FFFF}", "\\101", "\\.", "\\Q", "\\E", "$", "-", "^", "{", "}", "[^\\x00-\\x{10FFFF}]"],
    );
    const repeated = fc
      .tuple(fc.constantFrom(...REPEATS), fc.array(piece, { minLength: 1, maxLength: 5 }), fc.integer({ min: 0, max: 60 }))
      .map(([repeat, body, times]) => repeat(body.join(""), times));
    const expressions = fc.array(fc.oneof(piece, repeated), { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""));
    let valid = 0;
    fc.assert(
      fc.property(expressions, (expression) => {
        const { instructions } = expressionSize(expression);
        if (instructions > 5_000) return;
        const size = programSize(expression);
        if (size !== null) valid++;
        expect(size ?? 0, expression).toBeLessThanOrEqual(instructions);
      }),
      { numRuns: 3_000 },
    );
    expect(valid).toBeGreaterThan(300);
  });
});
