/** Queries of the report of changes. */
import { describe, expect, it } from "vitest";
import { CHANGE_VALUES_MAX } from "../../../../../src/runtime/base/config/report-limits.ts";
import { CHANGE_METRICS } from "../../../../../src/runtime/reports/changes/input.ts";
import { addsUpOver, tallyOf, valuesQuery } from "../../../../../src/runtime/reports/changes/numbers.ts";
import { BREAKDOWN_DIMENSIONS } from "../../../../../src/runtime/query/filters.ts";
import { rangeOfDays } from "../../../../../src/runtime/query/date-range.ts";
import type { LocalDate } from "../../../../../src/storage/event.ts";
import { siteId } from "../../../../support/stored-event.ts";

const DAY = "2026-03-15" as LocalDate;

describe("values of a dimension", () => {
  it("are bounded, and the largest by what the metric counts", () => {
    const scope = { siteId: siteId("example.com"), range: rangeOfDays(DAY, DAY), conditions: [] };
    for (const metric of CHANGE_METRICS) {
      const counted = { metric, sessionGapMs: 1, goal: { event: "signup", property: null }, currency: metric === "revenue" ? "EUR" : null };
      for (const dimension of BREAKDOWN_DIMENSIONS.filter((each) => addsUpOver(metric, each, 1))) {
        const { top, counts } = valuesQuery(scope, counted, dimension);
        expect(counts).toContain(top?.by);
        expect(top?.rowsMax).toBe(CHANGE_VALUES_MAX);
        expect(tallyOf(metric, { [String(top?.by)]: 7, revenue: "0" }).count).toBe(7);
      }
    }
  });
});
