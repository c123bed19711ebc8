import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, parseJson } from "../../../../src/runtime/ingest/props.ts";

/** Makes the engine remember objects whose second key ends in a backslash. */
function rememberBackslashes(): void {
  for (const value of ["1", "{}", '"x"']) for (const end of ["", "a"]) JSON.parse(`{"h":${value},"${end}\\\\":${value}}`);
}

const keysOf = (value: Json): string[] => Object.keys(value as object);

describe("parseJson", () => {
  it.each([
    ['{"h":1,"\\n":2}', ["h", "\n"]],
    ['{"h":1,"\\"":2}', ["h", '"']],
    ['{"h":{},"a\\"":{}}', ["h", 'a"']],
    ['{"h":1 , "\\u0041" : 2}', ["h", "A"]],
    ['{"h":1,"\\\\":2}', ["h", "\\"]],
    ['{"b\\n":1,"2":2,"1":3}', ["1", "2", "b\n"]],
  ])("keeps the keys of %s after objects with backslashes in their keys", (text, keys) => {
    rememberBackslashes();
    expect(keysOf(parseJson(text))).toEqual(keys);
  });

  it("keeps the last value of a repeated key, however it is written, at the place of the first", () => {
    expect(JSON.stringify(parseJson('{"a":1,"b":2,"\\u0061":3}'))).toBe('{"a":3,"b":2}');
  });

  it("sets no prototype", () => {
    const value = parseJson('{"\\u005f_proto__":{"a":1},"b\\n":{"__proto__":{"c":1}}}') as Record<string, object>;
    expect([Object.getPrototypeOf(value), Object.getPrototypeOf(value["b\n"])]).toEqual([Object.prototype, Object.prototype]);
    expect(JSON.stringify(value)).toBe('{"b\\n":{}}');
  });

  it("refuses what JSON.parse refuses, even with escaped keys", () => {
    for (const text of ['{"\\n":1', '{"\\x":1}', '{"\\n":1,}', `{"\\n":"${"\\".repeat(1001)}"`, '{"\\n" 1}', '{"a\n\\n":1}']) {
      expect(() => parseJson(text), text).toThrow(SyntaxError);
    }
  });

  it("returns the written value, whatever its keys and strings are", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "1", '"', "\\", ":", ",", "{", "\n", "é"), maxLength: 4 });
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        name,
        fc.integer(),
        fc.array(tie("value")),
        fc.dictionary(name, tie("value")),
      ) as fc.Arbitrary<Json>,
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1), (written, space) => {
        expect(parseJson(JSON.stringify(written, null, space))).toEqual(written);
      }),
      { numRuns: 2_000 },
    );
  });

  it("parses nesting that is deeper than the stack", () => {
    const depth = 30_000;
    expect(keysOf(parseJson(`${'{"\\n":'.repeat(depth)}1${"}".repeat(depth)}`))).toEqual(["\n"]);
  });
});
