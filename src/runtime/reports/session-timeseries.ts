/** GET /api/stats/session-timeseries: sessions by the hour or day in which they begin, without gaps (docs/http-api.md, "Sessions"). */
import { planOf } from "../execution/plan.ts";
import { HOURLY_DAYS_MAX } from "../config/limits.ts";
import { closed, count, fraction, number } from "../query/json-schema.ts";
import { bucketSql, bucketsOf } from "../query/buckets.ts";
import { rowsBy } from "../query/row-values.ts";
import { BUCKET, pointsOf } from "./measures/fields.ts";
import { sessionAverages, sessionSumsBy } from "./measures/sessions.ts";
import { report } from "./report.ts";

export const sessionTimeseries = report({
  path: "/api/stats/session-timeseries",
  operationId: "getSessionTimeseries",
  summary: "Visits over time, each where it began",
  parameters: {},
  result: {
    name: "SessionSeries",
    schema: pointsOf(
      `Every hour of ranges up to ${HOURLY_DAYS_MAX} days, every day of longer ones; oldest first, those in which no visit begins included.`,
      closed({
        date: BUCKET,
        sessions: count("Visits that begin then and contain an event that meets the filters."),
        bounce_rate: fraction("Share of these visits that are one page view and nothing else."),
        avg_visit_duration_secs: number("From a visit's first event to its last.", { minimum: 0 }),
        views_per_visit: number("Page views by visits.", { minimum: 0 }),
      }),
    ),
  },
  extension: "needed",
  plan: ({ scope }, { sessionGapMs }) =>
    planOf(scope, [sessionSumsBy(scope, sessionGapMs, bucketSql(scope.range))], (found) => {
      const byBucket = rowsBy("bucket", found);
      return bucketsOf(scope.range).map(({ key, label }) => {
        const { sessions, bounceRate, durationSecs, pageviews } = sessionAverages(byBucket.get(key));
        return { date: label, sessions, bounce_rate: bounceRate, avg_visit_duration_secs: durationSecs, views_per_visit: pageviews };
      });
    }),
});
