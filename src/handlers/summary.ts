/** GET /api/summary: main metrics, their changes and current visitors as one flat object of numbers (docs/http-api.md, "Summary"). */
import { closed, count, fraction, number, orNull } from "../runtime/base/json-schema.ts";
import { comparedRange, COMPARISON_PARAMETERS } from "../runtime/query/comparison.ts";
import { answerOf as coveredAnswer } from "../runtime/query/coverage.ts";
import { rangeOfDays } from "../runtime/query/date-range.ts";
import { isAllShared, type Scope, UNDATED_SCOPE_PARAMETERS } from "../runtime/query/scope.ts";
import { EVENTS, PAGEVIEWS, VISITORS } from "../runtime/reports/measures/fields.ts";
import { main } from "../runtime/reports/main.ts";
import { realtime } from "../runtime/reports/realtime.ts";
import { coverageHeaders, jsonReply, Query, timeZoneHeaders } from "./http.ts";
import { COVERED, NOT_STORED, TIME_ZONE } from "./openapi/headers.ts";
import { answer, documented, SCOPE, type Operations } from "./openapi/operation.ts";
import type { Context, Handler } from "./route.ts";
import { resultOf, STATS_REFUSALS } from "./stats.ts";

interface Metrics {
  readonly unique_visitors: number;
  readonly total_pageviews: number;
  readonly total_sessions: number | null;
  readonly bounce_rate: number | null;
  readonly avg_visit_duration_secs: number | null;
}

interface Headline extends Metrics {
  readonly total_events: number;
  readonly views_per_visit: number | null;
  readonly comparison?: Metrics;
}

/** null over nothing. */
const changeOf = (after: number | null, before: number | null = null): number | null =>
  after === null || before === null || before === 0 ? null : (after - before) / before;

/** Rates are compared by difference, as in the report of changes. Without sessions, there is no rate. */
const rateChangeOf = (after: Metrics, before: Metrics | undefined): number | null =>
  after.bounce_rate === null || !before?.total_sessions || before.bounce_rate === null ? null : after.bounce_rate - before.bounce_rate;

function summaryOf(now: Headline, current: number | null) {
  const before = now.comparison;
  return {
    visitors: now.unique_visitors,
    pageviews: now.total_pageviews,
    events: now.total_events,
    visits: now.total_sessions,
    views_per_visit: now.views_per_visit,
    bounce_rate: now.bounce_rate,
    visit_duration_secs: now.avg_visit_duration_secs,
    current_visitors: current,
    visitors_change: changeOf(now.unique_visitors, before?.unique_visitors),
    pageviews_change: changeOf(now.total_pageviews, before?.total_pageviews),
    visits_change: changeOf(now.total_sessions, before?.total_sessions),
    bounce_rate_change: rateChangeOf(now, before),
    visit_duration_secs_change: changeOf(now.avg_visit_duration_secs, before?.avg_visit_duration_secs),
  };
}

/** The comparison that nobody asked for; null for guests who may not see all of it. */
const comparisonByDefault = (scope: Scope): string | null =>
  isAllShared({ ...scope, range: comparedRange(scope.range, "previous_period") }) ? "previous_period" : null;

/** null for guests who may not see the present. */
async function currentVisitors(given: Query, scope: Scope, context: Context): Promise<number | null> {
  const { reader } = context;
  const today = reader.calendarOf(scope.siteId).dateOf(reader.nowMs);
  const isShown = reader.principal.view?.hasRealtime !== false && isAllShared({ ...scope, range: rangeOfDays(today, today) });
  if (!isShown) return null;
  const prepared = await realtime.prepare((name) => (Object.hasOwn(UNDATED_SCOPE_PARAMETERS, name) ? given.text(name) : null), reader);
  return (JSON.parse(await resultOf(prepared, context)) as { readonly current_visitors: number }).current_visitors;
}

/** The queries of the two reports, one after the other: a summary takes one slot at a time. */
export const getSummary: Handler = async (_request, context) => {
  const { reader, url } = context;
  const given = new Query(url);
  const asked = await main.prepare((name) => given.text(name), reader);
  const { scope } = asked.query;
  const compare = given.text("compare") ?? comparisonByDefault(scope);
  const prepared = await main.prepare((name) => (name === "compare" ? compare : given.text(name)), reader);
  const { json, coverage } = coveredAnswer(await resultOf(prepared, context));
  const summary = summaryOf(JSON.parse(json) as Headline, await currentVisitors(given, scope, context));
  return jsonReply(summary, 200, { ...timeZoneHeaders(prepared.timeZone), ...coverageHeaders(coverage) });
};

// Description in the OpenAPI document

const changeIn = (what: string) =>
  orNull(number(`The change of ${what} since the other window, as a fraction of it. Null without one, and if it is 0 there.`));

const WITHOUT_EXTENSION = "Null without the behavioral extension.";

const SCHEMAS = {
  Summary: closed({
    visitors: VISITORS,
    pageviews: PAGEVIEWS,
    events: EVENTS,
    visits: orNull(count(`Sessions. ${WITHOUT_EXTENSION}`)),
    views_per_visit: orNull(number(`Mean number of page views per session. ${WITHOUT_EXTENSION}`, { minimum: 0 })),
    bounce_rate: orNull(fraction(`Share of sessions that are bounces. ${WITHOUT_EXTENSION}`)),
    visit_duration_secs: orNull(number(`Mean time from the first event of a session to its last. ${WITHOUT_EXTENSION}`, { minimum: 0 })),
    current_visitors: orNull(count("As in realtime. Null for guests who may not see realtime.")),
    visitors_change: changeIn("`visitors`"),
    pageviews_change: changeIn("`pageviews`"),
    visits_change: changeIn("`visits`"),
    bounce_rate_change: orNull(
      number("The difference to the other window's rate. Null without sessions there.", { minimum: -1, maximum: 1 }),
    ),
    visit_duration_secs_change: changeIn("`visit_duration_secs`"),
  }),
};

const PARAMETERS = {
  ...COMPARISON_PARAMETERS,
  compare: {
    ...COMPARISON_PARAMETERS.compare,
    description:
      "The window that changes are since. By default `previous_period`: the dates directly before the range, as many as it has; for guests " +
      "only if they may see all of them.",
  },
};

const OPERATIONS = {
  "GET /api/summary": {
    operationId: "getSummary",
    summary: "Main metrics and their changes in one flat object",
    description: "Nothing but numbers, for home pages and tiles: those of main metrics, beside the current visitors of realtime.",
    parameters: [...SCOPE, ...documented(PARAMETERS)],
    answers: { 200: answer("The numbers.", "Summary", { ...NOT_STORED, ...TIME_ZONE, ...COVERED }) },
    refusals: STATS_REFUSALS,
  },
} satisfies Operations;

export const SUMMARY_API = { tag: "Statistics", schemas: SCHEMAS, operations: OPERATIONS } as const;
