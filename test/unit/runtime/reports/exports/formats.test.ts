/** Breakdowns as CSV: spreadsheets read texts as texts, and numbers as numbers. */
import { expect, it } from "vitest";
import { csvOfRows } from "../../../../../src/runtime/reports/exports/formats.ts";
import { Decimal } from "../../../../../src/runtime/base/decimal.ts";

it("CSV: only texts that begin like a formula get an apostrophe", () => {
  const columns = ["value", "change", "revenue", ["comparison", "revenue"]] as const;
  const rows = [
    { value: "-1+1", change: -2, revenue: new Decimal("-29.9"), comparison: { revenue: new Decimal("-1") } },
    { value: 'a "b"', change: 3, revenue: undefined },
  ];
  expect(csvOfRows(columns, rows)).toBe(`value,change,revenue,comparison_revenue\n"'-1+1","-2","-29.9","-1"\n"a ""b""","3","",""\n`);
});
