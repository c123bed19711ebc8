/**
 * GET /api/stats/changes: whether a period is an ordinary one, what its change consists of, and which values stand apart
 * (docs/http-api.md, "Changes").
 */
import { addDays, type Calendar, dayNumberOf } from "../../storage/calendar.ts";
import { joinedSpans } from "../../storage/day-sums.ts";
import { HOUR_MS, type LocalDate, startOfDayMs } from "../../storage/event.ts";
import { EVENT_NAME_CHARS_MAX } from "../base/config/limits.ts";
import { CHANGE_DRILL_DAYS_MAX, CHANGE_DRILL_EVENTS_MAX, CHANGE_ROWS_DEFAULT, CHANGE_ROWS_MAX } from "../base/config/report-limits.ts";
import { invalidInput, refusedValue } from "../base/errors.ts";
import { text } from "../base/json-schema.ts";
import { comparedWindow, COMPARISON_PARAMETERS, customRange, scopesOf, type ComparedWindow } from "../query/comparison.ts";
import type { CoveredDays } from "../query/coverage.ts";
import { DAY_BUCKET, type DateRange, HOUR_BUCKET, localTimeOf, rangeOfDays } from "../query/date-range.ts";
import { type BreakdownDimension, BREAKDOWN_DIMENSIONS, conditionsOn, parseDimension, parseSegmentFilter } from "../query/filters.ts";
import { oneOf, optional, optionalOneOf, rowLimit, type Parameter, type Values } from "../query/parameters.ts";
import { type AggregateQuery, combinePlans, joinPlans, mapPlan, type Plan, planOf, type StepRows, ofEventsOnly } from "../query/plan.ts";
import { type Scope, sharedFrom, within } from "../query/scope.ts";
import { numberIn, type SqlRow } from "../query/sql.ts";
import { goalNamed } from "../sites/goal.ts";
import { UNRECORDED } from "../../shared/filters.ts";
import { LONG_RANGE_DAYS_MAX } from "../../shared/limits.ts";
import { exceedsChars } from "../../shared/text.ts";
import { changesOf, usesDaysOfValues } from "./changes/changes.ts";
import { drillNeeded, withDrill } from "./changes/drill.ts";
import { CHANGES } from "./changes/fields.ts";
import {
  CHANGE_COMPARISONS,
  CHANGE_METRICS,
  type ChangesInput,
  type DataFact,
  type DrillQuery,
  hasTypical,
  HISTORY_DAYS,
  type HourTally,
  NAMED_DAYS_MAX,
  type Tally,
  TYPICAL_DAYS_MAX,
  type ValueTally,
  type Window,
} from "./changes/input.ts";
import {
  addsUpOver,
  type Counted,
  dailyValuesQuery,
  dayTally,
  dayValueTally,
  dimensionsByDefault,
  largestPayments,
  seriesQuery,
  tallyOf,
  totalQuery,
  valuesQuery,
  valueTally,
} from "./changes/numbers.ts";
import { NAMED_DIMENSIONS } from "./changes/naming.ts";
import type { ChangesResult } from "./changes/result.ts";
import { nameOf } from "./changes/value-names.ts";
import { visitorCountsBy } from "./measures/counts.ts";
import { timeZoneField } from "./measures/fields.ts";
import { sessionSumsBy } from "./measures/sessions.ts";
import { report, type ReportRequest, type ReportSettings } from "./report.ts";

/** Values of a dimension whose days are read in a long period, and the part of the change that each must have. */
const LONG_VALUES_MAX = 3;
const LONG_SHARE_MIN = 0.5;

const DIMENSION_NAME = `(?:${BREAKDOWN_DIMENSIONS.join("|")})`;

