import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseProps } from "../../../src/runtime/ingest/props.ts";

describe("parseProps", () => {
  it.each([
    ['{"plan":"pro"}', '{"plan":"pro"}'],
    [' { "a" : 1 , "b" : [ true , null ] } ', '{"a":1,"b":[true,null]}'],
    ['{"a":{"b":{"c":"d"}}}', '{"a":{"b":{"c":"d"}}}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"b":1,"2":2,"1":3}', '{"1":3,"2":2,"b":1}'],
    ['{"a":-0,"b":[-0.0],"c":-0.5}', '{"a":0,"b":[0],"c":-0.5}'],
    ['{"a":1.50,"b":1e2,"c":1e999}', '{"a":1.5,"b":100,"c":null}'],
    ['{"":""}', '{"":""}'],
    ['{"a":"\\u00e9\\/\\u0000"}', '{"a":"é/\\u0000"}'],
    ['{"constructor":1,"toString":2,"hasOwnProperty":3}', '{"constructor":1,"toString":2,"hasOwnProperty":3}'],
    // __proto__ at any depth, however it is written
    ['{"__proto__":{"a":1},"b":2}', '{"b":2}'],
    ['{"a":{"__proto__":1,"b":[{"__proto__":2,"c":3}]}}', '{"a":{"b":[{"c":3}]}}'],
    ['{"\\u005f_proto__":1,"a":2}', '{"a":2}'],
    ['{"__proto__":1}', "{}"],
    ['{"a":"__proto__"}', '{"a":"__proto__"}'],
    ['{"__proto__ ":1}', '{"__proto__ ":1}'],
    // Lone surrogates in keys and values
    ['{"a":"\\ud800"}', '{"a":"\uFFFD"}'],
    ['{"\\udc00":["x\\ud800y"]}', '{"\uFFFD":["x\uFFFDy"]}'],
    ['{"a":"\\ud83d\\ude00"}', '{"a":"😀"}'],
    ['{"\\ud800":1,"\\ud801":2}', '{"\uFFFD":2}'],
    ['{"b":{"\\ud800":1},"a":"\\ud800"}', '{"b":{"\uFFFD":1},"a":"\uFFFD"}'],
    ["{ }", "{}"],
    // Not an object
    ["[]", null],
    ['[{"a":1}]', null],
    ["null", null],
    ["1", null],
    ['"a"', null],
    ["true", null],
    ["", null],
    ["{", null],
    ["{a:1}", null],
    ['{"a":1}x', null],
    ["undefined", null],
    [null, null],
  ])("%j -> %j", (text, expected) => {
    expect(parseProps(text)).toBe(expected);
  });

  it.each([
    ["arrays", `{"a":${"[".repeat(2040)}${"]".repeat(2040)}}`],
    ["objects", `${'{"":'.repeat(817)}1${"}".repeat(817)}`],
    ["arrays, with something to clean", `{"\\ud800":${"[".repeat(2030)}${"]".repeat(2030)}}`],
    ["objects, with something to clean", `${'{"":'.repeat(815)}"\\ud800"${"}".repeat(815)}`],
  ])("4096 characters of nested %s do no harm", (_case, text) => {
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(parseProps(text)).toBe(text.replaceAll("\\ud800", "\uFFFD"));
  });

  it("what is kept parses to itself, and holds no __proto__ and no lone surrogate", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "\ud800", "\udc00", "😀", "\u0000", '"', "\\"), maxLength: 4 });
    const keys = fc.oneof(texts, fc.constantFrom("__proto__", "constructor", "0"));
    const { value: anyJson } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(texts, fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(fc.tuple(keys, tie("value")), { maxLength: 3 }).map((entries) => Object.fromEntries(entries) as unknown),
      ),
    }));
    fc.assert(
      fc.property(anyJson, (value) => {
        const kept = parseProps(JSON.stringify(value));
        if (kept === null) return;
        expect(parseProps(kept)).toBe(kept);
        expect(JSON.stringify(JSON.parse(kept))).toBe(kept);
        expect(kept).not.toContain('"__proto__":');
        expect(kept).not.toMatch(/\\ud[89a-f]/);
        expect(new TextDecoder().decode(new TextEncoder().encode(kept))).toBe(kept);
      }),
      { numRuns: 1000 },
    );
  });

  it("leaves clean objects as JSON.stringify writes them", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (value) => {
        fc.pre(Object.keys(value).length > 0 && !JSON.stringify(value).includes("__proto__"));
        expect(parseProps(JSON.stringify(value, null, 2))).toBe(JSON.stringify(JSON.parse(JSON.stringify(value))));
      }),
    );
  });
});
