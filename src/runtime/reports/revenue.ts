/** GET /api/stats/revenue: revenue by currency, event and page, never added up across currencies (docs/http-api.md, "Revenue"). */
import { REVENUE_ROWS_MAX } from "../base/config/report-limits.ts";
import { type AggregateQuery, planOf } from "../query/plan.ts";
import { closed, count, number, text } from "../base/json-schema.ts";
import { column, type ColumnName, numberIn, ratio, sql, type SqlRow, textIn } from "../query/sql.ts";
import { eventsIn, type Scope, within } from "../query/scope.ts";
import { revenueTotal } from "./measures/counts.ts";
import { REVENUE_FIELDS, centsIn, revenueOf, rows } from "./measures/fields.ts";
import { report } from "./report.ts";

const SUMS = sql`${revenueTotal()} AS total, count(*) AS transactions`;

/** Rows `currency`, `total` (hundredths), `transactions`, `paying_visitors`. */
const revenueByCurrency = (scope: Scope): AggregateQuery => ({
  keys: [],
  codes: ["currency"],
  counts: ["transactions", "paying_visitors"],
  amounts: ["total"],
  partial: (range) => sql`
    SELECT currency, ${SUMS}, count(DISTINCT visitor_id) AS paying_visitors
    FROM (${eventsIn(within(scope, range))}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY currency`,
  top: { by: "total", rowsMax: REVENUE_ROWS_MAX },
});

/** Rows `value`, `currency`, `total` (hundredths), `transactions`. */
const revenueBy = (scope: Scope, name: ColumnName): AggregateQuery => ({
  keys: [],
  codes: ["value", "currency"],
  counts: ["transactions"],
  amounts: ["total"],
  partial: (range) => sql`
    SELECT ${column(name)} AS value, currency, ${SUMS}
    FROM (${eventsIn(within(scope, range))}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY ALL`,
  top: { by: "total", rowsMax: REVENUE_ROWS_MAX },
});

const currencyRow = (row: SqlRow) => ({
  ...revenueOf(row),
  paying_visitors: numberIn(row, "paying_visitors"),
  // A single division: the average of three orders of 29.90 is exactly 29.9.
  average_order_value: ratio(Number(centsIn(row, "total")), 100 * numberIn(row, "transactions")),
});

const valueRow = (row: SqlRow) => ({ value: textIn(row, "value"), ...revenueOf(row) });

export const revenue = report({
  path: "/api/stats/revenue",
  operationId: "getRevenue",
  summary: "Revenue by currency, event and page",
  description: "Currencies are never added up.",
  parameters: {},
  result: {
    name: "Revenue",
    schema: closed({
      by_currency: rows("Largest total first, then by currency.", REVENUE_ROWS_MAX, {
        ...REVENUE_FIELDS,
        paying_visitors: count("Distinct visitors with such events."),
        average_order_value: number("Total divided by transactions."),
      }),
      by_event: rows("Largest total first, then by event and currency.", REVENUE_ROWS_MAX, {
        value: text("The event's name."),
        ...REVENUE_FIELDS,
      }),
      by_page: rows("Largest total first, then by page and currency.", REVENUE_ROWS_MAX, {
        value: text("The page's path."),
        ...REVENUE_FIELDS,
      }),
    }),
  },
  rolled: (scope) => ({
    "revenue-by-currency": { query: revenueByCurrency(scope), over: "events", by: ["currency"], where: "revenue" },
    "revenue-by-event": { query: revenueBy(scope, "event_name"), over: "events", by: ["event_name", "currency"], where: "revenue" },
    "revenue-by-page": { query: revenueBy(scope, "pathname"), over: "events", by: ["pathname", "currency"], where: "revenue" },
  }),
  plan: ({ scope }) =>
    planOf(
      scope,
      [revenueByCurrency(scope), revenueBy(scope, "event_name"), revenueBy(scope, "pathname")],
      (currencies, events, pages) => ({
        by_currency: currencies.map(currencyRow),
        by_event: events.map(valueRow),
        by_page: pages.map(valueRow),
      }),
    ),
});