const DIMENSIONS_ASKED: Parameter<readonly BreakdownDimension[] | null> = optional(
  {
    description:
      "The dimensions whose values are listed, joined by commas: those over which the metric adds up. Visits have exactly one value of " +
      "visit dimensions, entry and exit pages, locations and devices; visitors, with visitor ids of one day, of countries, browsers, os " +
      "and devices; page views and events of visit dimensions and all of single events. `none` judges only the total.",
    schema: text("Names of dimensions.", { pattern: `^(?:none|${DIMENSION_NAME}(?:,${DIMENSION_NAME})*)$` }),
    example: "visit-sources,entry-pages",
  },
  (value) => (value === "none" ? [] : [...new Set(value.split(",", BREAKDOWN_DIMENSIONS.length + 1))].map((name) => parseDimension(name))),
);

const CURRENCY = /^[A-Z]{3}$/;

const PARAMETERS = {
  metric: oneOf("What is compared.", CHANGE_METRICS),
  goal: optional(
    {
      description:
        "Required by `conversions` and `conversion_rate`, ignored by other metrics: one of the site's goals, or the events of that name if " +
        "no goal has it.",
      schema: text("The name of a goal or of an event.", { minLength: 1, maxLength: EVENT_NAME_CHARS_MAX }),
      example: "signup",
    },
    (goal, name) => {
      if (goal !== "" && !exceedsChars(goal, EVENT_NAME_CHARS_MAX)) return goal;
      throw invalidInput(`"${name}" must be a name of 1 to ${EVENT_NAME_CHARS_MAX} characters`);
    },
  ),
  currency: optional(
    {
      description: "Required by `revenue`, ignored by other metrics.",
      schema: text("An ISO 4217 code in capital letters.", { pattern: CURRENCY.source }),
      example: "EUR",
    },
    (code, name) => {
      if (CURRENCY.test(code)) return code;
      throw refusedValue(`"${name}"`, "three capital letters, such as EUR", code);
    },
  ),
  ...COMPARISON_PARAMETERS,
  compare: oneOf(
    "What the period is compared with. `typical`: what the same weekdays of the 8 weeks before let expect. Others as in main metrics.",
    CHANGE_COMPARISONS,
  ),
  dimensions: DIMENSIONS_ASKED,
  limit: rowLimit("Maximum number of rows of each dimension.", CHANGE_ROWS_MAX, CHANGE_ROWS_DEFAULT),
  band: optionalOneOf(
    "Adds what is typical of each day or hour of the period.",
    ["day", "hour"],
    "Absent for periods of more than 31 days, or 28 by the hour, and without enough history.",
  ),
};

type ChangesValues = Values<typeof PARAMETERS>;
type Request = ReportRequest<typeof PARAMETERS>;

const comparisonOf = ({ compare, compare_start_date, compare_end_date, compare_same_time }: ChangesValues) => ({
  compare: compare === "typical" ? null : compare,
  compare_start_date,
  compare_end_date,
  compare_same_time,
});

function check(values: ChangesValues, _range: DateRange, rangeDaysMax: number): void {
  const { metric, goal, currency } = values;
  if ((metric === "conversions" || metric === "conversion_rate") && goal === null) {
    throw invalidInput(`"goal" is required when "metric" is ${metric}`);
  }
  if (metric === "revenue" && currency === null) throw invalidInput('"currency" is required when "metric" is revenue');
  customRange(comparisonOf(values), rangeDaysMax);
}

/** 400 for a dimension over which the metric does not add up. */
function dimensionsOf({ metric, dimensions }: ChangesValues, rotationDays: number): readonly BreakdownDimension[] {
  if (dimensions === null) return dimensionsByDefault(metric, rotationDays);
  const wrong = dimensions.find((dimension) => !addsUpOver(metric, dimension, rotationDays));
  if (wrong === undefined) return dimensions;
  throw invalidInput(`"dimensions": ${metric} do not add up over ${wrong}, because one of them may have several values`);
}

/** What is read, and of which events. */
interface Asked extends Counted {
  readonly scope: Scope;
  readonly dimensions: readonly BreakdownDimension[];
  readonly period: DateRange;
  /** null if only `typical` is compared with. */
  readonly compared: ComparedWindow | null;
  /** `compared` is read only if the site is too new for a typical value. */
  readonly isFallback: boolean;
}

