/** The expected time series by hour, day, week or month, computed from a plain list of events (docs/http-api.md, "Timeseries"). */
import { DAY_MS } from "./histories.ts";
import { dayOf, dayPlus, figuresOf, inScope, isPageview, keptSessions, visitorsIn, type Events, type Scope } from "./model.ts";

export type Interval = "hour" | "day" | "week" | "month";

const HOUR_MS = DAY_MS / 24;

function mondayOf(day: string): string {
  let monday = day;
  while (new Date(monday).getUTCDay() !== 1) monday = dayPlus(monday, -1);
  return monday;
}

/** Equal for two instants of one bucket. */
const BUCKET_OF: Readonly<Record<Interval, (ms: number) => string>> = {
  hour: (ms) => `${dayOf(ms)} ${new Date(ms).toISOString().slice(11, 13)}:00`,
  day: dayOf,
  week: (ms) => mondayOf(dayOf(ms)),
  month: (ms) => dayOf(ms).slice(0, 7),
};

function pointsOf<Point>(scope: Scope, interval: Interval, figures: (isIn: (ms: number) => boolean) => Point) {
  const bucketOf = BUCKET_OF[interval];
  const labels = new Map<string, string>();
  for (let ms = Date.parse(scope.firstDay); ms < Date.parse(scope.lastDay) + DAY_MS; ms += HOUR_MS) {
    if (!labels.has(bucketOf(ms))) labels.set(bucketOf(ms), interval === "hour" ? bucketOf(ms) : dayOf(ms));
  }
  return [...labels].map(([bucket, date]) => ({ date, ...figures((ms) => bucketOf(ms) === bucket) }));
}

export function timeseriesBy(interval: Interval, events: Events, scope: Scope) {
  const scoped = inScope(events, scope);
  return pointsOf(scope, interval, (isIn) => {
    const bucket = scoped.filter(({ timestampMs }) => isIn(timestampMs));
    return { visitors: visitorsIn(bucket), pageviews: bucket.filter(isPageview).length };
  });
}

export function sessionTimeseriesBy(interval: Interval, events: Events, scope: Scope, gapMs: number) {
  const sessions = keptSessions(events, scope, gapMs);
  return pointsOf(scope, interval, (isIn) => {
    const { total_sessions, ...figures } = figuresOf(sessions.filter(([first]) => first && isIn(first.timestampMs)));
    return { sessions: total_sessions, ...figures };
  });
}
