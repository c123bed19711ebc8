/** GET /api/stats/session-timeseries: visits by hour or day, and what they are like on average; what the dashboard draws. */
import { sessionSeriesOf } from "../../runtime/reports/series.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { behavioralReply, sessionGapMsOf } from "./behavioral.ts";

export const getSessionTimeseries: Handler = (_request, context) => {
  const scope = new Query(context.url).scope(context.nowMs);
  const gapMs = sessionGapMsOf(context.services.config);
  return behavioralReply(context, { name: "session-timeseries", scope }, async (over) => {
    const points = await over(scope, (ask) => sessionSeriesOf(ask, scope, gapMs));
    return JSON.stringify(
      points.map(({ date, totalSessions, bounceRate, avgVisitDurationSecs, viewsPerVisit }) => ({
        date,
        sessions: totalSessions,
        bounce_rate: bounceRate,
        avg_visit_duration_secs: avgVisitDurationSecs,
        views_per_visit: viewsPerVisit,
      })),
    );
  });
};
