/** The scope of a report: the events of a site and a range that match a filter, and the SQL that selects them. */
import { dayNumberOf } from "../../storage/calendar.ts";
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { type DateRange } from "./date-range.ts";
import { matchesSql, type Condition } from "./filters.ts";
import { sql, type SqlText } from "./sql.ts";

/** The events that a query reads before any filter. */
export interface SiteRange {
  readonly siteId: SiteId;
  readonly range: DateRange;
}

export interface Scope extends SiteRange {
  readonly conditions: readonly Condition[];
  /** If set, only events before this instant count. Only `visitorCounts` and `sessionSums` take such a scope. */
  readonly endsAtMs?: EpochMs;
}

/** The same site and filter over another range. */
export const within = (scope: Scope, range: DateRange): Scope => ({ ...scope, range });

/** Whether a row of `events` or `sessions` is of the range. */
export const inRange = ({ range }: Pick<SiteRange, "range">): SqlText =>
  sql`day >= ${dayNumberOf(range.firstDay)} AND day <= ${dayNumberOf(range.lastDay)}`;

const isEarlyEnough = ({ endsAtMs }: Scope): SqlText => (endsAtMs === undefined ? sql`` : sql` AND timestamp < ${endsAtMs}`);

/** The relation of the scope's events. */
export const eventsIn = (scope: Scope): SqlText =>
  sql`SELECT * FROM events WHERE ${inRange(scope)}${isEarlyEnough(scope)} AND ${matchesSql(scope.conditions)}`;

/** The relation of all events of the range, with `matching`: 1 if the filter matches, else 0. */
export const eventsWithMatch = (scope: Scope): SqlText =>
  sql`SELECT *, CASE WHEN ${matchesSql(scope.conditions)} THEN 1 ELSE 0 END AS matching FROM events WHERE ${inRange(scope)}`;
