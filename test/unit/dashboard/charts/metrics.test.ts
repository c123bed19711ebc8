/** The metrics of the dashboard that it computes itself, compared with counts over plain events. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { filterKindOf, withoutGoalFilters } from "../../../../dashboard/state/filters.ts";
import { filterOf, type Filter } from "../../../../src/shared/filters.ts";
import { inScope, mainOf, type Condition, type Scope } from "../../../property/model.ts";
import { anEvent, siteId } from "../../../support/stored-event.ts";

const { METRICS } = await import("../../../../dashboard/charts/metrics.ts");
vi.unstubAllGlobals();

const DAY = "2026-03-15";
const GAP_MS = 1_800_000;
const COUNTRIES = ["DE", "FR", null] as const;

/** Each visitor has one country. */
const events = fc
  .array(
    fc.record({
      visitor: fc.nat(4),
      minute: fc.nat(600),
      pathname: fc.constantFrom("/", "/pricing", "/join"),
      eventName: fc.constantFrom("pageview", "Signup", "Login"),
    }),
    { maxLength: 30 },
  )
  .map((rows) =>
    rows.map(({ visitor, minute, pathname, eventName }) =>
      anEvent({
        siteId: siteId("a.test"),
        visitorId: BigInt(visitor),
        timestampMs: Date.parse(DAY) + minute * 60_000,
        countryCode: COUNTRIES[visitor % COUNTRIES.length] ?? null,
        pathname,
        eventName,
      }),
    ),
  );

const conditionOf = (dimension: Condition["dimension"], values: readonly string[]) =>
  fc.record({
    dimension: fc.constant(dimension),
    operator: fc.constant("in" as const),
    isNegated: fc.boolean(),
    values: fc.constantFrom(...values).map((value) => [value]),
  });
const country = conditionOf("countries", ["DE", "FR", "(unknown)"]);
const page = conditionOf("pages", ["/", "/pricing"]);

const scopeOf = (conditions: readonly Condition[]): Scope => ({ siteId: "a.test", firstDay: DAY, lastDay: DAY, conditions });
const filtersOf = (conditions: readonly Condition[]): Filter[] =>
  conditions.map(({ dimension, operator, isNegated, values }) => filterOf(dimension, operator, isNegated, values));

describe("metrics", () => {
  it("the conversion rate is the share of visitors, under the other filters, with a matching event", () => {
    const goal = fc
      .constantFrom("Signup", "Login")
      .map((value): Condition => ({ dimension: "events", operator: "in", isNegated: false, values: [value] }));
    fc.assert(
      fc.property(events, fc.array(fc.oneof(country, page), { maxLength: 2 }), goal, (all, others, converted) => {
        const conditions = [...others, converted];
        const left = withoutGoalFilters(filtersOf(conditions));
        expect(left).toEqual(filtersOf(others));
        expect(filterKindOf(filtersOf(conditions))).toBe("goal");
        const [main, everybody] = [mainOf(all, scopeOf(conditions), GAP_MS, null), mainOf(all, scopeOf(others), GAP_MS, null)];
        const meeting = inScope(all, scopeOf(conditions));
        const visitors = new Set(inScope(all, scopeOf(others)).map(({ visitorId }) => visitorId));
        const converting = [...visitors].filter((id) => meeting.some(({ visitorId }) => visitorId === id));
        const rate = METRICS.conversion_rate.value(main, everybody);
        expect(rate).toBe(visitors.size === 0 ? 0 : converting.length / visitors.size);
        expect(METRICS.unique_conversions.value(main, everybody)).toBe(converting.length);
        expect(METRICS.total_conversions.value(main, everybody)).toBe(meeting.length);
      }),
    );
  });

  it("the conversion rate is unknown until the visitors are known", () => {
    expect(METRICS.conversion_rate.value(mainOf([], scopeOf([]), GAP_MS, null), null)).toBeNull();
  });
});
