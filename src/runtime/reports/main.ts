/** GET /api/stats/main: visitors, page views, events and session metrics of a range, with an optional comparison (docs/http-api.md, "Main"). */
import { combinePlans, type Plan, planOf } from "../query/plan.ts";
import { boolean, closed, count, fraction, number, orNull, reference, text, type Described } from "../base/json-schema.ts";
import { COMPARISON_PARAMETERS, comparedWindow, customRange, scopesOf, type ComparedWindow } from "../query/comparison.ts";
import { numberIn, ratio, sumOfRows } from "../query/sql.ts";
import type { Scope } from "../query/scope.ts";
import { DAY, EVENTS, PAGEVIEWS, TIME_ZONE, VISITORS, timeZoneField } from "./measures/fields.ts";
import { sessionAverages, sessionSums, type SessionAverages } from "./measures/sessions.ts";
import { visitorCounts } from "./measures/counts.ts";
import { report } from "./report.ts";

const COUNTS = { unique_visitors: VISITORS, total_pageviews: PAGEVIEWS, total_events: EVENTS };

const SESSIONS = {
  total_sessions: orNull(count("Sessions with at least one matching event. Null without the behavioral extension.")),
  bounce_rate: orNull(
    fraction("Share of sessions with exactly one page view and no other interaction. Null without the behavioral extension."),
  ),
  avg_visit_duration_secs: orNull(
    number("Mean time from the first event of a session to its last. Null without the behavioral extension.", { minimum: 0 }),
  ),
};

const VIEWS_PER_VISIT = orNull(number("Mean number of page views per session. Null without the behavioral extension.", { minimum: 0 }));

const COMPARED = closed(
  {
    start_date: DAY,
    end_date: DAY,
    ...COUNTS,
    ...SESSIONS,
    views_per_visit: VIEWS_PER_VISIT,
    ends_at: text("Only events before this instant count.", { format: "date-time" }),
  },
  { optional: ["views_per_visit", "ends_at"] },
);

const HEADLINE = closed(
  {
    ...COUNTS,
    views_per_visitor: number("Page views divided by visitors; 0 without visitors.", { minimum: 0 }),
    ...SESSIONS,
    views_per_visit: VIEWS_PER_VISIT,
    behavioral_available: boolean("The behavioral extension is available."),
    time_zone: TIME_ZONE,
    comparison: reference<Described<typeof COMPARED>>("Comparison"),
  },
  { optional: ["time_zone", "comparison"] },
);

interface Headline {
  readonly visitors: number;
  readonly pageviews: number;
  readonly events: number;
  /** null without the behavioral extension */
  readonly sessions: SessionAverages | null;
}

/** The scopes share no salt period, so their numbers add up. `sessionGapMs` is null without the behavioral extension. */
function headline(scopes: readonly Scope[], sessionGapMs: number | null): Plan<Headline> {
  const sums = scopes.map((scope) =>
    planOf(scope, [visitorCounts(scope), ...(sessionGapMs === null ? [] : [sessionSums(scope, sessionGapMs)])], (...rows) => rows),
  );
  return combinePlans(sums, (parts) => {
    const counts = sumOfRows(parts.flatMap(([ofVisitors = []]) => ofVisitors));
    return {
      visitors: numberIn(counts, "visitors"),
      pageviews: numberIn(counts, "pageviews"),
      events: numberIn(counts, "events"),
      sessions: sessionGapMs === null ? null : sessionAverages(sumOfRows(parts.flatMap(([, ofSessions = []]) => ofSessions))),
    };
  });
}

const countFields = ({ visitors, pageviews, events }: Headline) => ({
  unique_visitors: visitors,
  total_pageviews: pageviews,
  total_events: events,
});

const sessionFields = ({ sessions }: Headline) => ({
  total_sessions: sessions?.sessions ?? null,
  bounce_rate: sessions?.bounceRate ?? null,
  avg_visit_duration_secs: sessions?.durationSecs ?? null,
});

const comparison = (compared: Headline, { range, endsAtMs }: ComparedWindow, isCustom: boolean) => ({
  start_date: range.firstDay,
  end_date: range.lastDay,
  ...countFields(compared),
  ...sessionFields(compared),
  ...(isCustom && { views_per_visit: compared.sessions?.pageviews ?? null }),
  ...(endsAtMs !== null && { ends_at: new Date(endsAtMs).toISOString() }),
});

export const main = report({
  path: "/api/stats/main",
  operationId: "getMain",
  summary: "Main metrics",
  parameters: COMPARISON_PARAMETERS,
  check: (values, _range, rangeDaysMax) => customRange(values, rangeDaysMax),
  result: {
    name: "Headline",
    schema: HEADLINE,
    components: {
      Comparison: {
        description:
          "The same metrics of the other window; present only with `compare`. `views_per_visit` is present only with `compare=custom`, " +
          "`ends_at` only if `compare_same_time` cuts the window.",
        ...COMPARED,
      },
    },
  },
  extension: "used",
  rolled: (scope, { sessionGapMs, hasExtension }) => ({
    visits: { query: visitorCounts(scope), over: "events", by: [] },
    ...(hasExtension && { sessions: { query: sessionSums(scope, sessionGapMs), over: "sessions", by: [] } }),
  }),
  plan({ scope, values, nowMs, calendar }, { sessionGapMs, hasExtension, rotationDays }) {
    const window = comparedWindow(values, scope.range, nowMs, calendar);
    const compared = window ? [scopesOf(scope, window, rotationDays)] : [];
    const plans = [[scope], ...compared].map((scopes) => headline(scopes, hasExtension ? sessionGapMs : null));
    return combinePlans(plans, ([current, before]) => {
      if (!current) throw new Error("the plan of the range returned no headline");
      return {
        ...countFields(current),
        views_per_visitor: ratio(current.pageviews, current.visitors),
        ...sessionFields(current),
        views_per_visit: current.sessions?.pageviews ?? null,
        behavioral_available: current.sessions !== null,
        ...timeZoneField(nowMs, calendar),
        ...(window && before && { comparison: comparison(before, window, values.compare === "custom") }),
      };
    });
  },
});
