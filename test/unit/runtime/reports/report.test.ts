/** Results as JSON. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Decimal } from "../../../../src/runtime/base/decimal.ts";
import { jsonText } from "../../../../src/runtime/reports/report.ts";

describe("jsonText", () => {
  it("equals JSON.stringify for every JSON value", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => jsonText(value) === JSON.stringify(value)));
  });

  it("omits undefined fields", () => {
    expect(jsonText({ a: undefined, b: [{ c: undefined, d: null }] })).toBe('{"b":[{"d":null}]}');
  });

  it("writes decimals with all digits at any depth", () => {
    const total = new Decimal("12345678901234567890.12");
    expect(jsonText({ total, rows: [{ value: '"', total: new Decimal("-0.1") }] })).toBe(
      '{"total":12345678901234567890.12,"rows":[{"value":"\\"","total":-0.1}]}',
    );
  });
});
