/** GET /api/stats/sessions: number of sessions, bounce rate, and mean duration and page views (docs/http-api.md, "Sessions"). */
import { planOf } from "../query/plan.ts";
import { closed, count, fraction, number } from "../query/json-schema.ts";
import { sessionAverages, sessionSums } from "./measures/sessions.ts";
import { report } from "./report.ts";

export const sessions = report({
  path: "/api/stats/sessions",
  operationId: "getSessions",
  summary: "Session metrics",
  parameters: {},
  result: {
    name: "Sessions",
    schema: closed({
      total_sessions: count("Sessions with at least one matching event."),
      bounce_rate: fraction("Share of sessions with exactly one page view and no other event."),
      avg_session_duration_secs: number("Mean time from the first event of a session to its last.", { minimum: 0 }),
      avg_pages_per_session: number("Mean number of page views per session.", { minimum: 0 }),
    }),
  },
  extension: "needed",
  plan: ({ scope }, { sessionGapMs }) =>
    planOf(scope, [sessionSums(scope, sessionGapMs)], ([sums]) => {
      const { sessions: total, bounceRate, durationSecs, pageviews } = sessionAverages(sums);
      return { total_sessions: total, bounce_rate: bounceRate, avg_session_duration_secs: durationSecs, avg_pages_per_session: pageviews };
    }),
});
