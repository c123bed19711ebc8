/** Splits a long export into time intervals of limited size, each of which is read with one query. */
import type { EpochMs } from "../../../storage/event.ts";
import { TEXT_COLUMNS } from "../../duckdb/tables/event-batch.ts";
import type { NumberColumns } from "../../../storage/columns.ts";
import type { ScanQuery } from "../../query/scan.ts";
import { eventsIn, type Scope } from "../../query/scope.ts";
import { column, joinSql, perDialect, sql, type SqlText } from "../../query/sql.ts";

const MINUTE_MS = 60_000;

/** A time interval. No events are between consecutive portions. */
export interface Portion {
  readonly startMs: EpochMs;
  /** The first instant after it. */
  readonly endMs: EpochMs;
}

/** Rows `minute_ms` (a minute's first millisecond), `events`, oldest first, of the minutes with events. */
export const minutesQuery = (scope: Scope): ScanQuery => ({
  texts: [],
  numbers: ["minute_ms", "events"],
  sql: sql`
  SELECT timestamp - timestamp % ${MINUTE_MS} AS minute_ms, count(*) AS events
  FROM (${eventsIn(scope)}) AS scoped
  GROUP BY ALL
  ORDER BY minute_ms`,
});

/** In ClickHouse, only properties may be NULL. */
const textSql = ({ name, kind }: (typeof TEXT_COLUMNS)[number]): SqlText =>
  kind === "json" ? perDialect(column(name), sql`ifNull(${column(name)}, '(unknown)') AS ${column(name)}`) : column(name);

const TEXT_CODES = joinSql(TEXT_COLUMNS.map(textSql), ", ");

/** Orders events with equal timestamps. */
const PLACE = perDialect(sql`sequence_number`, sql`segment, row, node`);

/**
 * The first events of a portion, oldest first: codes of texts, `timestamp`, `revenue_cents`, and
 * `has_revenue`, which is 0 if no revenue was recorded, because a numeric column has no NULL.
 */
export const eventsQuery = (scope: Scope, { startMs, endMs }: Portion, rowsMax: number): ScanQuery => ({
  texts: TEXT_COLUMNS.map(({ name }) => name),
  numbers: ["timestamp", "revenue_cents", "has_revenue"],
  sql: sql`
  SELECT
    ${TEXT_CODES},
    timestamp,
    coalesce(revenue_amount, 0) AS revenue_cents,
    CASE WHEN revenue_amount IS NULL THEN 0 ELSE 1 END AS has_revenue
  FROM (${eventsIn(scope)}) AS scoped
  WHERE timestamp >= ${startMs} AND timestamp < ${endMs}
  ORDER BY timestamp, ${PLACE}
  LIMIT ${rowsMax}`,
});

/**
 * Portions of whole minutes (from `minutesQuery`) with about `portionRows` events each, until `rowsMax` events are
 * covered. A minute is never split, however many events it has.
 */
export function portionsOf({ minute_ms, events }: NumberColumns, rowsMax: number, portionRows: number): Portion[] {
  const portions: Portion[] = [];
  let total = 0;
  let startMs: EpochMs | null = null;
  let rows = 0;
  for (let i = 0; i < (minute_ms?.length ?? 0) && total < rowsMax; i++) {
    const minute = Number(minute_ms?.[i]);
    startMs ??= minute;
    rows += Number(events?.[i]);
    total += Number(events?.[i]);
    const isLast = i + 1 === minute_ms?.length || total >= rowsMax;
    if (rows < portionRows && !isLast) continue;
    portions.push({ startMs, endMs: minute + MINUTE_MS });
    [startMs, rows] = [null, 0];
  }
  return portions;
}
