/** JSON of any size, taken apart into values while it arrives. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IMPORT_LINE_BYTES_MAX } from "../../../../../src/runtime/base/config/limits.ts";
import { ELEMENT, type JsonPath, JsonSplitter, type JsonValue } from "../../../../../src/runtime/imports/files/json-stream.ts";
import { GROWTH_MAX, growthOf, SIZE_RATIO } from "../../../../support/growth.ts";

const opensAll = (path: JsonPath): boolean => path.length === 0 || path.at(-1) === "rows";

function valuesIn(pieces: readonly string[], opens = opensAll): JsonValue[] {
  const splitter = new JsonSplitter(opens);
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
}

const read = (...pieces: string[]): [string, unknown, number][] =>
  valuesIn(pieces).map(({ path, value, line }) => [path.join("."), value, line]);

describe("a JSON stream", () => {
  it("yields the values of opened objects and arrays, with their paths and lines", () => {
    expect(read('\ufeff{"a": {"b": [1, "}"]},\n "rows": [\n{"x": 1},\n2, "three"], "n": null}\n')).toEqual([
      ["a", { b: [1, "}"] }, 1],
      [`rows.${ELEMENT}`, { x: 1 }, 3],
      [`rows.${ELEMENT}`, 2, 4],
      [`rows.${ELEMENT}`, "three", 4],
      ["n", null, 4],
    ]);
  });

  it("reads several texts one after the other, and a value alone", () => {
    expect(read('{"a":1}\n{"a":2}[3]')).toEqual([
      ["a", 1, 1],
      ["a", 2, 2],
      [ELEMENT, 3, 2],
    ]);
    expect(read("12")).toEqual([["", 12, 1]]);
  });

  it("yields the same values however the text is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.json(), { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 30 }), (rows, cuts) => {
        const text = JSON.stringify({ first: rows.length, rows: rows.map((row) => JSON.parse(row) as unknown) }, null, 1);
        const places = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, i) => text.slice(places[i], end));
        expect(valuesIn(pieces)).toEqual(valuesIn([text]));
        expect(
          valuesIn(pieces)
            .slice(1)
            .map(({ value }) => value),
        ).toEqual(rows.map((row) => JSON.parse(row) as unknown));
      }),
    );
  });

  it("reports a value that is too long or not JSON, and goes on", () => {
    const [long, bad, good] = valuesIn([`{"a": "${"x".repeat(IMPORT_LINE_BYTES_MAX)}", "b": {1}, "c": 3}`]);
    expect(long).toMatchObject({ path: ["a"], value: undefined, isTooLong: true });
    expect(long?.text.length).toBe(IMPORT_LINE_BYTES_MAX);
    expect(bad).toMatchObject({ path: ["b"], value: undefined, isTooLong: false, text: "{1}" });
    expect(good).toMatchObject({ path: ["c"], value: 3 });
  });

  it.each([
    ['{"a": 1', "The JSON ends in the middle, on line 1."],
    ['{"a": [1}', "The JSON ends in the middle, on line 1."],
    ['{"rows": [1}', "The JSON is damaged: a bracket is out of place on line 1."],
    ["\n{1: 2}", "The JSON is damaged: a name is missing on line 2."],
    ["]", "The JSON is damaged: a bracket is out of place on line 1."],
  ])("refuses %j", (text, message) => {
    expect(() => valuesIn([text])).toThrow(message);
  });

  it.each(["[", '{"rows":', '"\\"', "[{},", "1,"])("takes linear time for %j repeated", async (unit) => {
    const piece = unit.repeat(1000);
    const work = (pieces: number) => () => {
      const splitter = new JsonSplitter(opensAll);
      try {
        splitter.push('{"rows":[');
        for (let i = 0; i < pieces; i++) splitter.push(piece);
        splitter.end();
      } catch {
        // Damaged, as most of them are.
      }
    };
    expect(await growthOf(work(50), work(50 * SIZE_RATIO))).toBeLessThan(GROWTH_MAX);
  });
});
