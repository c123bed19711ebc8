/** Visitors by the week of their first event, and in which weeks after it they were seen again. */
import { DAY_MS } from "../../../storage/event.ts";
import { eventsWithMatch, within, type Scope } from "../../query/scope.ts";
import { sql } from "../../query/sql.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";

const WEEK_DAYS = 7;

/** The epoch began on a Thursday, the fourth day of a week that begins on Monday. */
const EPOCH_WEEKDAY = 3;

/** The number of the ISO week of an instant. That of the epoch is 0. */
export const weekOf = (ms: number): number => Math.floor((Math.floor(ms / DAY_MS) + EPOCH_WEEKDAY) / WEEK_DAYS);

/** The first instant of a week: Monday midnight. */
export const startOfWeekMs = (week: number): number => (week * WEEK_DAYS - EPOCH_WEEKDAY) * DAY_MS;

/**
 * Rows `week` (the number of the cohort's week), `later` (weeks after it, from 0), `visitors`, of visitors whose first
 * event lies in the scope's range and who have a matching event in that week and in the later one. To be asked about that
 * range and all of its first day's salt period.
 */
export const queryRetention = (scope: Scope, weeks: number): AggregateQuery => ({
  keys: ["week", "kept"],
  counts: ["visitors"],
  partial(known) {
    const startMs = Math.max(scope.range.startMs, known.startMs);
    const firstWeek = weekOf(startMs);
    return sql`
      WITH sighted AS (
        SELECT visitor_id, timestamp, matching, timestamp >= ${startMs} AS ranged,
          (timestamp // ${DAY_MS} + ${EPOCH_WEEKDAY}) // ${WEEK_DAYS} - ${firstWeek} AS week
        FROM (${eventsWithMatch(within(scope, known))}) AS known
      ),
      visitors AS (
        SELECT
          min(week) AS week,
          min(timestamp) AS first_ms,
          bit_or(CASE WHEN ranged AND matching = 1 THEN CAST(1 AS BIGINT) << week ELSE 0 END) AS seen
        FROM sighted
        GROUP BY visitor_id
      )
      SELECT week + ${firstWeek} AS week, retention(seen >> week) AS kept, count(*) AS visitors
      FROM visitors
      WHERE first_ms >= ${startMs} AND (seen >> week) & 1 = 1
      GROUP BY ALL`;
  },
  finalize: sql`
    SELECT week, later, CAST(sum(visitors) FILTER (WHERE (kept >> later) & 1 = 1) AS BIGINT) AS visitors
    FROM figures, (SELECT unnest(range(${weeks})) AS later) AS weeks
    GROUP BY week, later
    ORDER BY week, later`,
});
