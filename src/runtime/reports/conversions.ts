/** GET /api/stats/conversions: how many visitors met each goal of the site, and the revenue of revenue goals (docs/http-api.md, "Conversions"). */
import { GOALS_MAX, GOALS_OF_QUERY_MAX } from "../base/config/admin-limits.ts";
import { REVENUE_ROWS_MAX } from "../base/config/report-limits.ts";
import type { AggregateQuery } from "../query/aggregate-query.ts";
import { planOf } from "../query/plan.ts";
import { Decimal, decimalFromCents } from "../query/decimal.ts";
import { goalSql } from "../query/goal.ts";
import { count, fraction, orNull, text } from "../query/json-schema.ts";
import { numberIn, ratio, textIn } from "../query/row-values.ts";
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
  const marked = sql`(${eventsIn(scope, sql`visitor_id, currency, revenue_amount, ${met} AS met`)}) AS marked`;
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

const NAMED = perDialect(
  sql`SELECT totals.goal, coalesce(texts.text, '(unknown)') AS currency, totals.total, totals.transactions
        FROM totals LEFT JOIN texts ON texts.code = totals.currency`,
  sql`SELECT * FROM totals`,
);

/** Rows `goal`, `currency`, `total` (hundredths), `transactions`; of each goal, total descending, then currency. */
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
  finalize: sql`
    SELECT goal, currency, CAST(total AS VARCHAR) AS total, transactions
    FROM (
      SELECT *, row_number() OVER (PARTITION BY goal ORDER BY total DESC, currency ASC) AS place
      FROM (
        ${NAMED}
      ) AS named
    ) AS ranked
    WHERE place <= ${REVENUE_ROWS_MAX}
    ORDER BY goal, place`,
});

/** In lists that one query each reads. */
function inQueries(goals: readonly SiteGoal[]): SiteGoal[][] {
  const lists: SiteGoal[][] = [];
  for (let i = 0; i < goals.length; i += GOALS_OF_QUERY_MAX) lists.push(goals.slice(i, i + GOALS_OF_QUERY_MAX));
  return lists;
}

/** The rows that the query of each list has found, by goal. */
const rowsByGoal = (lists: readonly SiteGoal[][], found: readonly (readonly SqlRow[])[]): ReadonlyMap<SiteGoal, readonly SqlRow[]> =>
  new Map(
    lists.flatMap((goals, i) =>
      goals.map((goal, number) => [goal, (found[i] ?? []).filter((row) => numberIn(row, "goal") === number)] as const),
    ),
  );

const revenueRow = (row: SqlRow) => ({
  currency: textIn(row, "currency"),
  total: new Decimal(decimalFromCents(BigInt(textIn(row, "total")))),
  transactions: numberIn(row, "transactions"),
});

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
    const withRevenue = inQueries(goals.filter(({ fields }) => fields.hasRevenue));
    const queries = [
      visitorCounts(scope),
      ...lists.map((list) => countsByGoal(scope, list)),
      ...withRevenue.map((list) => revenueByGoal(scope, list)),
    ];
    return planOf(scope, queries, (...[all, ...found]) => {
      const counts = rowsByGoal(lists, found);
      const revenue = rowsByGoal(withRevenue, found.slice(lists.length));
      return goals.map((goal) => {
        const counted = counts.get(goal)?.[0];
        const visitors = numberIn(counted, "visitors");
        return {
          id: goal.id,
          name: goal.fields.name,
          visitors,
          events: numberIn(counted, "events"),
          conversion_rate: ratio(visitors, numberIn(all?.[0], "visitors")),
          revenue: revenue.get(goal)?.map(revenueRow) ?? null,
        };
      });
    });
  },
});