const isShort = ({ dayCount }: DateRange): boolean => dayCount <= TYPICAL_DAYS_MAX;

/** Days that are over, and today. */
function pastOf(range: DateRange, today: LocalDate): DateRange {
  return range.firstDay <= today && today < range.lastDay ? rangeOfDays(range.firstDay, today) : range;
}

const FIRST_DAY = "0001-01-01" as LocalDate;

/** The window directly before the period, as long as it, until the same time of day; null if not all of it is shared. */
function windowBefore(scope: Scope, period: DateRange, { nowMs, calendar }: Request): ComparedWindow | null {
  const [first, last] = [addDays(period.firstDay, -period.dayCount), addDays(period.firstDay, -1)];
  // In the year 0, which dates of requests cannot name, there is no event.
  if (first < FIRST_DAY || sharedFrom(scope, first) !== first) return null;
  const custom = { compare: "custom", compare_start_date: first, compare_end_date: last, compare_same_time: "true" } as const;
  return comparedWindow(custom, period, nowMs, calendar);
}

function askedOf(request: Request, { sessionGapMs, rotationDays }: ReportSettings): Asked {
  const { scope, values, nowMs, calendar, goals } = request;
  const { metric } = values;
  const period = pastOf(scope.range, calendar.dateOf(nowMs));
  const isFallback = values.compare === "typical";
  return {
    metric,
    sessionGapMs,
    goal: values.goal !== null && (metric === "conversions" || metric === "conversion_rate") ? goalNamed(goals, values.goal) : null,
    currency: metric === "revenue" ? values.currency : null,
    scope,
    dimensions: dimensionsOf(values, rotationDays),
    period,
    compared: isFallback ? windowBefore(scope, period, request) : comparedWindow(comparisonOf(values), period, nowMs, calendar),
    isFallback,
  };
}

/** Windows of which all values are read by day: they, or their days, are judged by the weeks before. */
const isNamed = ({ dayCount }: DateRange): boolean => dayCount <= NAMED_DAYS_MAX;

const withHistory = (scope: Scope, range: DateRange): DateRange =>
  isNamed(range) ? rangeOfDays(sharedFrom(scope, addDays(range.firstDay, -HISTORY_DAYS)), range.lastDay) : range;

/** The days that are read one by one, as ranges that do not overlap. */
function readRanges({ scope, period, compared, isFallback }: Asked): readonly DateRange[] {
  const ofPeriod = withHistory(scope, period);
  if (compared === null || (isFallback && isShort(period))) return [ofPeriod];
  const before = isShort(compared.range) ? withHistory(scope, compared.range) : compared.range;
  const overlaps = before.firstDay <= ofPeriod.lastDay && ofPeriod.firstDay <= addDays(before.lastDay, 1);
  if (!overlaps) return [ofPeriod, before];
  const [first] = [before.firstDay, ofPeriod.firstDay].toSorted();
  const [last] = [before.lastDay, ofPeriod.lastDay].toSorted().reverse();
  return [rangeOfDays(first ?? ofPeriod.firstDay, last ?? ofPeriod.lastDay)];
}

interface Rows {
  readonly [name: string]: readonly SqlRow[];
}

/** Queries by a name, and their rows by the same. */
const namedPlan = (scope: Scope, queries: Readonly<Record<string, AggregateQuery>>): Plan<Rows> =>
  planOf(scope, Object.values(queries), (...rows) =>
    Object.fromEntries(Object.keys(queries).map((name, i) => [name, rows[i] ?? []] as const)),
  );

const joined = (parts: readonly Rows[]): Rows =>
  Object.fromEntries(Object.keys(parts[0] ?? {}).map((name) => [name, parts.flatMap((part) => part[name] ?? [])] as const));

/** Whatever is filtered or left out by a lens: gaps are judged by all that the reader may see. */
const allOf = ({ comparesVisitors: _ofLens, ...scope }: Scope): Scope => ({ ...scope, conditions: scope.shared?.conditions ?? [] });

