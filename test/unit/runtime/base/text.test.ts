import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutToChars, exceedsBytes, exceedsChars, wellFormed } from "../../../../src/shared/text.ts";

const anyText = fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀", "\ud800", "\udc00", "\u0000", "%") });

describe("exceedsChars", () => {
  it.each([
    ["", 0, false],
    ["abc", 3, false],
    ["abcd", 3, true],
    ["😀😀😀", 3, false],
    ["😀😀😀😀", 3, true],
    ["\ud800\ud800\ud800", 3, false],
    ["ab\ud800\ud800", 3, true],
    ["a".repeat(2048), 2048, false],
    ["😀".repeat(2048), 2048, false],
    ["😀".repeat(2049), 2048, true],
  ])("counts code points, not UTF-16 units: case %#", (text, charsMax, expected) => {
    expect(exceedsChars(text, charsMax)).toBe(expected);
  });

  it("gives the same result as spreading the text", () => {
    fc.assert(
      fc.property(anyText, fc.nat(12), (text, charsMax) => {
        expect(exceedsChars(text, charsMax)).toBe([...text].length > charsMax);
      }),
    );
  });
});

describe("exceedsBytes", () => {
  it("gives the same result as the length of the UTF-8 encoding", () => {
    fc.assert(
      fc.property(anyText, fc.nat(24), (text, bytesMax) => {
        expect(exceedsBytes(text, bytesMax)).toBe(new TextEncoder().encode(text).length > bytesMax);
      }),
    );
  });
});

describe("cutToChars", () => {
  it("returns the first code points and never half of one", () => {
    fc.assert(
      fc.property(anyText, fc.nat(12), (text, charsMax) => {
        expect(cutToChars(text, charsMax)).toBe([...text].slice(0, charsMax).join(""));
      }),
    );
  });
});

describe("wellFormed", () => {
  it.each([
    ["plain", "plain"],
    ["😀 é 漢", "😀 é 漢"],
    ["a\ud800b", "a\uFFFDb"],
    ["\udc00\ud800", "\uFFFD\uFFFD"],
    ["\ud83d\ude00\ude00", "😀\uFFFD"],
    ["nul \u0000 stays", "nul \u0000 stays"],
  ])("replaces lone surrogates: case %#", (text, expected) => {
    expect(wellFormed(text)).toBe(expected);
  });

  it("equals a round trip through UTF-8, and is idempotent", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const roundTrip = (value: string) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(value));
        expect(wellFormed(text)).toBe(roundTrip(text));
        expect(roundTrip(wellFormed(text))).toBe(wellFormed(text));
      }),
    );
  });
});
