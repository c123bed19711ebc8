/**
 * The scope of a report: the events of a site and a range that match a filter. It is made from a request for a reader, who sees no more than
 * is shared, and becomes the SQL that selects events.
 */
import { OPERATORS, PROPERTY_PREFIX } from "../../shared/filters.ts";
import {
  FILTER_CONDITIONS_MAX,
  FILTER_EXPRESSION_CHARS_MAX,
  FILTER_VALUE_CHARS_MAX,
  FILTER_VALUES_MAX,
  LONG_RANGE_DAYS_MAX,
  RANGE_DAYS_MAX,
} from "../../shared/limits.ts";
import { INTERVALS, PERIOD_DEFAULT } from "../../shared/periods.ts";
import type { WeekStart } from "../../shared/site-choices.ts";
import { type Calendar, dayNumberOf } from "../../storage/calendar.ts";
import type { ImportedDays } from "../../storage/day-sums.ts";
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import { mayRead, type Principal } from "../access/principal.ts";
import { NO_ARRIVAL_RULES } from "../arrivals/arrival-names.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import type { SharedDates } from "../access/shares.ts";
import { parseSiteId, siteIdSchema } from "../base/config/names.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import { text } from "../base/json-schema.ts";
import type { SiteGoal } from "../sites/goal.ts";
import { type DateRange, isInterval, parseDateRange, PERIOD_NAMES, rangeOfDays } from "./date-range.ts";
import { columnOfValue, firstValues, firstValuesByColumn, meetsConditions, type SessionEvents, type SessionRules } from "./conditions.ts";
import {
  type BreakdownDimension,
  type Condition,
  conditionsOn,
  distinctConditions,
  EVIDENCE_FILTER,
  type FirstValueDimension,
  firstValueOf,
  type LensRule,
  NAMED_FILTERS,
  parseSegmentFilter,
} from "./filters.ts";
import { comparesVisits, conditionsOfLens, isOfLens, LENS } from "./lenses.ts";
import { isOfKeptVisit } from "./left-out-visits.ts";
import { optional, parameter, type Parameter, required, type Values } from "./parameters.ts";
import type { Waiter } from "./progress.ts";
import { arrivalNameColumn, column, joinSql, resultColumn, sql, type SqlText } from "./sql.ts";

/** The part of a site that is shared with the guest, for whom nothing else exists (docs/sharing.md). */
interface SharedPart {
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
  readonly sessionRules?: SessionRules;
  /** What the site says about arrivals; nothing if absent. */
  readonly arrivalRules?: ArrivalRules;
  /** Shown imports with sums of days, which count on days without events; none if absent. */
  readonly imported?: readonly ImportedDays[];
  /** A lens compares visitors with each other (see `AggregateQuery`). */
  readonly comparesVisitors?: true;
}

export interface Scope extends SiteRange {
  /** Includes the share link's own conditions. */
  readonly conditions: readonly Condition[];
  /** If set, only events before this instant count. Only `visitorCounts` and `sessionSums` take such a scope. */
  readonly endsAtMs?: EpochMs;
}

export const within = (scope: Scope, range: DateRange): Scope => ({ ...scope, range });

export const isAllShared = ({ range, shared }: Pick<SiteRange, "range" | "shared">): boolean =>
  !shared?.range || (range.firstDay >= shared.range.firstDay && range.lastDay <= shared.range.lastDay);

/** 403 if not all dates of the range are shared. */
export function checkShared(siteRange: SiteRange): void {
  if (isAllShared(siteRange)) return;
  const { firstDay, lastDay } = siteRange.shared?.range ?? siteRange.range;
  throw new AppError({ code: "forbidden" }, `The share link shows only dates from ${firstDay} to ${lastDay}`);
}

/** The date, or the first shared one if that is later. */
export const sharedFrom = ({ shared }: Pick<SiteRange, "shared">, day: LocalDate): LocalDate =>
  shared?.range && shared.range.firstDay > day ? shared.range.firstDay : day;

export const hidesEvents = ({ shared }: Pick<SiteRange, "shared">): boolean => shared !== undefined && shared.conditions.length > 0;

/** True if a row of `events` or `sessions` is of the range. */
export const inRange = ({ range }: Pick<SiteRange, "range">): SqlText =>
  sql`day >= ${dayNumberOf(range.firstDay)} AND day <= ${dayNumberOf(range.lastDay)}`;

const sharedOf = ({ shared }: Pick<SiteRange, "shared">): readonly Condition[] => shared?.conditions ?? [];

