/** GET /api/stats/main (contract 4.4): the headline figures, and those of an earlier window beside them. */
import { comparedRange, parseComparison } from "../../runtime/query/comparison.ts";
import { headlineOf, type Headline } from "../../runtime/reports/headline.ts";
import type { Scope } from "../../runtime/query/scope.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { sessionGapMsOf } from "./behavioral.ts";
import { figureReply } from "./figure.ts";

const counts = ({ uniqueVisitors, totalPageviews, totalEvents }: Headline) => ({
  unique_visitors: uniqueVisitors,
  total_pageviews: totalPageviews,
  total_events: totalEvents,
});

/** All null when sessions cannot be computed. */
const sessionAverages = ({ sessions }: Headline) => ({
  total_sessions: sessions?.totalSessions ?? null,
  bounce_rate: sessions?.bounceRate ?? null,
  avg_visit_duration_secs: sessions?.avgVisitDurationSecs ?? null,
});

const mainFields = (headline: Headline) => ({
  ...counts(headline),
  views_per_visitor: headline.viewsPerVisitor,
  ...sessionAverages(headline),
  views_per_visit: headline.sessions?.viewsPerVisit ?? null,
  behavioral_available: headline.sessions !== null,
});

const comparisonFields = ({ range }: Scope, headline: Headline) => ({
  start_date: range.firstDay,
  end_date: range.lastDay,
  ...counts(headline),
  ...sessionAverages(headline),
});

export const getMain: Handler = (_request, context) => {
  const query = new Query(context.url);
  const scope = query.scope(context.nowMs);
  const comparison = parseComparison(query.text("compare"));
  const { behavioral, config } = context.services;
  return figureReply(context, { name: "main", scope, parameters: [comparison] }, async (over) => {
    const sessionGapMs = (await behavioral.isAvailable()) ? sessionGapMsOf(config) : null;
    const headlineIn = (wanted: Scope) => over(wanted, (ask) => headlineOf(ask, wanted, sessionGapMs));
    const fields = mainFields(await headlineIn(scope));
    if (comparison === null) return JSON.stringify(fields);
    const compared = { ...scope, range: comparedRange(scope.range, comparison) };
    return JSON.stringify({ ...fields, comparison: comparisonFields(compared, await headlineIn(compared)) });
  });
};
