/** GET /api/stats/sessions (decisions, "Statistics"): visits, and what they are like on average. */
import { sessionFiguresOf } from "../../runtime/reports/headline.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { behavioralReply, sessionGapMsOf } from "./behavioral.ts";

export const getSessions: Handler = (_request, context) => {
  const scope = new Query(context.url).scope(context.nowMs);
  const gapMs = sessionGapMsOf(context.services.config);
  return behavioralReply(context, { name: "sessions", scope }, async (over) => {
    const figures = await over(scope, (ask) => sessionFiguresOf(ask, scope, gapMs));
    return JSON.stringify({
      total_sessions: figures.totalSessions,
      bounce_rate: figures.bounceRate,
      avg_session_duration_secs: figures.avgVisitDurationSecs,
      avg_pages_per_session: figures.viewsPerVisit,
    });
  });
};
