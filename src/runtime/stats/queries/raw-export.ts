/** A scope's events as columns of numbers, and the texts that the numbers stand for. */
import type { EpochMs } from "../../../storage/event.ts";
import { TEXT_COLUMNS } from "../../engine/event-batch.ts";
import { eventsIn, type Scope } from "../scope.ts";
import { column, joinSql, sql, type SqlText } from "../sql.ts";

/** Rows `minute_ms` (a minute's first millisecond), `events`, oldest first, of the minutes that have any. */
export const queryMinutes = (scope: Scope): SqlText => sql`
  WITH placed AS (
    SELECT timestamp - timestamp % 60000 AS minute_ms
    FROM (${eventsIn(scope)}) AS scoped
  )
  SELECT minute_ms, count(*) AS events FROM placed GROUP BY minute_ms ORDER BY minute_ms`;

const TEXT_CODES = joinSql(TEXT_COLUMNS.map(({ name }) => column(name)), ", ");

/**
 * The first events of a stretch of time, oldest first: numbers of texts, `timestamp`, `revenue_cents`,
 * and `has_revenue`, 0 where no revenue was recorded, since a column of numbers has no NULL.
 */
export const queryEvents = (scope: Scope, startMs: EpochMs, endMs: EpochMs, rowsMax: number): SqlText => sql`
  SELECT
    ${TEXT_CODES},
    timestamp,
    coalesce(revenue_amount, 0) AS revenue_cents,
    CASE WHEN revenue_amount IS NULL THEN 0 ELSE 1 END AS has_revenue
  FROM (${eventsIn(scope)}) AS scoped
  WHERE timestamp >= ${startMs} AND timestamp < ${endMs}
  ORDER BY timestamp, arrival
  LIMIT ${rowsMax}`;

/** Rows `code`, `text` of the numbers from `firstCode` to before `endCode`. */
export const queryTexts = (firstCode: number, endCode: number): SqlText => sql`
  SELECT code, text FROM texts WHERE code >= ${firstCode} AND code < ${endCode}`;
