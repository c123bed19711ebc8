/** The last minutes of a site: who is there, what they look at, where they come from. */
import { REALTIME_ROWS_MAX } from "../../limits.ts";
import { PAGEVIEW } from "../../names.ts";
import type { EpochMs } from "../../../storage/event.ts";
import { matchesSql, type Condition } from "../segment-filter.ts";
import { column, sql, textCode, type SqlText } from "../sql.ts";

/** Both ends belong to the window. */
export interface RealtimeWindow {
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  readonly conditions: readonly Condition[];
}

const eventsInWindow = ({ startMs, endMs, conditions }: RealtimeWindow): SqlText =>
  sql`SELECT * FROM events WHERE timestamp >= ${startMs} AND timestamp <= ${endMs} AND ${matchesSql(conditions)}`;

/** One row: `visitors` of any event, `pageviews`. */
export const queryCurrent = (window: RealtimeWindow): SqlText => sql`
  SELECT
    count(DISTINCT visitor_id) AS visitors,
    count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews
  FROM (${eventsInWindow(window)}) AS current`;

/** Rows `minute_ms` (the minute's first millisecond), `pageviews`, where there are any. */
export const queryPerMinute = (window: RealtimeWindow): SqlText => sql`
  WITH placed AS (
    SELECT timestamp - timestamp % 60000 AS minute_ms
    FROM (${eventsInWindow(window)}) AS current
    WHERE event_name = ${textCode(PAGEVIEW)}
  )
  SELECT minute_ms, count(*) AS pageviews FROM placed GROUP BY minute_ms`;

/** Rows `value`, `visitors` of pageviews; visitors descending, then value. */
export function queryTop(window: RealtimeWindow, name: "pathname" | "referrer_source", unrecorded: "(unknown)" | "(direct)"): SqlText {
  const fallback = unrecorded === "(direct)" ? sql`'(direct)'` : sql`'(unknown)'`;
  return sql`
  WITH figures AS (
    SELECT ${column(name)} AS code, count(DISTINCT visitor_id) AS visitors
    FROM (${eventsInWindow(window)}) AS current
    WHERE event_name = ${textCode(PAGEVIEW)}
    GROUP BY ${column(name)}
  )
  SELECT coalesce(texts.text, ${fallback}) AS value, visitors
  FROM figures LEFT JOIN texts ON texts.code = figures.code
  ORDER BY visitors DESC, value ASC
  LIMIT ${REALTIME_ROWS_MAX}`;
}
