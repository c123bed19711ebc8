/** The scope of a report: the events of a site and a range that match a filter, and the SQL that selects them. */
import { dayNumberOf } from "../../storage/calendar.ts";
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import { AppError } from "../base/errors.ts";
import { type DateRange } from "./date-range.ts";
import { meetsConditions } from "./conditions.ts";
import type { Condition } from "./filters.ts";
import type { SessionRules } from "./session-rules.ts";
import { sql, type SqlText } from "./sql.ts";

/** The part of a site that is shared with the guest, for whom nothing else exists (docs/sharing.md). */
export interface SharedPart {
  readonly conditions: readonly Condition[];
  /** null for all dates. */
  readonly range: DateRange | null;
}

/** The events that a query reads before any filter. */
export interface SiteRange {
  readonly siteId: SiteId;
  readonly range: DateRange;
  /** Absent if everything is. */
  readonly shared?: SharedPart;
  /** Conditions on sessions need them. */
  readonly sessionRules?: SessionRules;
}

export interface Scope extends SiteRange {
  /** Includes the share link's own conditions. */
  readonly conditions: readonly Condition[];
  /** If set, only events before this instant count. Only `visitorCounts` and `sessionSums` take such a scope. */
  readonly endsAtMs?: EpochMs;
}

/** Replaces the range; site and filter stay. */
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

/** True if events of the range are not shared. */
export const hidesEvents = ({ shared }: Pick<SiteRange, "shared">): boolean => shared !== undefined && shared.conditions.length > 0;

/** True if a row of `events` or `sessions` is of the range. */
export const inRange = ({ range }: Pick<SiteRange, "range">): SqlText =>
  sql`day >= ${dayNumberOf(range.firstDay)} AND day <= ${dayNumberOf(range.lastDay)}`;

const sharedOf = ({ shared }: Pick<SiteRange, "shared">): readonly Condition[] => shared?.conditions ?? [];

const isEarlyEnough = ({ endsAtMs }: Scope): SqlText => (endsAtMs === undefined ? sql`` : sql` AND timestamp < ${endsAtMs}`);

/** True if an event is of the range, and before its cut. */
const isRanged = (scope: Scope): SqlText => sql`${inRange(scope)}${isEarlyEnough(scope)}`;

/** The relation of `props` of all events of the range, by which properties are looked up. */
export const propsIn = (range: Pick<SiteRange, "range">): SqlText => sql`SELECT props FROM events WHERE ${inRange(range)}`;

/** One salt period is as good as any where no condition is on sessions. */
const NO_RULES: SessionRules = { sessionGapMs: 0, rotationDays: 1 };

/** Session conditions are judged on shared events only, if the link hides some. */
const meets = (conditions: readonly Condition[], scope: Scope): SqlText =>
  meetsConditions(conditions, {
    rules: scope.sessionRules ?? NO_RULES,
    props: propsIn(scope),
    get shown() {
      return sql`SELECT * FROM events WHERE ${isRanged(scope)}${isShared(scope)}`;
    },
    get ordered() {
      return rangedEvents({ ...scope, conditions: [] });
    },
    areAllShown: !hidesEvents(scope) && scope.endsAtMs === undefined,
    hidesEvents: hidesEvents(scope),
    isInRange: inRange(scope),
  });

/** True if an event is shared, by all events of the range. */
const isSharedEvent = ({ shared: _shared, ...all }: Scope, conditions: readonly Condition[]): SqlText => meets(conditions, all);

const isShared = (scope: Scope): SqlText => (hidesEvents(scope) ? sql` AND ${isSharedEvent(scope, sharedOf(scope))}` : sql``);

/** The relation of all shared events of the range. */
export const sharedEventsIn = (range: SiteRange): SqlText =>
  sql`SELECT * FROM events WHERE ${inRange(range)}${isShared({ ...range, conditions: [] })}`;

/** The conditions that are not those of the shared part. */
function ownOf(scope: Scope): readonly Condition[] {
  const shared = new Set(sharedOf(scope));
  return scope.conditions.filter((condition) => !shared.has(condition));
}

/**
 * The relation of the scope's events, with all columns or with these. None is of the part that is not shared, whatever the conditions are.
 * Many expressions must be columns here: for each, ClickHouse analyzes all that it is selected from, which are the conditions elsewhere.
 */
export const eventsIn = (scope: Scope, columns: SqlText = sql`*`): SqlText =>
  sql`SELECT ${columns} FROM events WHERE ${isRanged(scope)}${isShared(scope)} AND ${meets(ownOf(scope), scope)}`;

const flag = (condition: SqlText): SqlText => sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`;

/** The relation of all shared events of the range up to its cut, with `matching`: 1 if the filter matches, else 0. */
export const eventsWithMatch = (scope: Scope): SqlText =>
  sql`SELECT *, ${flag(meets(ownOf(scope), scope))} AS matching FROM events WHERE ${isRanged(scope)}${isShared(scope)}`;

/** `eventsWithMatch` plus all events that are not shared, with `shared`: 1 if the event is, else 0. */
const eventsWithShared = (scope: Scope): SqlText =>
  sql`SELECT *, ${flag(sql`${isSharedEvent(scope, sharedOf(scope))} AND ${meets(ownOf(scope), scope)}`)} AS matching, ${flag(isSharedEvent(scope, sharedOf(scope)))} AS shared FROM events WHERE ${isRanged(scope)}`;

/** The events by which sessions are made: with `matching` and, if the scope hides events, those as well, with `shared`. */
export const rangedEvents = (scope: Scope): SqlText => (hidesEvents(scope) ? eventsWithShared(scope) : eventsWithMatch(scope));
