/** GET /api/stats/session-timeseries: session metrics by the hour or day in which sessions begin, empty buckets included (docs/http-api.md, "Sessions"). */
import { planOf } from "../execution/plan.ts";
import { HOURLY_DAYS_MAX } from "../config/limits.ts";
import { closed, count, fraction, number } from "../query/json-schema.ts";
import { DAY_BUCKET, HOUR_BUCKET, bucketSql, bucketsOf } from "../query/buckets.ts";
import { rowsBy } from "../query/row-values.ts";
import { BUCKET, pointsOf } from "./measures/fields.ts";
import { sessionAverages, sessionSumsBy } from "./measures/sessions.ts";
import { report } from "./report.ts";

export const sessionTimeseries = report({
  path: "/api/stats/session-timeseries",
  operationId: "getSessionTimeseries",
  summary: "Session metrics over time",
  parameters: {},
  result: {
    name: "SessionSeries",
    schema: pointsOf(
      `Every hour of ranges up to ${HOURLY_DAYS_MAX} days, every day of longer ones; oldest first, empty ones included.`,
      closed({
        date: BUCKET,
        sessions: count("Sessions that begin in the bucket and have at least one matching event."),
        bounce_rate: fraction("Share of these sessions with exactly one page view and no other event."),
        avg_visit_duration_secs: number("Mean time from the first event of a session to its last.", { minimum: 0 }),
        views_per_visit: number("Mean number of page views per session.", { minimum: 0 }),
      }),
    ),
  },
  extension: "needed",
  rolled: (scope, { sessionGapMs, hasExtension }) => ({
    ...(hasExtension && {
      "sessions-by-day": sessionSumsBy(scope, sessionGapMs, DAY_BUCKET),
      "sessions-by-hour": sessionSumsBy(scope, sessionGapMs, HOUR_BUCKET),
    }),
  }),
  plan: ({ scope }, { sessionGapMs }) =>
    planOf(scope, [sessionSumsBy(scope, sessionGapMs, bucketSql(scope.range))], (found) => {
      const byBucket = rowsBy("bucket", found);
      return bucketsOf(scope.range).map(({ key, label }) => {
        const { sessions, bounceRate, durationSecs, pageviews } = sessionAverages(byBucket.get(key));
        return { date: label, sessions, bounce_rate: bounceRate, avg_visit_duration_secs: durationSecs, views_per_visit: pageviews };
      });
    }),
});
