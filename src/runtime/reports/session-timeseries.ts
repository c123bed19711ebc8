/** GET /api/stats/session-timeseries: session metrics by the bucket in which sessions begin, empty buckets included (docs/http-api.md, "Sessions"). */
import { planOf } from "../query/plan.ts";
import { closed, count, fraction, number } from "../query/json-schema.ts";
import { DAY_BUCKET, HOUR_BUCKET, INTERVAL, checkInterval, lengthOf } from "../query/buckets.ts";
import { BUCKET, pointsOf } from "./measures/fields.ts";
import { seriesOf } from "./measures/series.ts";
import { sessionAverages, sessionSumsBy } from "./measures/sessions.ts";
import { report } from "./report.ts";

export const sessionTimeseries = report({
  path: "/api/stats/session-timeseries",
  operationId: "getSessionTimeseries",
  summary: "Session metrics over time",
  parameters: { interval: INTERVAL },
  check: checkInterval,
  result: {
    name: "SessionSeries",
    schema: pointsOf(
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
  plan({ scope, values: { interval }, calendar, weekStart }, { sessionGapMs }) {
    const series = seriesOf(scope.range, calendar, lengthOf(scope.range, interval, weekStart), true);
    const sums = sessionSumsBy(scope, sessionGapMs, series.bucket);
    return planOf(scope, [sums], (found) =>
      series.points(found, sums.counts, (row) => {
        const { sessions, bounceRate, durationSecs, pageviews } = sessionAverages(row);
        return { sessions, bounce_rate: bounceRate, avg_visit_duration_secs: durationSecs, views_per_visit: pageviews };
      }),
    );
  },
});
