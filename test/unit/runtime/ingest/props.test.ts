import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseProps } from "../../../../src/runtime/ingest/props.ts";
import { growthOf, GROWTH_MAX, repeated, SIZE_RATIO } from "../../../support/growth.ts";

/** The exact value of a number's literal: a whole number, and the power of ten to multiply it with. */
function fractionOf(literal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^(-?)(\d+)\.?(\d*)[eE]?([+-]?\d*)$/.exec(literal) ?? [];
  let [value, power] = [BigInt(whole + fraction), Number(exponent) - fraction.length];
  if (value === 0n) return "0";
  for (; value % 10n === 0n; power++) value /= 10n;
  return `${sign}${value} * 10^${power}`;
}

describe("parseProps", () => {
  it.each([
    ['{"plan":"pro"}', '{"plan":"pro"}'],
    [' { "a" : 1 , "b" : [ true , null ] } ', '{"a":1,"b":[true,null]}'],
    ['{"a":{"b":{"c":"d"}}}', '{"a":{"b":{"c":"d"}}}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"b":1,"2":2,"1":3}', '{"1":3,"2":2,"b":1}'],
    ['{"a":-0,"b":[-0.0],"c":-0.5}', '{"a":0,"b":[0],"c":-0.5}'],
    ['{"a":1.50,"b":1e2,"c":12345678901234.50}', '{"a":1.5,"b":100,"c":12345678901234.5}'],
    // Numbers that a JavaScript number cannot hold stay as they were sent
    ['{"id":9007199254740993}', '{"id":9007199254740993}'],
    ['{"id":-9007199254740993, "a" : 1.0}', '{"id":-9007199254740993,"a":1}'],
    [
      '{"a":[1152921504606846976,{"b":123456789012345678901234567890}]}',
      '{"a":[1152921504606846976,{"b":123456789012345678901234567890}]}',
    ],
    [
      '{"a":0.12345678901234567891,"b":1e999,"c":1E-400,"d":9007199254740992.0}',
      '{"a":0.12345678901234567891,"b":1e999,"c":1E-400,"d":9007199254740992}',
    ],
    ['{"a":1e22,"b":1e-7,"c":0.0000000000000000001}', '{"a":1e+22,"b":1e-7,"c":1e-19}'],
    [
      '{"9007199254740993":9007199254740993,"a":"9007199254740993","n1":"n1","s":"\\"s\\""}',
      '{"9007199254740993":9007199254740993,"a":"9007199254740993","n1":"n1","s":"\\"s\\""}',
    ],
    ['{"b":9007199254740993,"1":"n2","b":9007199254740995}', '{"1":"n2","b":9007199254740995}'],
    [
      '{"__proto__":9007199254740993,"a":{"\\u005f_proto__":1},"b":"\\ud800","c":9007199254740993}',
      '{"a":{},"b":"\uFFFD","c":9007199254740993}',
    ],
    ['{"a":"x","b":"","c":9007199254740993,"d":null,"e":true}', '{"a":"x","b":"","c":9007199254740993,"d":null,"e":true}'],
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
  ])("parses %j as %j", (text, expected) => {
    expect(parseProps(text)).toBe(expected);
  });

  it.each([
    ["arrays", `{"a":${"[".repeat(2040)}${"]".repeat(2040)}}`],
    ["objects", `${'{"":'.repeat(817)}1${"}".repeat(817)}`],
    ["arrays, with something to clean", `{"\\ud800":${"[".repeat(2030)}${"]".repeat(2030)}}`],
    ["objects, with something to clean", `${'{"":'.repeat(815)}"\\ud800"${"}".repeat(815)}`],
  ])("parses 4096 characters of nested %s", (_case, text) => {
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(parseProps(text)).toBe(text.replaceAll("\\ud800", "\uFFFD"));
  });

  it("is idempotent, and its result contains no __proto__ and no lone surrogate", () => {
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

  it("keeps the value of every number, whatever surrounds it", () => {
    const digits = (max: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: max });
    const literals = fc
      .tuple(fc.boolean(), digits(25), fc.option(digits(25)), fc.option(fc.integer({ min: -400, max: 400 })))
      .map(
        ([isNegative, whole, fraction, exponent]) =>
          `${isNegative ? "-" : ""}${BigInt(whole)}${fraction === null ? "" : `.${fraction}`}${exponent === null ? "" : `e${exponent}`}`,
      );
    const strings = fc.string({ unit: fc.constantFrom("n", "s", "1", ":", '"', "\\", "{", "\ud800"), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(fc.tuple(literals, strings), { maxLength: 5 }), fc.boolean(), (pairs, isSpaced) => {
        const space = isSpaced ? " " : "";
        const text = `{${pairs.map(([literal, string], i) => `"k${i}":${space}[${literal},${space}${JSON.stringify(string)}]`).join(`${space},`)}}`;
        const kept = parseProps(text) ?? "";
        const entries = Object.entries(JSON.parse(kept) as Record<string, [unknown, string]>);
        expect(entries.map(([, [, string]]) => string)).toEqual(pairs.map(([, string]) => string.replace(/\p{Surrogate}/gu, "\uFFFD")));
        const numbers = [...kept.matchAll(/"k\d+":\[([^,]*),/g)].map(([, number = ""]) => number);
        expect(numbers.map(fractionOf)).toEqual(pairs.map(([literal]) => fractionOf(literal)));
        expect(parseProps(kept)).toBe(kept);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["a text of digits", (n: number) => `{"a":${"7".repeat(n)}}`],
    ["many long numbers", (n: number) => `{"a":[${Array.from({ length: n / 18 }, () => "98765432109876543").join(",")}]}`],
    ["zeros in every place", (n: number) => `{"a":1${"0".repeat(n / 2)}.${"0".repeat(n / 2)}1}`],
    ["many escaped keys", (n: number) => `{${Array.from({ length: n / 10 }, (_, i) => `"\\n${i}":1`).join(",")}}`],
    ["many keys with lone surrogates", (n: number) => `{${Array.from({ length: n / 10 }, (_, i) => `"\\ud800${i}":1`).join(",")}}`],
    ["escapes in every string of an array", (n: number) => `{"\\n":[${Array.from({ length: n / 6 }, () => '"\\n"').join(", ")}]}`],
    ["long strings beside a long number", (n: number) => `{"a":98765432109876543,"b":"${"\\n".repeat(n / 2)}"}`],
  ])("takes linear time for %s", async (_case, textOf) => {
    const [short, long] = [textOf(5_000), textOf(5_000 * SIZE_RATIO)];
    const growth = await growthOf(
      repeated(40, () => parseProps(short)),
      repeated(40, () => parseProps(long)),
    );
    expect(growth).toBeLessThan(GROWTH_MAX);
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
