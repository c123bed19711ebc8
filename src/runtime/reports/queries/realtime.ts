/** The last minutes of a site: who is there, what they look at, where they come from. */
import { REALTIME_ROWS_MAX } from "../../config/limits.ts";
import { PAGEVIEW } from "../../config/names.ts";
import type { EpochMs } from "../../../storage/event.ts";
import type { DateRange } from "../../query/date-range.ts";
import { matchesSql, type Condition } from "../../query/filters.ts";
import { column, sql, textCode, type SqlText } from "../../query/sql.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";

/** Both ends belong to the window. */
export interface RealtimeWindow {
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  readonly conditions: readonly Condition[];
}

/** Those of the window that lie in the range. */
function eventsInWindow({ startMs, endMs, conditions }: RealtimeWindow, range: DateRange): SqlText {
  const [firstMs, lastMs] = [Math.max(startMs, range.startMs), Math.min(endMs, range.endMs - 1)];
  return sql`SELECT * FROM events WHERE timestamp >= ${firstMs} AND timestamp <= ${lastMs} AND ${matchesSql(conditions)}`;
}

/** One row: `visitors` of any event, `pageviews`. */
export const queryCurrent = (window: RealtimeWindow): AggregateQuery => ({
  keys: [],
  counts: ["visitors", "pageviews"],
  partial: (range) => sql`
    SELECT
      count(DISTINCT visitor_id) AS visitors,
      count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews
    FROM (${eventsInWindow(window, range)}) AS current`,
  finalize: sql`SELECT visitors, pageviews FROM figures`,
});

/** Rows `minute_ms` (the minute's first millisecond), `pageviews`, where there are any. */
export const queryPerMinute = (window: RealtimeWindow): AggregateQuery => ({
  keys: ["minute_ms"],
  counts: ["pageviews"],
  partial: (range) => sql`
    WITH placed AS (
      SELECT timestamp - timestamp % 60000 AS minute_ms
      FROM (${eventsInWindow(window, range)}) AS current
      WHERE event_name = ${textCode(PAGEVIEW)}
    )
    SELECT minute_ms, count(*) AS pageviews FROM placed GROUP BY minute_ms`,
  finalize: sql`SELECT minute_ms, pageviews FROM figures`,
});

/** Rows `value`, `visitors` of pageviews; visitors descending, then value. */
export function queryTop(
  window: RealtimeWindow,
  name: "pathname" | "referrer_source",
  unrecorded: "(unknown)" | "(direct)",
): AggregateQuery {
  const fallback = unrecorded === "(direct)" ? sql`'(direct)'` : sql`'(unknown)'`;
  return {
    keys: ["code"],
    counts: ["visitors"],
    partial: (range) => sql`
      SELECT ${column(name)} AS code, count(DISTINCT visitor_id) AS visitors
      FROM (${eventsInWindow(window, range)}) AS current
      WHERE event_name = ${textCode(PAGEVIEW)}
      GROUP BY ${column(name)}`,
    finalize: sql`
      SELECT coalesce(texts.text, ${fallback}) AS value, visitors
      FROM figures LEFT JOIN texts ON texts.code = figures.code
      ORDER BY visitors DESC, value ASC
      LIMIT ${REALTIME_ROWS_MAX}`,
  };
}
