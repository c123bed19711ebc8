/** Visitors, page views and events of the last minutes by minute, page, source, country and event, in one pass over the events. */
import { REALTIME_COUNTRIES_MAX, REALTIME_ROWS_MAX } from "../../base/config/report-limits.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import type { AggregateQuery } from "../../query/aggregate-query.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { perDialect, sql, textCode, type SqlText } from "../../query/sql.ts";
import type { EpochMs } from "../../../storage/event.ts";

export const MINUTE_MS = 60_000;

/** Two windows with the same end. Both ends of each are inclusive. */
export interface Windows {
  readonly startMs: EpochMs;
  /** The window of current visitors. */
  readonly currentStartMs: EpochMs;
  readonly endMs: EpochMs;
}

/**
 * What a row counts: all events of both windows, or those with one value of a column. The numbers are those of SQL's GROUPING,
 * which has a 0 in place of the column by which a row is grouped.
 */
export const FACETS = {
  total: 0b11111,
  minute: 0b01111,
  page: 0b10111,
  source: 0b11011,
  country: 0b11101,
  event: 0b11110,
} as const;

/** The minute of an event, counted since the epoch. */
export const MINUTE = perDialect(sql`timestamp // ${MINUTE_MS}`, sql`intDiv(timestamp, ${MINUTE_MS})`);

/** All codes are of one type: in ClickHouse texts, because those of values are. */
const MINUTE_CODE = perDialect(sql`minute`, sql`toString(minute)`);

const UNRECORDED = sql`CASE WHEN facet = ${FACETS.source} THEN '(direct)' ELSE '(unknown)' END`;

const NAMED = perDialect(
  sql`SELECT totals.*, coalesce(texts.text, ${UNRECORDED}) AS value
        FROM totals LEFT JOIN texts ON texts.code = totals.code`,
  sql`SELECT *, if(code = '(unknown)', ${UNRECORDED}, code) AS value FROM totals`,
);

/**
 * The events of both windows that are in the range. `minute`, `page` and `source` are those of page views, and `event` is the name
 * of other events; they are null for events before the first window.
 */
function recentEvents({ startMs, currentStartMs, endMs }: Windows, scope: Scope): SqlText {
  const firstMs = Math.min(startMs, currentStartMs);
  const isRecent = sql`timestamp >= ${startMs}`;
  const isViewed = sql`${isRecent} AND event_name = ${textCode(PAGEVIEW)}`;
  return sql`
    SELECT visitor_id, country_code,
      ${isRecent} AS is_recent,
      timestamp >= ${currentStartMs} AS is_current,
      CASE WHEN ${isViewed} THEN ${MINUTE} END AS minute,
      CASE WHEN ${isViewed} THEN pathname END AS page,
      CASE WHEN ${isViewed} THEN referrer_source END AS source,
      CASE WHEN ${isRecent} AND event_name <> ${textCode(PAGEVIEW)} THEN event_name END AS event
    FROM (${eventsIn(scope)}) AS scoped
    WHERE timestamp >= ${firstMs} AND timestamp <= ${endMs}`;
}

/**
 * Rows `facet`, `code` (the minute since the epoch, or of `value`), `value`, `visitors` and `events` of the first window,
 * `current_visitors`. Those of a facet have most visitors first, then are ordered by value. A country with current visitors only has no row:
 * the first window may be the shorter one.
 */
export const recentActivity = (windows: Windows, scope: Scope): AggregateQuery => ({
  keys: ["facet", "code"],
  counts: ["visitors", "current_visitors", "events"],
  partial: (range) => sql`
    SELECT facet, code, visitors, current_visitors, events
    FROM (
      SELECT GROUPING(minute, page, source, country_code, event) AS facet,
        coalesce(${MINUTE_CODE}, page, source, country_code, event) AS code,
        count(DISTINCT visitor_id) FILTER (WHERE is_recent) AS visitors,
        count(DISTINCT visitor_id) FILTER (WHERE is_current) AS current_visitors,
        count(*) FILTER (WHERE is_recent) AS events
      FROM (${recentEvents(windows, within(scope, range))}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE code IS NOT NULL OR facet = ${FACETS.total}`,
  finalize: sql`
    SELECT facet, code, value, visitors, current_visitors, events
    FROM (
      SELECT *, row_number() OVER (PARTITION BY facet ORDER BY visitors DESC, value ASC) AS place
      FROM (
        ${NAMED}
      ) AS named
    ) AS ranked
    WHERE facet = ${FACETS.total}
      OR (visitors > 0 AND (facet = ${FACETS.minute} OR place <= ${REALTIME_ROWS_MAX}
        OR (facet = ${FACETS.country} AND place <= ${REALTIME_COUNTRIES_MAX})))
    ORDER BY facet, place`,
});