/** The days and hours of a range. What is not filtered has a step of its own, because rollups answer steps as a whole. */
function seriesPlan(asked: Asked, range: DateRange): Plan<Rows> {
  const { scope, sessionGapMs, metric, currency } = asked;
  const [part, all] = [within(scope, range), within(allOf(scope), range)];
  const hasHours = isShort(asked.period);
  const counted = namedPlan(part, {
    days: seriesQuery(part, asked, "day"),
    ...(hasHours && { hours: seriesQuery(part, metric === "revenue" ? { ...asked, metric: "visits", currency: null } : asked, "hour") }),
    ...(currency !== null && { largest: largestPayments(part, currency) }),
  });
  const unfiltered = namedPlan(all, {
    daysOfAll: visitorCountsBy(all, DAY_BUCKET),
    ...(hasHours && { visitsOfAll: sessionSumsBy(all, sessionGapMs, HOUR_BUCKET), eventsOfAll: visitorCountsBy(all, HOUR_BUCKET) }),
  });
  return combinePlans([counted, unfiltered], (parts) => Object.assign({}, ...parts) as Rows);
}

const TOTAL = "";

/** The sums of a window: in total, and of each value of the dimensions. */
const sumsPlan = (asked: Asked, scope: Scope): Plan<Rows> =>
  namedPlan(scope, {
    [TOTAL]: totalQuery(scope, asked),
    ...Object.fromEntries(asked.dimensions.map((dimension) => [dimension, valuesQuery(scope, asked, dimension)])),
  });

/** A value that may be named needs its days. */
const namedOf = ({ dimensions }: Asked): readonly BreakdownDimension[] =>
  dimensions.filter((dimension) => (NAMED_DIMENSIONS as readonly string[]).includes(dimension));

/** What is typical of a value rests on its days as well. */
const dailyOf = (asked: Asked): readonly BreakdownDimension[] => (isShort(asked.period) ? asked.dimensions : namedOf(asked));

const dailyPlan = (asked: Asked, range: DateRange): Plan<Rows> => {
  const part = within(asked.scope, range);
  return namedPlan(part, Object.fromEntries(dailyOf(asked).map((name) => [name, dailyValuesQuery(part, asked, name)] as const)));
};

interface Tallied {
  readonly total: Tally;
  readonly values: ReadonlyMap<BreakdownDimension, readonly ValueTally[]>;
}

/** What the first queries say: the days of all ranges, and the sums of both windows. */
interface Sums {
  readonly series: Rows;
  readonly after: Tallied;
  readonly before: Tallied;
}

interface Found extends Sums {
  /** The rows by day and value may change the answer. */
  readonly needsDays: boolean;
}

function added(a: Tally, b: Tally): Tally {
  return {
    count: a.count + b.count,
    ...(a.part !== undefined && b.part !== undefined && { part: a.part + b.part }),
    ...(a.cents !== undefined && b.cents !== undefined && { cents: a.cents + b.cents }),
  };
}

/** A window that is cut is read in two parts. */
function tallied({ metric, dimensions }: Asked, rows: Rows): Tallied {
  const valuesOf = (dimension: BreakdownDimension): readonly ValueTally[] => {
    const values = new Map<string, ValueTally>();
    for (const row of rows[dimension] ?? []) {
      const tally = valueTally(metric, row);
      const known = values.get(tally.value);
      values.set(tally.value, known ? { ...added(known, tally), value: tally.value } : tally);
    }
    return [...values.values()];
  };
  const [first, ...others] = (rows[TOTAL] ?? []).map((row) => tallyOf(metric, row));
  return {
    total: others.reduce(added, first ?? tallyOf(metric, undefined)),
    values: new Map(dimensions.map((dimension) => [dimension, valuesOf(dimension)] as const)),
  };
}

