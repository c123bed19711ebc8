/** GET /api/stats/sessions and /api/stats/session-timeseries: session metrics, of a range and over time (docs/http-api.md, "Sessions"). */
import { checkInterval, DAY_BUCKET, HOUR_BUCKET, INTERVAL, lengthOf } from "../query/date-range.ts";
import { closed, count, fraction, number } from "../base/json-schema.ts";
import { planOf } from "../query/plan.ts";
import { BUCKET, pointsOf, seriesOf } from "./measures/series.ts";
import { sessionAverages, sessionSums, sessionSumsBy } from "./measures/sessions.ts";
import { report } from "./report.ts";

const DURATION = number("Mean time from the first event of a session to its last.", { minimum: 0 });
const VIEWS = number("Mean number of page views per session.", { minimum: 0 });

export const sessions = report({
  path: "/api/stats/sessions",
  operationId: "getSessions",
  summary: "Session metrics",
  parameters: {},
  result: {
    name: "Sessions",
    schema: closed({
      total_sessions: count("Sessions with at least one matching event."),
      bounce_rate: fraction("Share of sessions with exactly one page view and no other interaction."),
      avg_session_duration_secs: DURATION,
      avg_pages_per_session: VIEWS,
    }),
  },
  extension: "needed",
  plan: ({ scope }, { sessionGapMs }) =>
    planOf(scope, [sessionSums(scope, sessionGapMs)], ([sums]) => {
      const { sessions: total, bounceRate, durationSecs, pageviews } = sessionAverages(sums);
      return { total_sessions: total, bounce_rate: bounceRate, avg_session_duration_secs: durationSecs, avg_pages_per_session: pageviews };
    }),
});

/** Sessions count in the bucket in which they begin. */
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
        bounce_rate: fraction("Share of these sessions with exactly one page view and no other interaction."),
        avg_visit_duration_secs: DURATION,
        views_per_visit: VIEWS,
      }),
    ),
  },
  extension: "needed",
  rolled: (scope, { sessionGapMs, hasExtension }) => ({
    ...(hasExtension && {
      "sessions-by-day": { query: sessionSumsBy(scope, sessionGapMs, DAY_BUCKET), over: "sessions", by: ["day"] },
      "sessions-by-hour": { query: sessionSumsBy(scope, sessionGapMs, HOUR_BUCKET), over: "sessions", by: ["hour"] },
    }),
  }),
  plan({ scope, values: { interval }, calendar, weekStart }, { sessionGapMs }) {
    const series = seriesOf(scope.range, calendar, lengthOf(scope.range, interval, weekStart), true);
    const sums = sessionSumsBy(scope, sessionGapMs, series.bucket);
    return planOf(scope, [sums], (found) =>
      series.points(found, sums.counts, (row) => {
        const { sessions: begun, bounceRate, durationSecs, pageviews } = sessionAverages(row);
        return { sessions: begun, bounce_rate: bounceRate, avg_visit_duration_secs: durationSecs, views_per_visit: pageviews };
      }),
    );
  },
});
