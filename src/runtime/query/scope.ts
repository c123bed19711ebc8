/** The scope of a report: the events of a site and a range that match a filter, and the SQL that selects them. */
import { dayNumberOf } from "../../storage/calendar.ts";
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import { AppError } from "../errors.ts";
import { type DateRange } from "./date-range.ts";
import { distinctConditions, matchesSql, type Condition } from "./filters.ts";
import { sql, type SqlText } from "./sql.ts";

/** The part of a site that is shared with the viewer, for whom nothing else exists (docs/sharing.md). */
export interface SharedPart {
  readonly conditions: readonly Condition[];
  /** Null for all dates. */
  readonly range: DateRange | null;
}

/** The events that a query reads before any filter. */
export interface SiteRange {
  readonly siteId: SiteId;
  readonly range: DateRange;
  /** Absent if everything is. */
  readonly shared?: SharedPart;
}

export interface Scope extends SiteRange {
  /** Those of the shared part included. */
  readonly conditions: readonly Condition[];
  /** If set, only events before this instant count. Only `visitorCounts` and `sessionSums` take such a scope. */
  readonly endsAtMs?: EpochMs;
}

/** The same site and filter over another range. */
export const within = (scope: Scope, range: DateRange): Scope => ({ ...scope, range });

/** 403 if not all dates of the range are shared. */
export function checkShared({ range, shared }: SiteRange): void {
  const shown = shared?.range ?? range;
  if (range.firstDay >= shown.firstDay && range.lastDay <= shown.lastDay) return;
  throw new AppError({ code: "forbidden" }, `The share link shows only dates from ${shown.firstDay} to ${shown.lastDay}`);
}

/** The date, or the first shared one if that is later. */
export const sharedFrom = ({ shared }: Pick<SiteRange, "shared">, day: LocalDate): LocalDate =>
  shared?.range && shared.range.firstDay > day ? shared.range.firstDay : day;

/** Whether events of the range are not shared. */
export const hidesEvents = ({ shared }: Pick<SiteRange, "shared">): boolean => shared !== undefined && shared.conditions.length > 0;

/** Whether a row of `events` or `sessions` is of the range. */
export const inRange = ({ range }: Pick<SiteRange, "range">): SqlText =>
  sql`day >= ${dayNumberOf(range.firstDay)} AND day <= ${dayNumberOf(range.lastDay)}`;

const sharedOf = ({ shared }: Pick<SiteRange, "shared">): readonly Condition[] => shared?.conditions ?? [];

const isEarlyEnough = ({ endsAtMs }: Scope): SqlText => (endsAtMs === undefined ? sql`` : sql` AND timestamp < ${endsAtMs}`);

const conditionsOf = (scope: Scope): readonly Condition[] =>
  hidesEvents(scope) ? distinctConditions([...sharedOf(scope), ...scope.conditions]) : scope.conditions;

/** The relation of the scope's events. None is of the part that is not shared, whatever the conditions are. */
export const eventsIn = (scope: Scope): SqlText =>
  sql`SELECT * FROM events WHERE ${inRange(scope)}${isEarlyEnough(scope)} AND ${matchesSql(conditionsOf(scope))}`;

const isShared = (scope: Scope): SqlText => (hidesEvents(scope) ? sql` AND ${matchesSql(sharedOf(scope))}` : sql``);

const flag = (conditions: readonly Condition[]): SqlText => sql`CASE WHEN ${matchesSql(conditions)} THEN 1 ELSE 0 END`;

/** The relation of all shared events of the range, with `matching`: 1 if the filter matches, else 0. */
export const eventsWithMatch = (scope: Scope): SqlText =>
  sql`SELECT *, ${flag(scope.conditions)} AS matching FROM events WHERE ${inRange(scope)}${isShared(scope)}`;

/** The same with all events that are not shared, and with `shared`: 1 if the event is, else 0. */
export const eventsWithShared = (scope: Scope): SqlText =>
  sql`SELECT *, ${flag(scope.conditions)} AS matching, ${flag(sharedOf(scope))} AS shared FROM events WHERE ${inRange(scope)}`;
