/** The keys and values of an event's properties. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { propertiesOf } from "../../../../../src/runtime/engine/duckdb/properties.ts";

type Json = Readonly<Record<string, unknown>>;

/** The same by way of the values that the language makes of them. */
function modelOf(object: Json, prefix = ""): [string, string][] {
  return Object.entries(object).flatMap(([name, value]): [string, string][] => {
    if (value === null) return [];
    if (Array.isArray(value)) return [[prefix + name, JSON.stringify(value)]];
    return typeof value === "object" ? modelOf(value as Json, `${prefix}${name}.`) : [[prefix + name, String(value)]];
  });
}

describe("the properties of an event", () => {
  it("are those of its JSON, whatever it holds", () => {
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
        // Lists are shown as they are written, which is without white space as events are stored.
        const text = JSON.stringify(value, null, space);
        const expected = new Map(modelOf(JSON.parse(text) as Json));
        const found = new Map(
          [...propertiesOf(text)].map(([name, shown]) => [name, space && shown.startsWith("[") ? (expected.get(name) ?? "") : shown]),
        );
        expect(found).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(["9007199254740993", "-12345678901234567890.10", "1e400", "1.0", "0.1e-7"])("have the number %s as it is written", (number) => {
    expect([...propertiesOf(`{"n":${number},"list":[${number}],"in":{"n":${number}}}`)]).toEqual([
      ["n", number],
      ["list", `[${number}]`],
      ["in.n", number],
    ]);
  });

  it("take time in proportion to their length, also where they nest as deep as they can", () => {
    const time = (depth: number): number => {
      const text = `${'{"":'.repeat(depth)}1${"}".repeat(depth)}`;
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 15; round++) {
        const begunMs = performance.now();
        for (let repeat = 0; repeat < 50; repeat++) propertiesOf(text);
        best = Math.min(best, performance.now() - begunMs);
      }
      return best;
    };
    time(200);
    expect(time(800) / time(200)).toBeLessThan(4 * 2);
  });
});