/** Values that may be named in a long period: those with a large part of the change, and others beside them. */
function largeValues({ after, before }: Sums, dimension: BreakdownDimension): readonly string[] {
  const change = after.total.count - before.total.count;
  const countsBefore = new Map((before.values.get(dimension) ?? []).map(({ value, count }) => [value, count] as const));
  const deltas = new Map([...countsBefore].map(([value, count]) => [value, -count] as const));
  for (const { value, count } of after.values.get(dimension) ?? []) deltas.set(value, (deltas.get(value) ?? 0) + count);
  return [...deltas]
    .filter(([, delta]) => change !== 0 && delta / change >= LONG_SHARE_MIN)
    .filter(([value]) => value !== UNRECORDED && (countsBefore.get(value) ?? 0) < before.total.count)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, LONG_VALUES_MAX)
    .map(([value]) => value);
}

/** The daily rows of a long period, of few values: each dimension is a step of its own, because one may have none. */
function longDailyPlan(asked: Asked, ranges: readonly DateRange[], sums: Plan<Found>): Plan<readonly [Found, Rows]> {
  const dimensionOf = new Map<AggregateQuery, BreakdownDimension>();
  const plans = namedOf(asked).flatMap((dimension) =>
    ranges.map((range) => {
      const query = dailyValuesQuery(within(asked.scope, range), asked, dimension);
      dimensionOf.set(query, dimension);
      return planOf(within(asked.scope, range), [query], (rows): Rows => ({ [dimension]: rows }));
    }),
  );
  const daily = combinePlans(plans, (parts) => joined([Object.fromEntries(namedOf(asked).map((name) => [name, []])), ...parts]));
  return joinPlans(
    sums,
    daily,
    (first, rows) => [first, rows] as const,
    (query, first) => {
      const dimension = dimensionOf.get(query);
      const values = dimension && first.needsDays ? largeValues(first, dimension) : [];
      return values.length === 0 ? [] : [{ ...query, top: { values, rowsMax: values.length * LONG_RANGE_DAYS_MAX } }];
    },
  );
}

const dayIn = (row: SqlRow): number => numberIn(row, "bucket");

/** The first day with an event; days before are unknown. */
function firstDayOf({ period }: Asked, { daysOfAll = [] }: Rows, read: DateRange): number {
  const days = daysOfAll.map(dayIn);
  if (days.length === 0) return dayNumberOf(period.firstDay);
  return days.reduce((first, day) => Math.min(first, day), dayNumberOf(read.lastDay));
}

const DAY_HOURS = 24;

function hoursIn(
  { metric }: Asked,
  { hours = [], visitsOfAll = [], eventsOfAll = [] }: Rows,
  isRead: (day: number) => boolean,
): HourTally[] {
  const found = new Map<number, { count: number; visits: number; events: number }>();
  const at = (row: SqlRow) => {
    const hour = numberIn(row, "bucket");
    const known = found.get(hour) ?? { count: 0, visits: 0, events: 0 };
    found.set(hour, known);
    return known;
  };
  const counted = metric === "revenue" ? "visits" : metric;
  for (const row of hours) at(row).count += tallyOf(counted, row).count;
  for (const row of visitsOfAll) at(row).visits += numberIn(row, "sessions");
  // An hour with a visitor has an event.
  for (const row of eventsOfAll) at(row).events += numberIn(row, "visitors");
  return [...found]
    .map(([hour, tally]) => ({ day: Math.floor(hour / DAY_HOURS), hour: hour % DAY_HOURS, ...tally }))
    .filter(({ day }) => isRead(day));
}

function windowOf(asked: Asked, range: DateRange, { total, values }: Tallied, series: Rows, daily: Rows): Window {
  const { metric, dimensions } = asked;
  const [firstDay, lastDay] = [dayNumberOf(range.firstDay), dayNumberOf(range.lastDay)];
  const isRead = (day: number): boolean => day >= firstDay - HISTORY_DAYS && day <= lastDay;
  const payments = (series["largest"] ?? []).filter((row) => dayIn(row) >= firstDay && dayIn(row) <= lastDay);
  const largest = payments.toSorted((a, b) => numberIn(b, "largest") - numberIn(a, "largest"))[0];
  return {
    firstDay,
    lastDay,
    total,
    days: (series["days"] ?? []).filter((row) => isRead(dayIn(row))).map((row) => dayTally(metric, row)),
    ...(largest && { largestPayment: { day: dayIn(largest), cents: BigInt(numberIn(largest, "largest")) } }),
    hours: hoursIn(asked, series, isRead),
    dimensions: dimensions.map((dimension) => ({
      dimension,
      sums: values.get(dimension) ?? [],
      byDay: (daily[dimension] ?? []).filter((row) => isRead(dayIn(row))).map((row) => dayValueTally(metric, row)),
    })),
  };
}