const isEarlyEnough = ({ endsAtMs }: Scope): SqlText => (endsAtMs === undefined ? sql`` : sql` AND timestamp < ${endsAtMs}`);

const isRanged = (scope: Scope): SqlText => sql`${inRange(scope)}${isEarlyEnough(scope)}`;

/** The relation of `props` of all events of the range, by which properties are looked up. */
export const propsIn = (range: Pick<SiteRange, "range">): SqlText => sql`SELECT props FROM events WHERE ${inRange(range)}`;

/** One salt period is as good as any where no condition is on sessions. */
const NO_RULES: SessionRules = { sessionGapMs: 0, rotationDays: 1 };

/** Sessions are judged by shared events only, if the link hides some. */
const sessionEventsOf = (scope: Scope): SessionEvents => ({
  rules: scope.sessionRules ?? NO_RULES,
  arrivalRules: scope.arrivalRules ?? NO_ARRIVAL_RULES,
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

/** A cut takes nothing from what a lens judges a visit by. */
const isKept = ({ endsAtMs: _cut, ...whole }: Scope, lens: Condition): SqlText => isOfKeptVisit(sessionEventsOf(whole), lens);

function meets(conditions: readonly Condition[], scope: Scope): SqlText {
  const own = conditions.filter((condition) => !isOfLens(condition));
  const kept = conditions.filter(isOfLens).map((lens) => isKept(scope, lens));
  return joinSql([meetsConditions(own, sessionEventsOf(scope)), ...kept], " AND ");
}

/** DuckDB: `session` and `value`, an arrival, of all sessions of the range whose events the reader may see. */
export const arrivalsOfVisits = (scope: Scope): SqlText => firstValues(firstValueOf("visit-channels"), sessionEventsOf(scope));

/** DuckDB: `session` and `value`, a code, of all sessions of the range whose events the reader may see. */
export function visitsBy(dimension: FirstValueDimension, scope: Scope): SqlText {
  const read = firstValueOf(dimension);
  const values = firstValues(read, sessionEventsOf(scope));
  if ("column" in read) return values;
  const { arrivalRules = NO_ARRIVAL_RULES } = scope;
  return sql`
    SELECT session, ${arrivalNameColumn(read.name)} AS value
    FROM (${values}) AS wholes JOIN arrival_names ON arrival_names.arrival = wholes.value AND rules = ${{ arrivalRules }}`;
}

/** The column of a dimension in the rows of `visitsByEach`. */
export const valueColumn = (dimension: BreakdownDimension): SqlText => resultColumn(`value_of_${dimension.replaceAll("-", "_")}`);

/** `visitsBy` of several dimensions at once, with a `valueColumn` for each. */
export function visitsByEach(dimensions: readonly FirstValueDimension[], scope: Scope): SqlText {
  const reads = dimensions.map((dimension) => ({ dimension, value: firstValueOf(dimension) }));
  const columns = new Set(reads.map(({ value }) => columnOfValue(value)));
  const named = reads.map(
    ({ dimension, value }) => sql`${"column" in value ? column(value.column) : arrivalNameColumn(value.name)} AS ${valueColumn(dimension)}`,
  );
  const values = firstValuesByColumn([...columns], sessionEventsOf(scope));
  const { arrivalRules = NO_ARRIVAL_RULES } = scope;
  const names = sql` JOIN arrival_names ON arrival_names.arrival = wholes.arrival AND rules = ${{ arrivalRules }}`;
  return sql`SELECT session, ${joinSql(named, ", ")} FROM (${values}) AS wholes${columns.has("arrival") ? names : sql``}`;
}

/** True if an event is shared, by all events of the range. */
const isSharedEvent = ({ shared: _shared, ...all }: Scope, conditions: readonly Condition[]): SqlText => meets(conditions, all);

const isShared = (scope: Scope): SqlText => (hidesEvents(scope) ? sql` AND ${isSharedEvent(scope, sharedOf(scope))}` : sql``);

export const sharedEventsIn = (range: SiteRange): SqlText =>
  sql`SELECT * FROM events WHERE ${inRange(range)}${isShared({ ...range, conditions: [] })}`;

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

/** The reader for whom a query runs, and its time limit. */
export interface Asker extends Waiter {
  /** Reads what is shared, by a link or of a public site; or is an agent, which has the same limits. Guests have a part of the query slots only. */
  readonly isGuest: boolean;
  /** The engine failed at the first attempt. */
  readonly isRepeated?: true;
}

/** The reader of a report, the time, and the calendar. Every scope is made for a reader, so no report shows more than its reader may see. */
export interface Reader {
  readonly principal: Principal;
  /** Has the limits of guests, and comes after all others: a guest, or an agent. */
  readonly comesLast: boolean;
  readonly nowMs: EpochMs;
  readonly calendarOf: (siteId: SiteId) => Calendar;
  readonly weekStartOf: (siteId: SiteId) => WeekStart;
  readonly arrivalRulesOf: (siteId: SiteId) => ArrivalRules;
  /** The date of a site's first stored event for which all conditions hold; null if it has none. */
  readonly firstDayOf: (siteId: SiteId, conditions: readonly Condition[]) => Promise<LocalDate | null>;
  /** Goals in the order of the site. */
  readonly goalsOf: (siteId: SiteId) => readonly SiteGoal[];
  /** What the owner of the site has left out of `default` and `strict`. */
  readonly rulesOf: (siteId: SiteId) => readonly LensRule[];
  /** The filters of a segment as they are written; null if the site has none with this id. */
  readonly segmentOf: (siteId: SiteId, id: string) => string | null;
  readonly sessionRules: SessionRules;
}

/** What decides which visits of a site count. */
export type LensReader = Pick<Reader, "nowMs" | "rulesOf" | "goalsOf" | "arrivalRulesOf" | "sessionRules">;

/** All visits of a site that count under a lens. */
export function visitsOfLens(siteId: SiteId, lens: ScopeValues["lens"], reader: LensReader): Omit<Scope, "range"> {
  const conditions = conditionsOn(conditionsOfLens(lens, reader.rulesOf(siteId), reader.nowMs), () => reader.goalsOf(siteId));
  const { sessionRules } = reader;
  const arrivalRules = reader.arrivalRulesOf(siteId);
  return { siteId, conditions, sessionRules, arrivalRules, ...(conditions.some(comparesVisits) && { comparesVisitors: true as const }) };
}

/** 403 for a site that the principal may not read, whether it exists or not. */
export function checkSite({ principal }: Pick<Reader, "principal">, siteId: SiteId): void {
  if (!mayRead(principal, siteId)) throw new AppError({ code: "forbidden" }, `You may not read the statistics of "${siteId}"`);
}

const unchanged = (value: string): string => value;

const SITE: Parameter<SiteId> = required(
  { description: "The site.", schema: siteIdSchema("The site id of its events (`d`)."), example: "example.com" },
  parseSiteId,
);

const PERIOD: Parameter<string | null> = optional(
  {
    description: "A range of dates of the site's calendar that ends today. `start_date` and `end_date` override it.",
    schema: text(
      "`day` and `today` are the current date, `month` and `year` begin on their first date, `all` on that of the site's first event.",
      { enum: PERIOD_NAMES, default: PERIOD_DEFAULT },
    ),
  },
  unchanged,
);

/** Reports with a series have the same parameter, and refuse other values. */
const INTERVAL: Parameter<string | null> = optional(
  {
    description: `Allows a range of up to ${LONG_RANGE_DAYS_MAX} days. In reports with a series, also the length of its buckets.`,
    schema: text(`One of ${INTERVALS.join(", ")}. Other values are ignored, except by reports with a series.`),
    example: "day",
  },
  unchanged,
);

/** The text of a date, which is checked together with the other date of its range. */
export const dateParameter = (description: string, example?: string): Parameter<string | null> =>
  optional({ description, schema: text("A calendar date, YYYY-MM-DD.", { format: "date" }), ...(example && { example }) }, unchanged);

/** `end_date` of routes on which no `interval` allows a longer range. */
export const SHORT_END_DATE = dateParameter(
  `The last date, inclusive. Requires \`start_date\`; the range has at most ${RANGE_DAYS_MAX} days.`,
  "2026-01-31",
);

const LATER_BYTE = "%[89ABab][0-9A-Fa-f]";

/** A character whose bytes in UTF-8 are written as %2C. */
const ESCAPE =
  `%[0-7][0-9A-Fa-f]|%(?:[Cc][2-9A-Fa-f]|[Dd][0-9A-Fa-f])${LATER_BYTE}|` +
  `%[Ee][0-9A-Fa-f](?:${LATER_BYTE}){2}|%[Ff][0-4](?:${LATER_BYTE}){3}`;

/** A character of a value or key, escaped or none of these. */
const characterBut = (without: string): string => `(?:[^%;${without}]|${ESCAPE})`;

const FILTERED = [...NAMED_FILTERS, `${PROPERTY_PREFIX}${characterBut("=!")}*`].join("|");
const LISTED = `${characterBut(",")}+`;
const LIST = `\\(${LISTED}(?:,${LISTED})*\\)`;
/** It may begin like a list or end like one. */
const SINGLE_VALUE = `${characterBut("(")}${characterBut("")}*|\\((?:${characterBut("")}*${characterBut(")")})?`;
const WITH_OPERATOR = `=!?(?:${OPERATORS.join("|")})=(?:${LIST}|${SINGLE_VALUE})`;
const CONDITION = `(?:${FILTERED})(?:[=!]=[^;]+|${WITH_OPERATOR})`;

/** RE2 can compile it: without lookahead, and without bounds of characters, because nested repetitions may come to 1,000 at most. */
const FILTERS_PATTERN = `^(?:${CONDITION}(?:;${CONDITION}){0,${FILTER_CONDITIONS_MAX - 1}})?$`;

const FILTERS: Parameter<readonly Condition[]> = parameter(
  {
    description:
      `Conditions joined by \`;\`, each \`dimension==value\` or \`dimension!=value\`, all of which must hold; at most ` +
      `${FILTER_CONDITIONS_MAX}, each value at most ${FILTER_VALUE_CHARS_MAX} characters. Values match exactly, including case; ` +
      "`(unknown)` matches values that were not recorded, and `!=` includes them. The dimensions are those of breakdowns, " +
      "with `entry-page` and `exit-page` in place of entry and exit pages, `goal`, `evidence`, and `props:<key>`. Other conditions have an " +
      "operator between `=` and `=`, which `!` before it negates: `=in=` any of the values, `=contains=`, `=begins=`, `=like=` " +
      "a pattern with `*`, `=matches=` a regular expression of RE2. Their value may be a list in parentheses, joined by commas, " +
      "any of which may match; an expression without a comma may have parentheses of its own; at most " +
      `${FILTER_VALUES_MAX} values in all, and ${FILTER_EXPRESSION_CHARS_MAX} characters of a regular ` +
      "expression. In such values `%`, `;` and, in lists, `,` are written `%25`, `%3B` and `%2C`, before the encoding of the URL.",
    schema: text(
      "Any number of conditions up to the maximum, or none. Bounds of values and rules of expressions are not in the pattern, which RE2 can compile.",
      { pattern: FILTERS_PATTERN },
    ),
    example: "browsers==Firefox;countries!=(unknown)",
  },
  parseSegmentFilter,
);

/** An empty one is none, as of filters. */
const SEGMENT_ID = /^(?:[0-9a-f]{32})?$/;

const SEGMENT: Parameter<string | null> = optional(
  {
    description: "The id of a segment of the site, whose conditions must hold in addition to those of `filters`.",
    schema: text("One of a segment with filters, or none. Others are refused.", { pattern: SEGMENT_ID.source }),
  },
  (value, name) => {
    if (!SEGMENT_ID.test(value)) throw invalidInput(`"${name}" must be the id of a segment: 32 hexadecimal digits`);
    return value === "" ? null : value;
  },
);

/** Parameters of a report over a date range. */
export const SCOPE_PARAMETERS = {
  site_id: SITE,
  period: PERIOD,
  start_date: dateParameter("The first date, inclusive. Requires `end_date`.", "2026-01-01"),
  end_date: dateParameter(
    `The last date, inclusive. Requires \`start_date\`; the range has at most ${RANGE_DAYS_MAX} days, or ${LONG_RANGE_DAYS_MAX} with \`interval\`.`,
    "2026-01-31",
  ),
  interval: INTERVAL,
  filters: FILTERS,
  segment: SEGMENT,
  lens: LENS,
};

/** Parameters of a report without a date range. */
export const UNDATED_SCOPE_PARAMETERS = { site_id: SITE, filters: FILTERS, segment: SEGMENT, lens: LENS };

type UndatedValues = Values<typeof UNDATED_SCOPE_PARAMETERS>;

/** The conditions of the request and of its saved filter. 403 for a guest's filter on what is not shared: saved filters, and evidence. */
function requestedConditions({ site_id: siteId, filters, segment }: UndatedValues, reader: Reader): readonly Condition[] {
  const isGuest = reader.principal.view !== null;
  if (isGuest && filters.some(({ dimension }) => dimension === EVIDENCE_FILTER)) {
    throw new AppError({ code: "forbidden" }, "Share links cannot filter by evidence");
  }
  if (segment === null) return filters;
  if (isGuest) throw new AppError({ code: "forbidden" }, "Share links cannot use saved filters");
  const saved = reader.segmentOf(siteId, segment);
  if (saved === null) throw invalidInput(`"segment": no saved filter has the id "${segment}"`);
  return distinctConditions([...parseSegmentFilter(saved), ...filters]);
}

export type ScopeValues = Partial<Values<typeof SCOPE_PARAMETERS>> & UndatedValues;

/** The most days that dates in the request may span: more where it shows that it expects them. */
export const rangeDaysMaxOf = ({ period = null, interval = null }: Pick<ScopeValues, "period" | "interval">): number =>
  period === "all" || isInterval(interval) ? LONG_RANGE_DAYS_MAX : RANGE_DAYS_MAX;

const NO_DATES = { period: null, startDate: null, endDate: null };

function sharedRangeOf(dates: SharedDates, today: LocalDate): DateRange | null {
  if ("firstDay" in dates) return rangeOfDays(dates.firstDay, dates.lastDay);
  return dates.period === "all" ? null : parseDateRange({ ...NO_DATES, ...dates }, { today });
}

/** The part that is shared with the reader; null if everything is. */
function sharedPartOf({ principal: { view }, goalsOf }: Reader, siteId: SiteId, today: LocalDate): SharedPart | null {
  if (view === null) return null;
  const range = view.dates && sharedRangeOf(view.dates, today);
  if (view.filters === "" && range === null) return null;
  return { conditions: conditionsOn(parseSegmentFilter(view.filters), () => goalsOf(siteId)), range };
}

/** The range that a request names: by default that of the period of a share link, or else the default period. */
async function requestedRange(values: ScopeValues, reader: Reader, shared: SharedPart | null, today: LocalDate): Promise<DateRange> {
  const { site_id: siteId, start_date: startDate = null, end_date: endDate = null } = values;
  const linked = reader.principal.view?.dates ?? null;
  const period = values.period ?? (linked && "period" in linked ? linked.period : null);
  const isAll = period === "all" && (startDate ?? endDate) === null;
  const firstDay = isAll ? await reader.firstDayOf(siteId, shared?.conditions ?? []) : null;
  return parseDateRange({ period, startDate, endDate }, { today, firstDay }, rangeDaysMaxOf(values));
}

/** True if the request is for all dates that a share link shows. */
const takesSharedDates = ({ period, start_date: startDate, end_date: endDate }: ScopeValues): boolean =>
  (startDate ?? endDate ?? null) === null && (period ?? "all") === "all";

/**
 * 403 for what the reader may not see, 400 for dates that do not form a range. Without dates, or with `period=all`, the range is all that
 * is shared, or else what the request names. Nothing else holds a reader to a site, to conditions and to dates; plans check that what
 * they read besides is shared (`planOf`).
 */
export async function scopeOf(values: ScopeValues, reader: Reader): Promise<Scope> {
  const { site_id: siteId } = values;
  checkSite(reader, siteId);
  const today = reader.calendarOf(siteId).dateOf(reader.nowMs);
  const shared = sharedPartOf(reader, siteId, today);
  const range = (takesSharedDates(values) && shared?.range) || (await requestedRange(values, reader, shared, today));
  const requested = conditionsOn(requestedConditions(values, reader), () => reader.goalsOf(siteId));
  const { conditions: ofLens, ...visits } = visitsOfLens(siteId, values.lens, reader);
  const asked = { ...visits, range };
  if (shared === null) return { ...asked, conditions: [...requested, ...ofLens] };
  const conditions = [...distinctConditions([...requested, ...shared.conditions]), ...ofLens];
  const scope = { ...asked, conditions, shared };
  checkShared(scope);
  return scope;
}

/** A part of the scope: also these conditions hold. */
export const narrowed = (scope: Scope, conditions: readonly Condition[]): Scope => ({
  ...scope,
  conditions: [...scope.conditions, ...conditions],
  ...(conditions.some(comparesVisits) && { comparesVisitors: true as const }),
});

/** The scope of a report of the present. 403 also if the reader may not see that. */
export async function presentScopeOf(values: UndatedValues, reader: Reader): Promise<Scope> {
  const scope = await scopeOf({ ...values, period: "today" }, reader);
  if (reader.principal.view?.hasRealtime === false) throw new AppError({ code: "forbidden" }, "The share link does not show realtime");
  return scope;
}
