/** Money of a scope's events in hundredths, never summed across currencies. */
import { REVENUE_ROWS_MAX } from "../../config/limits.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { column, sql, type ColumnName } from "../../query/sql.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";

const TAKINGS = sql`sum(revenue_amount) AS total, count(*) AS transactions`;

/** Totals come as text: they may exceed what a number holds exactly. */
const TOTAL_CENTS = sql`CAST(total AS VARCHAR) AS total_cents`;

/** Rows `currency`, `total_cents`, `transactions`, `paying_visitors`; total descending, then currency. */
export const queryRevenueByCurrency = (scope: Scope): AggregateQuery => ({
  keys: ["code"],
  counts: ["transactions", "paying_visitors"],
  amounts: ["total"],
  partial: (range) => sql`
    SELECT currency AS code, ${TAKINGS}, count(DISTINCT visitor_id) AS paying_visitors
    FROM (${eventsIn(within(scope, range))}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY currency`,
  finalize: sql`
    SELECT coalesce(texts.text, '(unknown)') AS currency, ${TOTAL_CENTS}, transactions, paying_visitors
    FROM figures LEFT JOIN texts ON texts.code = figures.code
    ORDER BY total DESC, currency ASC
    LIMIT ${REVENUE_ROWS_MAX}`,
});

/** Rows `value`, `currency`, `total_cents`, `transactions`; total descending, then value, then currency. */
export const queryRevenueBy = (scope: Scope, name: ColumnName): AggregateQuery => ({
  keys: ["code", "currency_code"],
  counts: ["transactions"],
  amounts: ["total"],
  partial: (range) => sql`
    SELECT ${column(name)} AS code, currency AS currency_code, ${TAKINGS}
    FROM (${eventsIn(within(scope, range))}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY ALL`,
  finalize: sql`
    SELECT
      coalesce(named_value.text, '(unknown)') AS value,
      coalesce(named_currency.text, '(unknown)') AS currency,
      ${TOTAL_CENTS},
      transactions
    FROM figures
    LEFT JOIN texts AS named_value ON named_value.code = figures.code
    LEFT JOIN texts AS named_currency ON named_currency.code = figures.currency_code
    ORDER BY total DESC, value ASC, currency ASC
    LIMIT ${REVENUE_ROWS_MAX}`,
});
