/** GET /api/stats/sessions: how many sessions there are, and their averages (docs/http-api.md, "Sessions"). */
import { planOf } from "../execution/plan.ts";
import { closed, count, fraction, number } from "../query/json-schema.ts";
import { sessionAverages, sessionSums } from "./measures/sessions.ts";
import { report } from "./report.ts";

export const sessions = report({
  path: "/api/stats/sessions",
  operationId: "getSessions",
  summary: "Visits, and what they are like on average",
  parameters: {},
  result: {
    name: "Sessions",
    schema: closed({
      total_sessions: count("Visits that contain an event of the range that meets the filters."),
      bounce_rate: fraction("Share of the visits that are one page view and nothing else."),
      avg_session_duration_secs: number("From a visit's first event to its last.", { minimum: 0 }),
      avg_pages_per_session: number("Page views by visits.", { minimum: 0 }),
    }),
  },
  extension: "needed",
  plan: ({ scope }, { sessionGapMs }) =>
    planOf(scope, [sessionSums(scope, sessionGapMs)], ([sums]) => {
      const { sessions: total, bounceRate, durationSecs, pageviews } = sessionAverages(sums);
      return { total_sessions: total, bounce_rate: bounceRate, avg_session_duration_secs: durationSecs, avg_pages_per_session: pageviews };
    }),
});
