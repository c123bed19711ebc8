import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCurrency, parseRevenue } from "../../../../src/runtime/ingest/event-input.ts";

const CENTS_MAX = 999_999_999_999n;

/** A decimal text in hundredths, rounded half away from zero, in whole numbers of any size; `null` beyond DECIMAL(12,2). */
function centsFromDecimal(text: string): bigint | null {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const negative = mantissa.startsWith("-");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  // value = digits * 10^scale hundredths
  const digits = BigInt(whole + fraction);
  const scale = Number(exponent) - fraction.length + 2;
  const unit = 10n ** BigInt(Math.abs(scale));
  const cents = scale >= 0 ? digits * unit : (2n * digits + unit) / (2n * unit);
  if (cents > CENTS_MAX) return null;
  return negative ? -cents : cents;
}

describe("parseRevenue", () => {
  it.each([
    [0, 0],
    [-0, 0],
    [1, 100],
    [9.99, 999],
    [-9.99, -999],
    [0.1, 10],
    [0.01, 1],
    [19.999, 2000],
    [1.005, 101],
    [-1.005, -101],
    [2.675, 268],
    [1.115, 112],
    [8.345, 835],
    [0.004, 0],
    [0.005, 1],
    [-0.005, -1],
    [-0.004, 0],
    [1e-7, 0],
    [-1e-7, 0],
    [5e-324, 0],
    [0.30000000000000004, 30],
    [4.35, 435],
    [9_999_999_999.99, 999_999_999_999],
    [-9_999_999_999.99, -999_999_999_999],
    [9_999_999_999.994, 999_999_999_999],
    [9_999_999_999.995, null],
    [-9_999_999_999.995, null],
    [10_000_000_000, null],
    [-10_000_000_000, null],
    [2 ** 53, null],
    [1e20, null],
    [1e21, null],
    [-1e21, null],
    [1.5e300, null],
    [Number.MAX_VALUE, null],
    [Number.POSITIVE_INFINITY, null],
    [Number.NEGATIVE_INFINITY, null],
    [Number.NaN, null],
    [null, null],
  ])("records %s as %s", (amount, cents) => {
    expect(parseRevenue(amount)).toBe(cents);
  });

  it("equals exact decimal arithmetic on the number's shortest text", () => {
    const anyAmount = fc.oneof(
      fc.double(),
      fc.double({ min: -1e11, max: 1e11 }),
      fc.double({ min: -10, max: 10 }),
      // Halves of a cent, where binary fractions err.
      fc
        .tuple(fc.integer({ min: -10_000_000, max: 10_000_000 }), fc.integer({ min: 0, max: 5 }))
        .map(([n, places]) => Number(`${n}e-${places}`)),
    );
    fc.assert(
      fc.property(anyAmount, (amount) => {
        const expected = Number.isFinite(amount) ? centsFromDecimal(String(amount)) : null;
        const cents = parseRevenue(amount);
        expect(cents === null ? null : BigInt(cents)).toBe(expected);
        expect(Object.is(cents, -0)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it("returns every amount of whole cents unchanged", () => {
    fc.assert(
      fc.property(fc.integer({ min: -999_999_999_999, max: 999_999_999_999 }), (cents) => {
        expect(parseRevenue(Number(`${cents}e-2`))).toBe(cents + 0);
      }),
    );
  });
});

describe("parseCurrency", () => {
  it.each([
    ["EUR", "EUR"],
    ["usd", "USD"],
    ["jPy", "JPY"],
    ["XXX", "XXX"],
    ["", null],
    ["EU", null],
    ["EURO", null],
    ["E R", null],
    ["E1R", null],
    ["ÄÖÜ", null],
    ["ıııı", null],
    ["ßab", null],
    ["EUR\n", null],
    ["€", null],
    [null, null],
  ])("records %j as %j", (code, expected) => {
    expect(parseCurrency(code)).toBe(expected);
  });
});
