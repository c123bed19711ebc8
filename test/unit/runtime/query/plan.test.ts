/** Plans: which rows reach which function, whatever plans are made of. */
import { describe, expect, it } from "vitest";
import { type AggregateQuery, combinePlans, mapPlan, type Plan, planOf } from "../../../../src/runtime/query/plan.ts";
import { rangeOfDays } from "../../../../src/runtime/query/date-range.ts";
import type { SiteRange } from "../../../../src/runtime/query/scope.ts";
import { sql } from "../../../../src/runtime/query/sql.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";
import { siteId } from "../../../support/stored-event.ts";

const on = (day: string): SiteRange => ({ siteId: siteId("plan.test"), range: rangeOfDays(day as LocalDate, day as LocalDate) });

const query = (counted: string): AggregateQuery => ({ keys: [], counts: [counted], partial: () => sql`SELECT 1` });

/** The result where each query gives a row with its day and its place in its step. */
const resultOf = <Result>({ steps, toResult }: Plan<Result>): Result =>
  toResult(steps.map(({ siteRange, queries }) => queries.map((_, i) => [{ value: `${siteRange.range.firstDay} ${i}` }])));

const pair = (day: string) => planOf(on(day), [query("a"), query("b")], ([a], [b]) => `${a?.value}, ${b?.value}`);

describe("a plan", () => {
  it("passes the rows of each query to its function in the order of the queries", () => {
    const { steps } = pair("2026-03-15");
    expect(steps.map(({ queries }) => queries.map(({ counts }) => counts[0]))).toEqual([["a", "b"]]);
    expect(resultOf(pair("2026-03-15"))).toBe("2026-03-15 0, 2026-03-15 1");
  });

  it("contains the steps of all combined plans, and each of them gets its own rows", () => {
    const combined = combinePlans([pair("2026-03-15"), pair("2026-03-14")], (parts) => parts.join("; "));
    expect(combined.steps).toHaveLength(2);
    expect(resultOf(combined)).toBe("2026-03-15 0, 2026-03-15 1; 2026-03-14 0, 2026-03-14 1");
    const nested = combinePlans([combined, pair("2026-03-13")], (parts) => parts.length);
    expect([nested.steps.length, resultOf(nested)]).toEqual([3, 2]);
  });

  it("without parts contains no steps and yields a result", () => {
    const none = combinePlans([], () => "nothing");
    expect([none.steps, resultOf(none)]).toEqual([[], "nothing"]);
  });

  it("keeps its steps when its result is mapped", () => {
    const mapped = mapPlan(pair("2026-03-15"), (result) => result.length);
    expect([mapped.steps.length, resultOf(mapped)]).toEqual([1, "2026-03-15 0, 2026-03-15 1".length]);
  });
});