/** Changes of the time zone: days around them have other hours. */
const factsOf = (calendar: Calendar): readonly DataFact[] =>
  calendar.record.changes.map(({ firstDate }) => {
    const day = dayNumberOf(firstDate);
    return { code: "zone_change", firstDay: day, lastDay: day } as const;
  });

/** Days of which only sums are known are counted nowhere in the answer. */
const factsOfSums = (days: readonly CoveredDays[]): readonly DataFact[] =>
  joinedSpans(days.map(({ firstDay, lastDay }) => [firstDay, lastDay] as const)).map(([first, last]) => ({
    ...{ code: "imported_days", firstDay: dayNumberOf(first), lastDay: dayNumberOf(last) },
  }));

/** Days before the first event are not fewer visits. */
const isKnown = (compared: ComparedWindow | null, dataFirstDay: number): boolean =>
  compared !== null && dayNumberOf(compared.range.firstDay) >= dataFirstDay;

interface Answer {
  readonly input: ChangesInput;
  readonly result: ChangesResult;
  readonly drill: DrillQuery | null;
}

function inputOf(asked: Asked, { values, nowMs, calendar }: Request, { series, after, before }: Sums, daily: Rows): ChangesInput {
  const { metric, period, compared, isFallback, scope } = asked;
  const today = calendar.dateOf(nowMs);
  const dataFirstDay = firstDayOf(asked, series, withHistory(scope, period));
  const window = windowOf(asked, period, after, series, daily);
  const usesCompared = isFallback ? isKnown(compared, dataFirstDay) && !hasTypical(window, dataFirstDay) : compared !== null;
  return {
    metric,
    ...(asked.goal !== null && values.goal !== null && { goal: values.goal }),
    ...(asked.currency !== null && { currency: asked.currency }),
    compare: values.compare,
    dataFirstDay,
    now:
      period.firstDay <= today && today <= period.lastDay
        ? { day: dayNumberOf(today), hour: (localTimeOf(nowMs, calendar) - startOfDayMs(today)) / HOUR_MS }
        : null,
    period: window,
    compared: usesCompared && compared ? windowOf(asked, compared.range, before, series, daily) : null,
    // What was before the first day that the reader may see touches nothing, and would tell a guest of it.
    facts: factsOf(calendar).filter(({ firstDay }) => firstDay >= dataFirstDay),
    limit: values.limit,
    band: values.band,
    nameOf,
  };
}

/** Events of the days that were read. */
const eventsRead = ({ daysOfAll = [] }: Rows): number => daysOfAll.reduce((sum, row) => sum + numberIn(row, "events"), 0);

