/** GET /api/stats/revenue: revenue by currency, event and page, never added up across currencies (docs/http-api.md, "Revenue"). */
import { REVENUE_ROWS_MAX } from "../base/config/report-limits.ts";
import { type AggregateQuery, combinePlans, joinPlans, type Plan, planOf } from "../query/plan.ts";
import { closed, count, list, number, text } from "../base/json-schema.ts";
import { checkIncluded, comparedScopes, INCLUDED_COMPARISON } from "../query/comparison.ts";
import { column, type ColumnName, numberIn, ratio, sql, type SqlRow, sumsBy, textIn } from "../query/sql.ts";
import { eventsIn, type Scope, within } from "../query/scope.ts";
import { revenueTotal } from "./measures/counts.ts";
import { REVENUE_FIELDS, centsIn, moneyIn, revenueOf, rows } from "./measures/fields.ts";
import { report } from "./report.ts";
import { compareCodePoints } from "../../storage/code-point-order.ts";

const SUMS = sql`${revenueTotal()} AS total, count(*) AS transactions`;

/** Rows `currency`, `total` (hundredths), `transactions`, `paying_visitors`. */
const allCurrencies = (scope: Scope): AggregateQuery => ({
  keys: [],
  codes: ["currency"],
  counts: ["transactions", "paying_visitors"],
  amounts: ["total"],
  partial: (range) => sql`
    SELECT currency, ${SUMS}, count(DISTINCT visitor_id) AS paying_visitors
    FROM (${eventsIn(within(scope, range))}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY currency`,
});

const revenueByCurrency = (scope: Scope): AggregateQuery => ({ ...allCurrencies(scope), top: { by: "total", rowsMax: REVENUE_ROWS_MAX } });

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

const currencyNumbers = (row: SqlRow | undefined) => ({
  total: moneyIn(row, "total"),
  transactions: numberIn(row, "transactions"),
  paying_visitors: numberIn(row, "paying_visitors"),
  // A single division: the average of three orders of 29.90 is exactly 29.9.
  average_order_value: ratio(row ? Number(centsIn(row, "total")) : 0, 100 * numberIn(row, "transactions")),
});

type ByCurrency = ReadonlyMap<string, SqlRow>;

const byCurrency = (found: readonly SqlRow[]): ByCurrency =>
  sumsBy((row) => textIn(row, "currency"), found, ["total", "transactions", "paying_visitors"]);

/** `before` is null without a comparison. Currencies that only the other window has come last. */
const currencyRows = (now: ByCurrency, before: ByCurrency | null) =>
  [...now.keys(), ...[...(before?.keys() ?? [])].filter((currency) => !now.has(currency)).sort(compareCodePoints)]
    .slice(0, REVENUE_ROWS_MAX)
    .map((currency) => ({
      currency,
      ...currencyNumbers(now.get(currency)),
      ...(before && { comparison: currencyNumbers(before.get(currency)) }),
    }));

/** All currencies of the scopes, which share no salt period. */
const comparedCurrencies = (scopes: readonly Scope[]): Plan<ByCurrency> =>
  combinePlans(
    scopes.map((scope) => planOf(scope, [allCurrencies(scope)], (found) => found)),
    (parts) => byCurrency(parts.flat()),
  );

const valueRow = (row: SqlRow) => ({ value: textIn(row, "value"), ...revenueOf(row) });

const { currency, ...TOTALS } = REVENUE_FIELDS;

const NUMBERS = {
  ...TOTALS,
  paying_visitors: count("Distinct visitors with such events."),
  average_order_value: number("Total divided by transactions."),
};

export const revenue = report({
  path: "/api/stats/revenue",
  operationId: "getRevenue",
  summary: "Revenue by currency, event and page",
  description: "Currencies are never added up.",
  parameters: INCLUDED_COMPARISON,
  check: checkIncluded,
  result: {
    name: "Revenue",
    schema: closed({
      by_currency: list(
        `Largest total first, then by currency. At most ${REVENUE_ROWS_MAX}.`,
        closed({ currency, ...NUMBERS, comparison: closed(NUMBERS) }, { optional: ["comparison"] }),
        { maxItems: REVENUE_ROWS_MAX },
      ),
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
  plan(request, { rotationDays }) {
    const { scope } = request;
    const compared = comparedScopes(request, rotationDays);
    const found = planOf(
      scope,
      [revenueByCurrency(scope), revenueBy(scope, "event_name"), revenueBy(scope, "pathname")],
      (currencies, events, pages) => ({ currencies: byCurrency(currencies), by_event: events.map(valueRow), by_page: pages.map(valueRow) }),
    );
    return joinPlans(found, comparedCurrencies(compared ?? []), ({ currencies, ...others }, before) => ({
      by_currency: currencyRows(currencies, compared && before),
      ...others,
    }));
  },
});
