/**
 * GET /api/stats/goals: all events except page views, with their conversion rates (docs/http-api.md, "Goals").
 * GET /api/stats/conversions: visitors who met each goal of the site, and the revenue of revenue goals (docs/http-api.md, "Conversions").
 */
import { PAGEVIEW } from "../base/config/names.ts";
import { GOAL_ROWS_MAX, REVENUE_ROWS_MAX } from "../base/config/report-limits.ts";
import { type AggregateQuery, planOf } from "../query/plan.ts";
import { fraction, text, count, orNull } from "../base/json-schema.ts";
import { fragment, largestFirst, numberIn, ratio, sql, type SqlRow, type SqlText, textCode, textIn } from "../query/sql.ts";
import { eventsIn, propsIn, type Scope, within } from "../query/scope.ts";
import { visitorCounts, revenueTotal } from "./measures/counts.ts";
import { EVENTS, VISITORS, rows, REVENUE_FIELDS, revenueOf } from "./measures/fields.ts";
import { report } from "./report.ts";
import { GOALS_MAX, GOALS_OF_QUERY_MAX } from "../base/config/admin-limits.ts";
import { bitsSql, goalSql } from "../query/conditions.ts";
import type { SiteGoal } from "../sites/goal.ts";

const CONVERSION_RATE = fraction("Visitors divided by all visitors of the range and filters.");

/** Rows `value` (the name), `visitors`, `events`. */
const countsByEvent = (scope: Scope): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "events"],
  partial: (range) => sql`
    SELECT event_name AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (${eventsIn(within(scope, range))}) AS scoped
    WHERE event_name <> ${textCode(PAGEVIEW)}
    GROUP BY event_name`,
  top: { by: "visitors", rowsMax: GOAL_ROWS_MAX },
});

export const goals = report({
  path: "/api/stats/goals",
  operationId: "getGoals",
  summary: "Goals: events other than page views, with conversion rates",
  parameters: {},
  result: {
    name: "Goals",
    schema: rows("Most visitors first, then by name.", GOAL_ROWS_MAX, {
      name: text("The event's name."),
      visitors: VISITORS,
      events: EVENTS,
      conversion_rate: CONVERSION_RATE,
    }),
  },
  rolled: (scope) => ({ goals: { query: countsByEvent(scope), over: "events", by: ["event_name"], where: "custom event" } }),
  plan: ({ scope }) =>
    planOf(scope, [visitorCounts(scope), countsByEvent(scope)], ([all], found) =>
      found.map((row) => ({
        name: textIn(row, "value"),
        visitors: numberIn(row, "visitors"),
        events: numberIn(row, "events"),
        conversion_rate: ratio(numberIn(row, "visitors"), numberIn(all, "visitors")),
      })),
    ),
});

/** `marked` has a bit for each goal in `met`. */
export const perMetGoal = fragment(
  (marked: SqlText, listed: number) => sql`
    SELECT goal, visitor_id, currency, revenue_amount
    FROM ${marked}, (SELECT unnest(range(CAST(${listed} AS BIGINT))) AS goal) AS goals
    WHERE met <> 0 AND (met >> CAST(goal AS INTEGER)) & 1 = 1`,
);

/** A row for each goal that an event meets: `goal` (its place in the list, from 0), `visitor_id`, `currency`, `revenue_amount`. */
function eventsByGoal(scope: Scope, listed: readonly SiteGoal[]): SqlText {
  const met = bitsSql(listed.map(({ fields }) => goalSql(fields.goal, propsIn(scope))));
  const marked = sql`(${eventsIn(scope, sql`visitor_id, currency, revenue_amount, ${met} AS met`)}) AS marked`;
  return perMetGoal(marked, listed.length);
}

/** Rows `goal`, `visitors`, `events`. */
const countsByGoal = (scope: Scope, listed: readonly SiteGoal[]): AggregateQuery => ({
  keys: ["goal"],
  counts: ["visitors", "events"],
  partial: (range) => sql`
    SELECT CAST(goal AS BIGINT) AS goal, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (${eventsByGoal(within(scope, range), listed)}) AS met_events
    GROUP BY goal`,
});

/** Rows `goal`, `currency`, `total` (hundredths), `transactions`. */
const revenueByGoal = (scope: Scope, listed: readonly SiteGoal[]): AggregateQuery => ({
  keys: ["goal"],
  codes: ["currency"],
  counts: ["transactions"],
  amounts: ["total"],
  partial: (range) => sql`
    SELECT CAST(goal AS BIGINT) AS goal, currency, ${revenueTotal()} AS total, count(*) AS transactions
    FROM (${eventsByGoal(within(scope, range), listed)}) AS met_events
    WHERE revenue_amount IS NOT NULL
    GROUP BY goal, currency`,
});

/** The currencies with the largest totals. */
const largestTotals = (found: readonly SqlRow[]) =>
  found.toSorted(largestFirst("total", "currency")).slice(0, REVENUE_ROWS_MAX).map(revenueOf);

const inQueries = (listed: readonly SiteGoal[]): SiteGoal[][] =>
  Array.from({ length: Math.ceil(listed.length / GOALS_OF_QUERY_MAX) }, (_, i) =>
    listed.slice(i * GOALS_OF_QUERY_MAX, (i + 1) * GOALS_OF_QUERY_MAX),
  );

const rowsByGoal = (lists: readonly SiteGoal[][], found: readonly (readonly SqlRow[])[]): ReadonlyMap<SiteGoal, readonly SqlRow[]> =>
  new Map(
    lists.flatMap((list, i) =>
      list.map((goal, number) => [goal, (found[i] ?? []).filter((row) => numberIn(row, "goal") === number)] as const),
    ),
  );

export const conversions = report({
  path: "/api/stats/conversions",
  operationId: "getConversions",
  summary: "The goals of the site, with visitors, events and conversion rates",
  description: "Goals also count events that are older than the goal.",
  parameters: {},
  readsGoals: true,
  result: {
    name: "Conversions",
    schema: rows("The goals of the site in their order.", GOALS_MAX, {
      id: text("The goal's id."),
      name: text("The goal's name."),
      visitors: VISITORS,
      events: count("Events that meet the goal."),
      conversion_rate: CONVERSION_RATE,
      revenue: orNull(
        rows("Only goals with revenue: largest total first, then by currency. Null for other goals.", REVENUE_ROWS_MAX, REVENUE_FIELDS),
      ),
    }),
  },
  plan({ scope, goals: siteGoals }) {
    const lists = inQueries(siteGoals);
    const withRevenue = inQueries(siteGoals.filter(({ fields }) => fields.hasRevenue));
    const queries = [
      visitorCounts(scope),
      ...lists.map((list) => countsByGoal(scope, list)),
      ...withRevenue.map((list) => revenueByGoal(scope, list)),
    ];
    return planOf(scope, queries, (...[all, ...found]) => {
      const counts = rowsByGoal(lists, found);
      const revenue = rowsByGoal(withRevenue, found.slice(lists.length));
      return siteGoals.map((goal) => {
        const counted = counts.get(goal)?.[0];
        const visitors = numberIn(counted, "visitors");
        return {
          id: goal.id,
          name: goal.fields.name,
          visitors,
          events: numberIn(counted, "events"),
          conversion_rate: ratio(visitors, numberIn(all?.[0], "visitors")),
          revenue: goal.fields.hasRevenue ? largestTotals(revenue.get(goal) ?? []) : null,
        };
      });
    });
  },
});
