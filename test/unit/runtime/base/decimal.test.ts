import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalFromCents } from "../../../../src/runtime/base/decimal.ts";

describe("decimalFromCents", () => {
  it.each<[cents: bigint, text: string]>([
    [0n, "0"],
    [1n, "0.01"],
    [-1n, "-0.01"],
    [10n, "0.1"],
    [-10n, "-0.1"],
    [99n, "0.99"],
    [100n, "1"],
    [-100n, "-1"],
    [101n, "1.01"],
    [110n, "1.1"],
    [1000n, "10"],
    [2990n, "29.9"],
    [999_999_999_999n, "9999999999.99"],
    [9_007_199_254_740_993n, "90071992547409.93"],
    [-9_007_199_254_740_993n, "-90071992547409.93"],
    [10n ** 30n + 7n, "10000000000000000000000000000.07"],
  ])("formats %s hundredths as %s", (cents, text) => {
    expect(decimalFromCents(cents)).toBe(text);
  });

  it("returns a JSON number with the exact amount", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (cents) => {
        const text = decimalFromCents(cents);
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d?[1-9])?$/);
        expect(text).not.toBe("-0");
        const [whole = "", fraction = ""] = text.replace("-", "").split(".");
        const size = BigInt(whole + fraction.padEnd(2, "0"));
        expect(text.startsWith("-") ? -size : size).toBe(cents);
      }),
    );
  });

  it("parses as the nearest double", () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 45), max: 2 ** 45 }), (cents) => {
        expect(Number(decimalFromCents(BigInt(cents)))).toBe(cents / 100);
      }),
    );
  });
});
