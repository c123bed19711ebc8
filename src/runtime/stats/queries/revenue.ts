/** Money of a scope's events in hundredths, never summed across currencies. */
import { REVENUE_ROWS_MAX } from "../../limits.ts";
import { eventsIn, type Scope } from "../scope.ts";
import { column, sql, type ColumnName, type SqlText } from "../sql.ts";

/** Totals come as text: they may exceed what a number holds exactly. */
const TOTAL = sql`CAST(sum(revenue_amount) AS VARCHAR) AS total_cents, sum(revenue_amount) AS total, count(*) AS transactions`;

/** Rows `currency`, `total_cents`, `transactions`, `paying_visitors`; total descending, then currency. */
export const queryRevenueByCurrency = (scope: Scope): SqlText => sql`
  WITH figures AS (
    SELECT currency, ${TOTAL}, count(DISTINCT visitor_id) AS paying_visitors
    FROM (${eventsIn(scope)}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY currency
  )
  SELECT coalesce(texts.text, '(unknown)') AS currency, total_cents, transactions, paying_visitors
  FROM figures LEFT JOIN texts ON texts.code = figures.currency
  ORDER BY total DESC, coalesce(texts.text, '(unknown)') ASC
  LIMIT ${REVENUE_ROWS_MAX}`;

/** Rows `value`, `currency`, `total_cents`, `transactions`; total descending, then value, then currency. */
export const queryRevenueBy = (scope: Scope, name: ColumnName): SqlText => sql`
  WITH figures AS (
    SELECT ${column(name)} AS code, currency, ${TOTAL}
    FROM (${eventsIn(scope)}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY ${column(name)}, currency
  ),
  named AS (
    SELECT
      coalesce(named_value.text, '(unknown)') AS value,
      coalesce(named_currency.text, '(unknown)') AS currency,
      total_cents, total, transactions
    FROM figures
    LEFT JOIN texts AS named_value ON named_value.code = figures.code
    LEFT JOIN texts AS named_currency ON named_currency.code = figures.currency
  )
  SELECT value, currency, total_cents, transactions
  FROM named
  ORDER BY total DESC, value ASC, currency ASC
  LIMIT ${REVENUE_ROWS_MAX}`;
