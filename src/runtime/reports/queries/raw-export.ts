/** A scope's events as columns of numbers, and the texts that the numbers stand for. */
import { TEXT_COLUMNS } from "../../engine/duckdb/event-batch.ts";
import type { Portion } from "../exports/export-portions.ts";
import { eventsIn, type Scope } from "../../query/scope.ts";
import { column, joinSql, sql, type SqlText } from "../../query/sql.ts";

/** Rows `minute_ms` (a minute's first millisecond), `events`, oldest first, of the minutes that have any. */
export const queryMinutes = (scope: Scope): SqlText => sql`
  WITH placed AS (
    SELECT timestamp - timestamp % 60000 AS minute_ms
    FROM (${eventsIn(scope)}) AS scoped
  )
  SELECT minute_ms, count(*) AS events FROM placed GROUP BY minute_ms ORDER BY minute_ms`;

const TEXT_CODES = joinSql(
  TEXT_COLUMNS.map(({ name }) => column(name)),
  ", ",
);

/**
 * The first events of a portion, oldest first: numbers of texts, `timestamp`, `revenue_cents`, and
 * `has_revenue`, 0 where no revenue was recorded, since a column of numbers has no NULL.
 */
export const queryEvents = (scope: Scope, { startMs, endMs }: Portion, rowsMax: number): SqlText => sql`
  SELECT
    ${TEXT_CODES},
    timestamp,
    coalesce(revenue_amount, 0) AS revenue_cents,
    CASE WHEN revenue_amount IS NULL THEN 0 ELSE 1 END AS has_revenue
  FROM (${eventsIn(scope)}) AS scoped
  WHERE timestamp >= ${startMs} AND timestamp < ${endMs}
  ORDER BY timestamp, sequence_number
  LIMIT ${rowsMax}`;

/** Rows `code`, `text` of all numbers from `first` to `last`. */
export const queryTextRange = (first: number, last: number): SqlText =>
  sql`SELECT code, text FROM texts WHERE code >= ${first} AND code <= ${last}`;

/** Rows `code`, `text` of these numbers, which are in ascending order. */
export const queryTexts = (codes: readonly number[]): SqlText =>
  sql`${queryTextRange(codes[0] ?? 0, codes.at(-1) ?? 0)} AND code IN (${joinSql(
    codes.map((code) => sql`${code}`),
    ", ",
  )})`;
