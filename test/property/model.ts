/**
 * The expected responses of the statistics endpoints, computed from a plain list of events with loops and sets, as
 * docs/http-api.md describes them. Shares only the shape of an event and the names of dimensions with the service.
 */
import type { Dimension, VisitDimension } from "../../src/runtime/query/filters.ts";
import type { StoredEvent } from "../../src/storage/event.ts";
import {
  UNKNOWN,
  eventsByValue,
  groupBy,
  inScope,
  isPageview,
  judgedSessions,
  propertiesIn,
  seenByLens,
  shownAs,
  valueOf,
  type Condition,
  type Events,
  type PlainGoal,
  type Scope,
} from "./filter-model.ts";
import { plainUtc, sinceMidnight, type PlainCalendar } from "./plain-calendar.ts";

export { groupBy, inRange, inScope, isPageview, type Condition, type Events, type Scope } from "./filter-model.ts";
export type { Dimension };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

// Days, as the calendar has them.

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const dayPlus = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS);

const dayCountOf = ({ firstDay, lastDay }: Scope): number => Math.round((Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS) + 1;

const PERIOD_DAYS: Readonly<Record<string, number>> = { day: 1, today: 1, "7d": 7, "30d": 30, "90d": 90, "6mo": 182, "12mo": 365 };

/** How much of the current date its first date has. */
const PERIOD_STARTS: Readonly<Record<string, (today: string) => string>> = {
  month: (today) => today.replace(/..$/, "01"),
  year: (today) => today.replace(/.....$/, "01-01"),
};

/** First and last day of a period that ends today. */
export function daysOfPeriod(period: string, today: string): Pick<Scope, "firstDay" | "lastDay"> {
  const start = PERIOD_STARTS[period];
  if (start) return { firstDay: start(today), lastDay: today };
  const days = PERIOD_DAYS[period];
  if (days === undefined) throw new Error(`no period ${period}`);
  return { firstDay: dayPlus(today, 1 - days), lastDay: today };
}

// Counting.

export const visitorsIn = (events: Events): number => new Set(events.map(({ visitorId }) => visitorId)).size;

const pageviewsIn = (events: Events): number => events.filter(isPageview).length;

export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** In the order of their code points. */
const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Visitors descending, then the text ascending. */
export const byVisitors =
  <Row extends { readonly visitors: number }>(textOf: (row: Row) => string) =>
  (a: Row, b: Row): number =>
    b.visitors - a.visitors || compareTexts(textOf(a), textOf(b));

// Sessions: made from all events in range, then those with a matching event are described whole.

const durationMsOf = (session: Events): number => (session.at(-1)?.timestampMs ?? 0) - (session[0]?.timestampMs ?? 0);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Those with a matching event, whole, but for what is hidden. */
export const keptSessions = (events: Events, scope: Scope, sessionGapMs: number): StoredEvent[][] =>
  judgedSessions(events, { ...scope, sessionGapMs }).flatMap(({ shown, matching }) => (matching.length > 0 ? [shown] : []));

export const sessionFigures = (events: Events, scope: Scope, sessionGapMs: number) => figuresOf(keptSessions(events, scope, sessionGapMs));

export function figuresOf(sessions: readonly Events[]) {
  const isBounce = (session: Events): boolean =>
    pageviewsIn(session) === 1 && session.every((event) => isPageview(event) || event.interactive !== null);
  const bounces = sessions.filter(isBounce);
  return {
    total_sessions: sessions.length,
    bounce_rate: ratio(bounces.length, sessions.length),
    avg_visit_duration_secs: ratio(sum(sessions.map(durationMsOf)), 1000 * sessions.length),
    views_per_visit: ratio(sum(sessions.map(pageviewsIn)), sessions.length),
  };
}

const counts = (events: Events) => ({
  unique_visitors: visitorsIn(events),
  total_pageviews: pageviewsIn(events),
  total_events: events.length,
});

export type Comparison = "previous_period" | "year_over_year";

export function comparedScope(scope: Scope, comparison: Comparison): Scope {
  const days = comparison === "previous_period" ? dayCountOf(scope) : 365;
  return { ...scope, firstDay: dayPlus(scope.firstDay, -days), lastDay: dayPlus(scope.lastDay, -days) };
}

const metricsOf = (events: Events, scope: Scope, sessionGapMs: number) => {
  const { views_per_visit, ...sessions } = sessionFigures(events, scope, sessionGapMs);
  return { totals: { ...counts(inScope(events, scope)), ...sessions }, views_per_visit };
};

export function mainOf(events: Events, scope: Scope, sessionGapMs: number, comparison: Comparison | null) {
  const { totals, views_per_visit } = metricsOf(events, scope, sessionGapMs);
  const main = {
    ...totals,
    views_per_visitor: ratio(totals.total_pageviews, totals.unique_visitors),
    views_per_visit,
    behavioral_available: true,
  };
  if (comparison === null) return main;
  const compared = comparedScope(scope, comparison);
  return {
    ...main,
    comparison: { start_date: compared.firstDay, end_date: compared.lastDay, ...metricsOf(events, compared, sessionGapMs).totals },
  };
}

/** First and last day of a window of `compare=custom`. */
export interface CustomWindow extends Pick<Scope, "firstDay" | "lastDay"> {
  /** Whether its last day ends at the time of day that it is now, if the range includes today. */
  readonly isSameTime: boolean;
}

/** The events and the scope of a custom window, and where it is cut. */
function windowIn(events: Events, scope: Scope, window: CustomWindow, nowMs: number, calendar: PlainCalendar) {
  const { firstDay, lastDay, isSameTime } = window;
  const today = calendar.dateOf(nowMs);
  const isCut = isSameTime && scope.firstDay <= today && today <= scope.lastDay;
  const endMs = isCut ? calendar.whenClockShows(lastDay, sinceMidnight(nowMs, calendar)) : null;
  const seen = seenByLens(events, { ...scope, firstDay, lastDay });
  const early = seen.kept.filter(({ timestampMs }) => endMs === null || timestampMs < endMs);
  return { early, scope: seen.scope, endMs };
}

export function customMainOf(
  events: Events,
  scope: Scope,
  sessionGapMs: number,
  window: CustomWindow,
  nowMs: number,
  calendar: PlainCalendar = plainUtc,
) {
  const compared = windowIn(events, scope, window, nowMs, calendar);
  const { totals, views_per_visit } = metricsOf(compared.early, compared.scope, sessionGapMs);
  const comparison = { start_date: window.firstDay, end_date: window.lastDay, ...totals, views_per_visit };
  return {
    ...mainOf(events, scope, sessionGapMs, null),
    comparison: { ...comparison, ...(compared.endMs !== null && { ends_at: new Date(compared.endMs).toISOString() }) },
  };
}

/** Rows with those of a custom window as `comparison`; rows that only the window has come last, with zeros. */
function comparedRows<Row extends object>(now: readonly Row[], before: readonly Row[], nameOf: (row: Row) => string, zeros: Partial<Row>) {
  const rowsBefore = new Map(before.map((row) => [nameOf(row), row]));
  const ended = before
    .filter((row) => !now.some((other) => nameOf(other) === nameOf(row)))
    .sort((a, b) => compareTexts(nameOf(a), nameOf(b)));
  return [...now, ...ended.map((row) => ({ ...row, ...zeros }))].map((row) => {
    const comparison: Partial<Record<string, unknown>> = { ...(rowsBefore.get(nameOf(row)) ?? { ...row, ...zeros }) };
    delete comparison["name"];
    delete comparison["currency"];
    return { ...row, comparison };
  });
}

export function comparedGoalsOf(events: Events, scope: Scope, window: CustomWindow, nowMs: number) {
  const compared = windowIn(events, scope, window, nowMs, plainUtc);
  const zeros = { visitors: 0, events: 0, conversion_rate: 0 };
  return comparedRows(goalsOf(events, scope), goalsOf(compared.early, compared.scope), ({ name }) => name, zeros);
}

export function comparedRevenueOf(events: Events, scope: Scope, window: CustomWindow, nowMs: number) {
  const compared = windowIn(events, scope, window, nowMs, plainUtc);
  const [now, before] = [revenueOf(events, scope), revenueOf(compared.early, compared.scope)];
  const zeros = { total: 0, transactions: 0, paying_visitors: 0, average_order_value: 0 };
  return { ...now, by_currency: comparedRows(now.by_currency, before.by_currency, ({ currency }) => currency, zeros) };
}

export const daysIn = (scope: Scope): string[] => Array.from({ length: dayCountOf(scope) }, (_, i) => dayPlus(scope.firstDay, i));

/** The labels of a scope's hours. */
export const hoursIn = (scope: Scope, { hoursOf }: PlainCalendar): string[] =>
  daysIn(scope).flatMap((day) => hoursOf(day).map((hour) => `${day} ${hour}:00`));

/** The label of the hour of an event: what the clock showed, on the event's date. */
export const hourOf = ({ date, timestampMs }: StoredEvent, { clockAt }: PlainCalendar): string =>
  `${date} ${clockAt(timestampMs).slice(11, 13)}:00`;

/** A point for each bucket of the range. `isIn` tells whether an event is in the bucket. */
function pointsOf<Point>(
  scope: Scope,
  calendar: PlainCalendar,
  figures: (isIn: (event: StoredEvent) => boolean) => Point,
): ({ readonly date: string } & Point)[] {
  const hourly = dayCountOf(scope) <= 2;
  const labels = hourly ? hoursIn(scope, calendar) : daysIn(scope);
  return labels.map((label) => ({ date: label, ...figures((event) => (hourly ? hourOf(event, calendar) : event.date) === label) }));
}

export function timeseriesOf(events: Events, scope: Scope, calendar: PlainCalendar = plainUtc) {
  const scoped = inScope(events, scope);
  return pointsOf(scope, calendar, (isIn) => {
    const bucket = scoped.filter(isIn);
    return { visitors: visitorsIn(bucket), pageviews: pageviewsIn(bucket) };
  });
}

/** With `include=events`. */
export function eventSeriesOf(events: Events, scope: Scope, calendar: PlainCalendar = plainUtc) {
  const scoped = inScope(events, scope);
  return pointsOf(scope, calendar, (isIn) => counts(scoped.filter(isIn))).map(
    ({ date, unique_visitors, total_pageviews, total_events }) => ({
      date,
      visitors: unique_visitors,
      pageviews: total_pageviews,
      events: total_events,
    }),
  );
}

/** Sessions by the bucket in which they begin. */
export function sessionTimeseriesOf(events: Events, scope: Scope, gapMs: number, calendar: PlainCalendar = plainUtc) {
  const sessions = keptSessions(events, scope, gapMs);
  return pointsOf(scope, calendar, (isIn) => {
    const { total_sessions, ...figures } = figuresOf(sessions.filter(([first]) => first && isIn(first)));
    return { sessions: total_sessions, ...figures };
  });
}

export function breakdownOf(events: Events, scope: Scope, dimension: Dimension | VisitDimension, limit: number) {
  return [...eventsByValue(events, scope, dimension)]
    .map(([value, group]) => ({ value, visitors: visitorsIn(group), pageviews: pageviewsIn(group), events: group.length }))
    .sort(byVisitors(({ value }) => value))
    .slice(0, limit);
}

export interface RealtimeQuestion {
  readonly siteId: string;
  readonly conditions: readonly Condition[];
  /** By default, nothing is hidden. */
  readonly shared?: readonly Condition[];
  readonly goals?: readonly PlainGoal[];
  readonly sessionGapMs: number;
  readonly nowMs: number;
  readonly windowMinutes: number;
  /** The parameter, or null without it. */
  readonly minutes: number | null;
}

function topTen(pageviews: Events, valueOfEvent: (event: StoredEvent) => string) {
  return [...groupBy(pageviews, valueOfEvent)]
    .map(([value, group]) => ({ value, visitors: visitorsIn(group) }))
    .sort(byVisitors(({ value }) => value))
    .slice(0, 10);
}

const sourceOf = ({ referrerSource }: StoredEvent): string =>
  referrerSource === null || referrerSource === UNKNOWN ? "(direct)" : referrerSource;

export function realtimeOf(
  events: Events,
  { nowMs, windowMinutes, minutes, ...scope }: RealtimeQuestion,
  calendar: PlainCalendar = plainUtc,
) {
  const minuteOf = (ms: number) => Math.floor(ms / MINUTE_MS);
  const firstMinute = minuteOf(nowMs) - (minutes ?? windowMinutes);
  const currentStartMs = nowMs - windowMinutes * MINUTE_MS;
  const firstMs = minutes === null ? currentStartMs : Math.min(currentStartMs, firstMinute * MINUTE_MS);
  // Sessions are those of the whole dates that the windows touch.
  const matching = inScope(events, { ...scope, firstDay: calendar.dateOf(firstMs), lastDay: calendar.dateOf(nowMs) });
  const between = (startMs: number) => matching.filter(({ timestampMs }) => startMs <= timestampMs && timestampMs <= nowMs);
  const current = between(currentStartMs);
  const recent = minutes === null ? current : between(firstMinute * MINUTE_MS);
  const pageviews = recent.filter(isPageview);
  const perMinute: number[] = [];
  for (let minute = firstMinute; minute <= minuteOf(nowMs); minute++) {
    perMinute.push(pageviews.filter(({ timestampMs }) => minuteOf(timestampMs) === minute).length);
  }
  const countryOf = (event: StoredEvent) => valueOf(event, "countries");
  const countries = [...new Set(recent.map(countryOf))].map((value) => {
    const visitorsOf = (some: Events) => visitorsIn(some.filter((event) => countryOf(event) === value));
    return { value, visitors: visitorsOf(recent), current_visitors: visitorsOf(current) };
  });
  return {
    current_visitors: visitorsIn(current),
    pageviews: pageviews.length,
    window_minutes: windowMinutes,
    top_pages: topTen(pageviews, (event) => valueOf(event, "pages")),
    top_sources: topTen(pageviews, sourceOf),
    per_minute: perMinute,
    ...(minutes !== null && {
      first_minute: calendar.clockAt(firstMinute * MINUTE_MS).slice(0, 16),
      visitors: visitorsIn(recent),
      countries: countries.sort(byVisitors(({ value }) => value)),
      top_events: topTen(
        recent.filter((event) => !isPageview(event)),
        ({ eventName }) => eventName,
      ),
    }),
  };
}

/** The value with the most visitors, the first in order if several have as many; empty without events. */
const topOf = (pageviews: Events, valueOfEvent: (event: StoredEvent) => string): string => topTen(pageviews, valueOfEvent)[0]?.value ?? "";

/** In JSON. */
export function dailyExportOf(events: Events, scope: Scope) {
  const scoped = inScope(events, scope);
  return daysIn(scope).map((day) => {
    const ofDay = scoped.filter(({ date }) => date === day);
    const pageviews = ofDay.filter(isPageview);
    return {
      date: day,
      visitors: visitorsIn(ofDay),
      pageviews: pageviews.length,
      top_page: topOf(pageviews, (event) => valueOf(event, "pages")),
      top_source: topOf(pageviews, sourceOf),
    };
  });
}

export function goalsOf(events: Events, scope: Scope) {
  const scoped = inScope(events, scope);
  const others = scoped.filter((event) => !isPageview(event));
  return [...groupBy(others, ({ eventName }) => eventName)]
    .map(([name, group]) => ({
      name,
      visitors: visitorsIn(group),
      events: group.length,
      conversion_rate: ratio(visitorsIn(group), visitorsIn(scoped)),
    }))
    .sort(byVisitors(({ name }) => name));
}

export const propertiesOf = (events: Events, scope: Scope): string[] =>
  [...new Set(inScope(events, scope).flatMap((event) => [...propertiesIn(event).keys()]))].sort(compareTexts);

export function propertyValuesOf(events: Events, scope: Scope, key: string, eventName: string | null) {
  const carrying = inScope(events, scope).filter(
    (event) => propertiesIn(event).has(key) && (eventName === null || event.eventName === eventName),
  );
  return [...groupBy(carrying, (event) => propertiesIn(event).get(key) ?? "")]
    .map(([value, group]) => ({ value, visitors: visitorsIn(group), events: group.length }))
    .sort(byVisitors(({ value }) => value))
    .slice(0, 1000);
}

const centsIn = (events: Events): number => sum(events.map(({ revenueCents }) => revenueCents ?? 0));

/** Totals of a history stay far below 2^53 hundredths, so that a number holds them. */
const takings = (events: Events) => ({ total: centsIn(events) / 100, transactions: events.length });

interface Takings {
  readonly value?: string;
  readonly currency: string;
  readonly total: number;
}

/** Total descending, then value, then currency; at most 100. */
const ranked = <Row extends Takings>(rows: readonly Row[]): Row[] =>
  rows
    .toSorted((a, b) => b.total - a.total || compareTexts(a.value ?? "", b.value ?? "") || compareTexts(a.currency, b.currency))
    .slice(0, 100);

function revenueBy(transactions: Events, valueOfEvent: (event: StoredEvent) => string) {
  const rows = [...groupBy(transactions, valueOfEvent)].flatMap(([value, ofValue]) =>
    [...groupBy(ofValue, ({ currency }) => shownAs(currency))].map(([currency, group]) => ({ value, currency, ...takings(group) })),
  );
  return ranked(rows);
}

export function revenueOf(events: Events, scope: Scope) {
  const transactions = inScope(events, scope).filter(({ revenueCents }) => revenueCents !== null);
  const currencies = [...groupBy(transactions, ({ currency }) => shownAs(currency))].map(([currency, group]) => ({
    currency,
    ...takings(group),
    paying_visitors: visitorsIn(group),
    average_order_value: centsIn(group) / (100 * group.length),
  }));
  return {
    by_currency: ranked(currencies),
    by_event: revenueBy(transactions, ({ eventName }) => eventName),
    by_page: revenueBy(transactions, ({ pathname }) => pathname),
  };
}
