/** The expected time series by minute, hour, day, week or month, computed from a plain list of events (docs/http-api.md, "Timeseries"). */
import type { WeekStart } from "../../src/shared/site-choices.ts";
import type { StoredEvent } from "../../src/storage/event.ts";
import {
  dayPlus,
  daysIn,
  figuresOf,
  hourOf,
  hoursIn,
  inScope,
  isPageview,
  keptSessions,
  visitorsIn,
  type Events,
  type Scope,
} from "./model.ts";
import { plainUtc, type PlainCalendar } from "./plain-calendar.ts";

export type Interval = "minute" | "hour" | "day" | "week" | "month";

/** As `getUTCDay` counts. */
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** The first day of the week that a day lies in. */
function weekOf(day: string, weekStart: WeekStart): string {
  let first = day;
  while (WEEKDAYS[new Date(first).getUTCDay()] !== weekStart) first = dayPlus(first, -1);
  return first;
}

/** Equal for two days of one bucket. */
const BUCKET_OF: Readonly<Record<Exclude<Interval, "minute" | "hour">, (day: string, weekStart: WeekStart) => string>> = {
  day: (day) => day,
  week: weekOf,
  month: (day) => day.slice(0, 7),
};

/** Longest ranges by the minute and by the hour. */
const DAYS_MAX: Readonly<Partial<Record<Interval, number>>> = { minute: 1, hour: 31 };

/** The scope, cut at its beginning if it is too long for the interval. */
export function scopeWithin(scope: Scope, interval: Interval): Scope {
  const daysMax = DAYS_MAX[interval];
  const firstAllowed = dayPlus(scope.lastDay, 1 - (daysMax ?? 1));
  return daysMax !== undefined && scope.firstDay < firstAllowed ? { ...scope, firstDay: firstAllowed } : scope;
}

/** The label of the minute of an event: what the clock showed, on the event's date. */
const minuteOf = ({ date, timestampMs }: StoredEvent, { clockAt }: PlainCalendar): string =>
  `${date} ${clockAt(timestampMs).slice(11, 16)}`;

/** Of a site. */
export interface SiteDays {
  readonly calendar?: PlainCalendar;
  readonly weekStart?: WeekStart;
}

function pointsOf<Point>(
  scope: Scope,
  interval: Interval,
  { calendar = plainUtc, weekStart = "monday" }: SiteDays,
  figures: (isIn: (event: StoredEvent) => boolean) => Point,
) {
  if (interval === "hour") {
    return hoursIn(scope, calendar).map((hour) => ({ date: hour, ...figures((event) => hourOf(event, calendar) === hour) }));
  }
  if (interval === "minute") {
    const minutes = daysIn(scope).flatMap((day) => calendar.minutesOf(day).map((minute) => `${day} ${minute}`));
    return minutes.map((minute) => ({ date: minute, ...figures((event) => minuteOf(event, calendar) === minute) }));
  }
  const bucketOf = (day: string) => BUCKET_OF[interval](day, weekStart);
  const labels = new Map<string, string>();
  for (const day of daysIn(scope)) if (!labels.has(bucketOf(day))) labels.set(bucketOf(day), day);
  return [...labels].map(([bucket, date]) => ({ date, ...figures((event) => bucketOf(event.date) === bucket) }));
}

export function timeseriesBy(interval: Interval, events: Events, scope: Scope, site: SiteDays = {}) {
  const scoped = inScope(events, scope);
  return pointsOf(scope, interval, site, (isIn) => {
    const bucket = scoped.filter(isIn);
    return { visitors: visitorsIn(bucket), pageviews: bucket.filter(isPageview).length };
  });
}

export function sessionTimeseriesBy(interval: Interval, events: Events, scope: Scope, gapMs: number, site: SiteDays = {}) {
  const sessions = keptSessions(events, scope, gapMs);
  return pointsOf(scope, interval, site, (isIn) => {
    const { total_sessions, ...figures } = figuresOf(sessions.filter(([first]) => first && isIn(first)));
    return { sessions: total_sessions, ...figures };
  });
}