function answerPlan(asked: Asked, request: Request): Plan<Answer> {
  const { scope, period, compared, isFallback } = asked;
  const ranges = readRanges(asked);
  const series = combinePlans(
    ranges.map((range) => seriesPlan(asked, range)),
    joined,
  );
  const first = combinePlans<Rows, readonly [Rows, Rows]>([series, sumsPlan(asked, within(scope, period))], ([ofDays = {}, after = {}]) => [
    ofDays,
    after,
  ]);
  const parts = compared ? scopesOf(scope, compared, scope.sessionRules?.rotationDays ?? 1) : [];
  const second = combinePlans(
    parts.map((part) => sumsPlan(asked, part)),
    joined,
  );
  const window = { firstDay: dayNumberOf(period.firstDay), lastDay: dayNumberOf(period.lastDay) };
  const isCompared = ([ofDays]: readonly [Rows, Rows]): boolean => {
    const dataFirstDay = firstDayOf(asked, ofDays, withHistory(scope, period));
    return !isFallback || (isKnown(compared, dataFirstDay) && !hasTypical(window, dataFirstDay));
  };
  const sums = joinPlans<readonly [Rows, Rows], Rows, Found>(
    first,
    second,
    ([ofDays, after], before) => {
      const found = { series: ofDays, after: tallied(asked, after), before: tallied(asked, before) };
      return { ...found, needsDays: usesDaysOfValues(inputOf(asked, request, found, {})) };
    },
    (query, found) => (isCompared(found) ? [query] : []),
  );
  const daily = isNamed(period)
    ? joinPlans(
        sums,
        combinePlans(
          ranges.map((range) => dailyPlan(asked, range)),
          joined,
        ),
        (found, rows) => [found, rows] as const,
        (query, { needsDays }) => (needsDays ? [query] : []),
      )
    : longDailyPlan(asked, ranges, sums);
  return mapPlan(daily, ([found, rows]) => {
    const input = inputOf(asked, request, found, rows);
    const result = changesOf(input);
    const mayDrill = period.dayCount <= CHANGE_DRILL_DAYS_MAX && eventsRead(found.series) <= CHANGE_DRILL_EVENTS_MAX;
    return { input, result, drill: mayDrill ? drillNeeded(input, result) : null };
  });
}

/** The answer, and then the values of the first finding, whose filter only the answer tells. */
function drilledPlan(asked: Asked, answer: Plan<Answer>): Plan<Answer> {
  const { scope, period } = asked;
  const answers = new WeakMap<StepRows, Answer>();
  const count = answer.steps.length;
  // The analysis is not done twice: for the queries, and for the result.
  const answerOf = (rows: readonly StepRows[]): Answer => {
    const last = rows[count - 1] ?? [];
    const known = answers.get(last) ?? answer.toResult(rows.slice(0, count));
    answers.set(last, known);
    return known;
  };
  const range = within(scope, withHistory(scope, period));
  const queriesFor = ({ drill }: Answer): readonly AggregateQuery[] => {
    if (drill === null) return [];
    const conditions = [...scope.conditions, ...conditionsOn(parseSegmentFilter(drill.filters), () => [])];
    return drill.dimensions.map((dimension) => dailyValuesQuery({ ...range, conditions }, asked, parseDimension(dimension)));
  };
  const steps = planOf(range, [], () => null).steps.map((step) => ({
    ...step,
    narrow: (rows: readonly StepRows[]) => queriesFor(answerOf(rows)),
  }));
  return {
    steps: [...answer.steps, ...steps],
    toResult(rows) {
      const known = answerOf(rows);
      const { input, result, drill } = known;
      const [found = []] = rows.slice(count);
      if (drill === null) return known;
      const byDimension = drill.dimensions.map((dimension, i) => ({
        dimension,
        byDay: (found[i] ?? []).map((row) => dayValueTally(asked.metric, row)),
      }));
      return { ...known, result: withDrill(input, result, byDimension) };
    },
  };
}

export const changes = report({
  path: "/api/stats/changes",
  operationId: "getChanges",
  summary: "What changed: whether a period is ordinary, and which values stand apart",
  parameters: PARAMETERS,
  check,
  readsGoals: true,
  result: { name: "Changes", schema: CHANGES },
  extension: "needed",
  refusals: { extension_missing: "Visits need the behavioral extension, which is not loaded." },
  plan(request, settings) {
    const asked = askedOf(request, settings);
    const { nowMs, calendar } = request;
    return mapPlan(ofEventsOnly(drilledPlan(asked, answerPlan(asked, request))), ({ input, result }, days) => ({
      // Which days have sums only is known once all events are read.
      ...(days.length === 0 ? result : changesOf({ ...input, facts: [...input.facts, ...factsOfSums(days)] })),
      ...(input.compared && asked.compared?.endsAtMs && { ends_at: new Date(asked.compared.endsAtMs).toISOString() }),
      ...timeZoneField(nowMs, calendar),
    }));
  },
});
