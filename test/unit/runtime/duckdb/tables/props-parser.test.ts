/** The keys and values parsed from props strings. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseProps } from "../../../../../src/runtime/duckdb/tables/properties.ts";
import { growthOf, GROWTH_MAX, repeated, SIZE_RATIO } from "../../../../support/growth.ts";

type Json = Readonly<Record<string, unknown>>;

/** The same by way of JavaScript values. */
function modelOf(object: Json, prefix = ""): [string, string][] {
  return Object.entries(object).flatMap(([name, value]): [string, string][] => {
    if (value === null) return [];
    if (Array.isArray(value)) return [[prefix + name, JSON.stringify(value)]];
    return typeof value === "object" ? modelOf(value as Json, `${prefix}${name}.`) : [[prefix + name, String(value)]];
  });
}

describe("the props parser", () => {
  it("yields the keys and values of any JSON object, nested keys joined with dots", () => {
    const key = fc.string({ unit: fc.constantFrom("a", ".", '"', "\\", "{", "é", "\u{1f600}", "\n"), maxLength: 4 });
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double({ noDefaultInfinity: true, noNaN: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }),
    );
    const { object } = fc.letrec<{ object: Json }>((tie) => ({
      object: fc.dictionary(key, fc.oneof({ depthSize: "small" }, leaf, tie("object")), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1), (value, space) => {
        // Arrays stay as they are written. Stored events have no white space in them.
        const text = JSON.stringify(value, null, space);
        // Not `JSON.parse(text)`, which may read an escaped key as a backslash since Node 24 (https://github.com/nodejs/node/issues/63785).
        const expected = new Map(modelOf(value));
        const found = new Map(
          [...parseProps(text)].map(([name, shown]) => [name, space && shown.startsWith("[") ? (expected.get(name) ?? "") : shown]),
        );
        expect(found).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it("skips null and the text (unknown)", () => {
    const props = { a: null, b: "(unknown)", c: "((unknown))", in: { d: "(unknown)", e: "f" }, list: ["(unknown)"] };
    expect([...parseProps(JSON.stringify(props))]).toEqual([
      ["c", "((unknown))"],
      ["in.e", "f"],
      ["list", '["(unknown)"]'],
    ]);
  });

  it.each(["9007199254740993", "-12345678901234567890.10", "1e400", "1.0", "0.1e-7"])("keeps the spelling of the number %s", (number) => {
    expect([...parseProps(`{"n":${number},"list":[${number}],"in":{"n":${number}}}`)]).toEqual([
      ["n", number],
      ["list", `[${number}]`],
      ["in.n", number],
    ]);
  });

  it("takes time proportional to the length, even at the deepest nesting", async () => {
    const nested = (depth: number): string => `${'{"":'.repeat(depth)}1${"}".repeat(depth)}`;
    const [shallow, deep] = [nested(200), nested(200 * SIZE_RATIO)];
    const growth = await growthOf(
      repeated(50, () => parseProps(shallow)),
      repeated(50, () => parseProps(deep)),
    );
    expect(growth).toBeLessThan(GROWTH_MAX);
  });
});
