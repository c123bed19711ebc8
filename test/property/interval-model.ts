/** The expected time series by hour, day, week or month, computed from a plain list of events (docs/http-api.md, "Timeseries"). */
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

export type Interval = "hour" | "day" | "week" | "month";

function mondayOf(day: string): string {
  let monday = day;
  while (new Date(monday).getUTCDay() !== 1) monday = dayPlus(monday, -1);
  return monday;
}

/** Equal for two days of one bucket. */
const BUCKET_OF: Readonly<Record<Exclude<Interval, "hour">, (day: string) => string>> = {
  day: (day) => day,
  week: mondayOf,
  month: (day) => day.slice(0, 7),
};

function pointsOf<Point>(
  scope: Scope,
  interval: Interval,
  calendar: PlainCalendar,
  figures: (isIn: (event: StoredEvent) => boolean) => Point,
) {
  if (interval === "hour") {
    return hoursIn(scope, calendar).map((hour) => ({ date: hour, ...figures((event) => hourOf(event, calendar) === hour) }));
  }
  const bucketOf = BUCKET_OF[interval];
  const labels = new Map<string, string>();
  for (const day of daysIn(scope)) if (!labels.has(bucketOf(day))) labels.set(bucketOf(day), day);
  return [...labels].map(([bucket, date]) => ({ date, ...figures((event) => bucketOf(event.date) === bucket) }));
}

export function timeseriesBy(interval: Interval, events: Events, scope: Scope, calendar: PlainCalendar = plainUtc) {
  const scoped = inScope(events, scope);
  return pointsOf(scope, interval, calendar, (isIn) => {
    const bucket = scoped.filter(isIn);
    return { visitors: visitorsIn(bucket), pageviews: bucket.filter(isPageview).length };
  });
}

export function sessionTimeseriesBy(interval: Interval, events: Events, scope: Scope, gapMs: number, calendar: PlainCalendar = plainUtc) {
  const sessions = keptSessions(events, scope, gapMs);
  return pointsOf(scope, interval, calendar, (isIn) => {
    const { total_sessions, ...figures } = figuresOf(sessions.filter(([first]) => first && isIn(first)));
    return { sessions: total_sessions, ...figures };
  });
}
