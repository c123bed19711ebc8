/** Random questions about a site in a time zone, and what the plain model answers: every report and export. */
import fc from "fast-check";
import { expect } from "vitest";
import { retentionFiguresOf } from "./behavioral-figures-model.ts";
import { condition } from "./conditions.ts";
import { SITES } from "./histories.ts";
import { scopeWithin, sessionTimeseriesBy, timeseriesBy, type Interval } from "./interval-model.ts";
import {
  breakdownOf,
  customMainOf,
  dayPlus,
  eventSeriesOf,
  inScope,
  mainOf,
  realtimeOf,
  sessionTimeseriesOf,
  timeseriesOf,
  type Comparison,
  type CustomWindow,
  type Dimension,
  type Events,
  type Scope,
} from "./model.ts";
import { PLAIN_REPORTS } from "./plain-reports.ts";
import { dimension } from "./questions.ts";
import type { ZonedHistory } from "./zoned-histories.ts";

const MINUTE_MS = 60_000;
const [SITE] = SITES;

export interface ZonedQuestion {
  readonly endDaysBack: number;
  readonly dayCount: number;
  readonly conditions: Scope["conditions"];
  readonly interval: Interval;
  readonly compare: Comparison | null;
  readonly window: { readonly endDaysBack: number; readonly dayCount: number; readonly isSameTime: boolean };
  readonly minutes: number | null;
  readonly dimension: Dimension;
}

const daysBack = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -1, max: 4 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 }) },
);
const dayCount = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) }, { weight: 1, arbitrary: fc.constantFrom(30, 60, 366) });

export const zonedQuestion: fc.Arbitrary<ZonedQuestion> = fc.record({
  endDaysBack: daysBack,
  dayCount,
  conditions: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: condition.map((only) => [{ ...only, isNegated: true }]) },
  ),
  interval: fc.constantFrom<Interval>("minute", "hour", "hour", "day", "week", "month"),
  compare: fc.constantFrom(null, "previous_period" as const, "year_over_year" as const),
  window: fc.record({ endDaysBack: daysBack, dayCount, isSameTime: fc.constantFrom(true, true, false) }),
  minutes: fc.constantFrom(null, 1, 30, 60),
  dimension,
});

/** All days of a history, without a filter: most of its events are in it. */
export const wideQuestion: fc.Arbitrary<ZonedQuestion> = zonedQuestion.map((question) => ({
  ...question,
  endDaysBack: -2,
  dayCount: 10,
  conditions: [],
}));

export const datesOf = ({ endDaysBack, dayCount: days }: Pick<ZonedQuestion, "endDaysBack" | "dayCount">, today: string) => {
  const lastDay = dayPlus(today, -endDaysBack);
  return { firstDay: dayPlus(lastDay, 1 - days), lastDay };
};

/** A request, and the response's JSON that the model expects. */
export type Expected = readonly [endpoint: string, own: Readonly<Record<string, string>>, body: unknown, scope?: Scope];

/** Each response by the model, over the dates of the question, or those of its own. */
export function expectedOf(
  events: Events,
  { history, calendar, rotationDays }: ZonedHistory,
  question: ZonedQuestion,
): readonly Expected[] {
  const { nowMs, sessionWindowMinutes, realtimeWindowMinutes: windowMinutes } = history;
  const gapMs = sessionWindowMinutes * MINUTE_MS;
  const today = calendar.dateOf(nowMs);
  const { conditions, interval, compare, minutes } = question;
  const scope: Scope = { siteId: SITE, conditions, sessionGapMs: gapMs, ...datesOf(question, today) };
  const byInterval = scopeWithin(scope, interval);
  const window: CustomWindow = { ...datesOf(question.window, today), isSameTime: question.window.isSameTime };
  const custom = {
    compare: "custom",
    compare_start_date: window.firstDay,
    compare_end_date: window.lastDay,
    compare_same_time: String(window.isSameTime),
  };
  const named = calendar.zoneAt(nowMs) === "UTC" ? {} : { time_zone: calendar.zoneAt(nowMs) };
  const realtime = realtimeOf(events, { siteId: SITE, conditions, sessionGapMs: gapMs, nowMs, windowMinutes, minutes }, calendar);
  const cohorts = retentionFiguresOf(events, scope, 4);
  return [
    ["main", compare ? { compare } : {}, { ...mainOf(events, scope, gapMs, compare), ...named }],
    ["main", custom, { ...customMainOf(events, scope, gapMs, window, nowMs, calendar), ...named }],
    ["timeseries", {}, timeseriesOf(events, scope, calendar)],
    ["timeseries", { include: "events" }, eventSeriesOf(events, scope, calendar)],
    ["timeseries", { interval }, timeseriesBy(interval, events, byInterval, { calendar }), byInterval],
    ["session-timeseries", {}, sessionTimeseriesOf(events, scope, gapMs, calendar)],
    ["session-timeseries", { interval }, sessionTimeseriesBy(interval, events, byInterval, gapMs, { calendar }), byInterval],
    ["realtime", minutes === null ? {} : { minutes: String(minutes) }, { ...realtime, ...named }],
    [`breakdown/${question.dimension}`, {}, breakdownOf(events, scope, question.dimension, 10)],
    ...PLAIN_REPORTS.map(([endpoint, own, bodyOf]): Expected => [endpoint, own, bodyOf({ events, scope, gapMs })]),
    ["retention", { weeks: "4" }, expect.objectContaining({ cohorts, identity_supports_cohorts: rotationDays >= 28 })],
    ["export", { kind: "raw", format: "json" }, rawExportOf(events, scope)],
  ];
}

/** What the raw export has of each event in order of time, with those of equal time in the order in which they came. */
const rawExportOf = (events: Events, scope: Scope) =>
  inScope(events, scope)
    .toSorted((a, b) => a.timestampMs - b.timestampMs)
    .map(({ timestampMs, pathname }) => expect.objectContaining({ timestamp: new Date(timestampMs).toISOString(), pathname }) as unknown);
