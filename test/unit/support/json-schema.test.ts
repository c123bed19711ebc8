/** The tests' checker of JSON Schema: that it finds what is wrong. */
import { describe, expect, it } from "vitest";
import type { Schema } from "../../../src/runtime/base/json-schema.ts";
import { resolveReference, schemaProblems } from "../../support/json-schema.ts";

const ROOT = { components: { schemas: { Word: { type: "string", minLength: 2 } } } };

const WORD = { $ref: "#/components/schemas/Word" };

const CASES: readonly (readonly [schema: Schema, right: readonly unknown[], wrong: readonly unknown[]])[] = [
  [{ type: "string" }, ["", "a"], [1, null, [], {}, true, undefined]],
  [{ type: "integer" }, [0, -1, 2 ** 40], [0.5, "1", Number.NaN, null]],
  [{ type: "number" }, [0, 0.5], [Number.NaN, Number.POSITIVE_INFINITY, "1"]],
  [{ type: "boolean" }, [true, false], [0, "true", null]],
  [{ type: "object" }, [{}, { a: 1 }], [[], null, "{}"]],
  [{ type: "array" }, [[], [1]], [{}, null, "[]"]],
  [{ type: ["integer", "null"] }, [1, null], ["", 0.5, undefined]],
  [{ const: "ok" }, ["ok"], ["OK", "", null]],
  [{ enum: ["a", "b"] }, ["a", "b"], ["c", "", null, 0]],
  [{ format: "date" }, ["2024-02-29", 5], ["2026-02-29", "2026-2-1", "2026-02-01T00:00:00Z", ""]],
  [
    { format: "date-time" },
    ["2026-02-01T10:00:00Z", "2026-02-01T10:00:00.123Z"],
    ["2026-02-01", "2026-02-30T10:00:00Z", "2026-02-01T25:00:00Z"],
  ],
  [{ pattern: "^a+$" }, ["a", "aa", 5], ["", "ab", "ba"]],
  [{ minLength: 2 }, ["ab", "😀😀", 1], ["", "a", "😀"]],
  [{ maxLength: 2 }, ["", "😀😀"], ["abc", "😀😀😀"]],
  [{ minimum: 1 }, [1, 2, "0"], [0, -1]],
  [{ maximum: 1 }, [1, 0, "2"], [2, 1.5]],
  [{ minItems: 1 }, [[1], "x"], [[]]],
  [{ maxItems: 1 }, [[], [1]], [[1, 2]]],
  [{ items: { type: "string" } }, [[], ["a"], "x"], [[1], ["a", null]]],
  [{ properties: { a: { type: "string" } } }, [{}, { a: "x" }, { b: 1 }], [{ a: 1 }]],
  [{ required: ["a"] }, [{ a: undefined }, { a: 1, b: 2 }], [{}, { b: 1 }]],
  [{ properties: { a: {} }, additionalProperties: false }, [{}, { a: 1 }], [{ b: 1 }, { a: 1, toString: 1 }]],
  [{ additionalProperties: true }, [{ b: 1 }], []],
  [{ anyOf: [{ type: "string" }, { type: "array", items: { type: "integer" } }] }, ["a", [1], []], [1, ["a"], null]],
  [WORD, ["ab"], ["a", 1]],
  [{ ...WORD, maxLength: 3 }, ["ab", "abc"], ["a", "abcd"]],
  [{ type: "array", items: { properties: { a: WORD }, required: ["a"] } }, [[{ a: "ab" }]], [[{ a: "a" }], [{}]]],
];

describe("the checker of JSON Schema", () => {
  it.each(CASES)("accepts what the schema %j allows, and nothing else", (schema, right, wrong) => {
    for (const value of right) expect({ value, problems: schemaProblems(ROOT, value, schema) }).toEqual({ value, problems: [] });
    for (const value of wrong) expect(schemaProblems(ROOT, value, schema), JSON.stringify(value)).not.toEqual([]);
  });

  it("reports where something is wrong", () => {
    const schema: Schema = { properties: { rows: { items: { properties: { date: { maxLength: 1 } } } } } };
    expect(schemaProblems(ROOT, { rows: [{ date: "a" }, { date: "ab" }] }, schema)).toEqual(["the value.rows[1].date is too long"]);
  });

  it("refuses keywords that it does not know, and references that lead nowhere", () => {
    expect(() => schemaProblems(ROOT, 1, { oneOf: [] } as Schema)).toThrow(/oneOf/);
    expect(() => schemaProblems(ROOT, 1, { $ref: "#/components/schemas/None" })).toThrow(/leads nowhere/);
    expect(() => resolveReference(ROOT, "https://elsewhere.test/schema")).toThrow(/out of the document/);
  });
});
