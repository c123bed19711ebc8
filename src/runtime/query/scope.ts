/** Which events a figure is about: a site, a range and a filter, and the SQL that keeps to them. */
import type { SiteId } from "../../storage/event.ts";
import type { DateRange } from "./date-range.ts";
import { matchesSql, type Condition } from "./filters.ts";
import { sql, type SqlText } from "./sql.ts";

/** What has to be resident for a question. */
export interface SiteRange {
  readonly siteId: SiteId;
  readonly range: DateRange;
  /** Whether the question looks into the properties of events. */
  readonly withProperties?: boolean;
}

export interface Scope extends SiteRange {
  readonly conditions: readonly Condition[];
}

/** The same question about another range. */
export const within = (scope: Scope, range: DateRange): Scope => ({ ...scope, range });

const inRange = ({ range }: Scope): SqlText => sql`timestamp >= ${range.startMs} AND timestamp < ${range.endMs}`;

/** The relation of the scope's events. */
export const eventsIn = (scope: Scope): SqlText => sql`SELECT * FROM events WHERE ${inRange(scope)} AND ${matchesSql(scope.conditions)}`;

/**
 * The relation of all events in range, with `matching`: 1 where the filter holds, else 0. Sessions are made
 * from these and filtered afterwards, or every visit would turn into a bounce (decisions, "Statistics").
 */
export const eventsWithMatch = (scope: Scope): SqlText =>
  sql`SELECT *, CASE WHEN ${matchesSql(scope.conditions)} THEN 1 ELSE 0 END AS matching FROM events WHERE ${inRange(scope)}`;
