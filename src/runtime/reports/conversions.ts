/** GET /api/stats/conversions: how many visitors met each goal of the site, and the revenue of revenue goals (docs/http-api.md, "Conversions"). */
import { GOALS_MAX, GOALS_OF_QUERY_MAX } from "../config/collection-limits.ts";
import { REVENUE_ROWS_MAX } from "../config/report-limits.ts";
import type { AggregateQuery } from "../execution/aggregate-query.ts";
import { planOf } from "../execution/plan.ts";
import { Decimal, decimalFromCents } from "../query/decimal.ts";
import { goalSql } from "../query/goal.ts";
import { count, fraction, orNull, text } from "../query/json-schema.ts";
import { numberIn, ratio, rowsBy, textIn } from "../query/row-values.ts";
import { eventsIn, propsIn, within, type Scope } from "../query/scope.ts";
import { perDialect, sql, type SqlRow, type SqlText } from "../query/sql.ts";
import { bitsSql } from "../query/steps.ts";
import type { SiteGoal } from "../sites/goal.ts";
import { CURRENCY, MONEY, VISITORS, rows } from "./measures/fields.ts";
import { REVENUE_TOTAL } from "./measures/revenue-total.ts";
import { visitorCounts } from "./measures/visitor-counts.ts";
import { report } from "./report.ts";

/** Rows `goal` (its number in the list, from 0), `visitor_id`, `currency`, `revenue_amount`: one for each goal that an event meets. */
function eventsByGoal(scope: Scope, goals: readonly SiteGoal[]): SqlText {
  const met = bitsSql(goals.map(({ fields }) => goalSql(fields.goal, propsIn(scope))));
  const marked = sql`(SELECT visitor_id, currency, revenue_amount, ${met} AS met FROM (${eventsIn(scope)}) AS scoped) AS marked`;
  return perDialect(
    sql`
    SELECT goal, visitor_id, currency, revenue_amount
    FROM ${marked}, (SELECT unnest(range(CAST(${goals.length} AS BIGINT))) AS goal) AS goals
    WHERE met <> 0 AND (met >> CAST(goal AS INTEGER)) & 1 = 1`,
    sql`
    SELECT arrayJoin(bitPositionsToArray(met)) AS goal, visitor_id, currency, revenue_amount
    FROM ${marked}
    WHERE met <> 0`,
  );
}

/** Rows `goal`, `visitors`, `events`. */
const countsByGoal = (scope: Scope, goals: readonly SiteGoal[]): AggregateQuery => ({
  keys: ["goal"],
  counts: ["visitors", "events"],
  partial: (range) => sql`
    SELECT CAST(goal AS BIGINT) AS goal, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (${eventsByGoal(within(scope, range), goals)}) AS met_events
    GROUP BY goal`,
});

/** Rows `goal`, `currency`, `total` (hundredths), `transactions`; total descending, then currency. */
const revenueByGoal = (scope: Scope, goals: readonly SiteGoal[]): AggregateQuery => ({
  keys: ["goal"],
  codes: ["currency"],
  counts: ["transactions"],
  amounts: ["total"],
  partial: (range) => sql`
    SELECT CAST(goal AS BIGINT) AS goal, currency, ${REVENUE_TOTAL} AS total, count(*) AS transactions
    FROM (${eventsByGoal(within(scope, range), goals)}) AS met_events
    WHERE revenue_amount IS NOT NULL
    GROUP BY goal, currency`,
  top: { by: "total", rowsMax: REVENUE_ROWS_MAX * GOALS_MAX },
});

/** In lists that one query each counts. */
function inQueries(goals: readonly SiteGoal[]): SiteGoal[][] {
  const lists: SiteGoal[][] = [];
  for (let i = 0; i < goals.length; i += GOALS_OF_QUERY_MAX) lists.push(goals.slice(i, i + GOALS_OF_QUERY_MAX));
  return lists;
}

const revenueRows = (found: readonly SqlRow[], goal: number) =>
  found
    .filter((row) => numberIn(row, "goal") === goal)
    .slice(0, REVENUE_ROWS_MAX)
    .map((row) => ({
      currency: textIn(row, "currency"),
      total: new Decimal(decimalFromCents(BigInt(textIn(row, "total")))),
      transactions: numberIn(row, "transactions"),
    }));

export const conversions = report({
  path: "/api/stats/conversions",
  operationId: "getConversions",
  summary: "The goals of the site, with visitors, events and conversion rates",
  description: "Goals count events from before they were made, too.",
  parameters: {},
  readsGoals: true,
  result: {
    name: "Conversions",
    schema: rows("The goals of the site in their order.", GOALS_MAX, {
      id: text("The goal's id."),
      name: text("The goal's name."),
      visitors: VISITORS,
      events: count("Events that meet the goal."),
      conversion_rate: fraction("Visitors divided by all visitors of the range and filters."),
      revenue: orNull(
        rows("Of a revenue goal: largest total first, then by currency. Null for other goals.", REVENUE_ROWS_MAX, {
          currency: CURRENCY,
          total: MONEY,
          transactions: count("Events with a revenue amount, refunds included."),
        }),
      ),
    }),
  },
  plan({ scope, goals }) {
    const lists = inQueries(goals);
    const withRevenue = goals.filter(({ fields }) => fields.hasRevenue);
    const revenueQueries = withRevenue.length > 0 ? [revenueByGoal(scope, withRevenue)] : [];
    const queries = [visitorCounts(scope), ...lists.map((list) => countsByGoal(scope, list)), ...revenueQueries];
    return planOf(scope, queries, (...[all, ...found]) => {
      const revenue = found[lists.length] ?? [];
      const counts = lists.flatMap((list, i) => {
        const byGoal = rowsBy("goal", found[i] ?? []);
        return list.map((_, number) => byGoal.get(number));
      });
      return goals.map((goal, i) => {
        const visitors = numberIn(counts[i], "visitors");
        return {
          id: goal.id,
          name: goal.fields.name,
          visitors,
          events: numberIn(counts[i], "events"),
          conversion_rate: ratio(visitors, numberIn(all?.[0], "visitors")),
          revenue: goal.fields.hasRevenue ? revenueRows(revenue, withRevenue.indexOf(goal)) : null,
        };
      });
    });
  },
});
