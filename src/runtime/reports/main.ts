/** GET /api/stats/main: visitors, page views, events and session metrics of a range, with an optional comparison (docs/http-api.md, "Main"). */
import type { SqlRow } from "../query/sql.ts";
import { combinePlans, planOf, type Plan } from "../execution/plan.ts";
import { boolean, closed, count, fraction, number, orNull, reference, type Described } from "../query/json-schema.ts";
import { COMPARISONS, comparedRange } from "../query/comparison.ts";
import type { DateRange } from "../query/date-range.ts";
import { optionalOneOf } from "../query/parameters.ts";
import { numberIn, ratio } from "../query/row-values.ts";
import { within, type Scope } from "../query/scope.ts";
import { DAY, EVENTS, PAGEVIEWS, VISITORS } from "./measures/fields.ts";
import { sessionAverages, sessionSums, type SessionAverages } from "./measures/sessions.ts";
import { visitorCounts } from "./measures/visitor-counts.ts";
import { report } from "./report.ts";

const COUNTS = { unique_visitors: VISITORS, total_pageviews: PAGEVIEWS, total_events: EVENTS };

const SESSIONS = {
  total_sessions: orNull(count("Sessions with at least one matching event. Null without the behavioral extension.")),
  bounce_rate: orNull(fraction("Share of sessions with exactly one page view and no other event. Null without the behavioral extension.")),
  avg_visit_duration_secs: orNull(
    number("Mean time from the first event of a session to its last. Null without the behavioral extension.", { minimum: 0 }),
  ),
};

const COMPARED = closed({ start_date: DAY, end_date: DAY, ...COUNTS, ...SESSIONS });

const HEADLINE = closed(
  {
    ...COUNTS,
    views_per_visitor: number("Page views divided by visitors; 0 without visitors.", { minimum: 0 }),
    ...SESSIONS,
    views_per_visit: orNull(number("Mean number of page views per session. Null without the behavioral extension.", { minimum: 0 })),
    behavioral_available: boolean("Whether the behavioral extension is available."),
    comparison: reference<Described<typeof COMPARED>>("Comparison"),
  },
  { optional: ["comparison"] },
);

interface Headline {
  readonly range: DateRange;
  readonly visitors: number;
  readonly pageviews: number;
  readonly events: number;
  /** Null without the behavioral extension. */
  readonly sessions: SessionAverages | null;
}

/** `sessionGapMs` is null without the behavioral extension. */
const headline = (scope: Scope, sessionGapMs: number | null): Plan<Headline> =>
  planOf(
    scope,
    [visitorCounts(scope), ...(sessionGapMs === null ? [] : [sessionSums(scope, sessionGapMs)])],
    ([counts], [sums]: readonly SqlRow[] = []) => ({
      range: scope.range,
      visitors: numberIn(counts, "visitors"),
      pageviews: numberIn(counts, "pageviews"),
      events: numberIn(counts, "events"),
      sessions: sessionGapMs === null ? null : sessionAverages(sums),
    }),
  );

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

const comparison = (compared: Headline) => ({
  start_date: compared.range.firstDay,
  end_date: compared.range.lastDay,
  ...countFields(compared),
  ...sessionFields(compared),
});

export const main = report({
  path: "/api/stats/main",
  operationId: "getMain",
  summary: "Main metrics",
  parameters: {
    compare: optionalOneOf(
      "Adds the metrics of an earlier window of the same length: the one directly before, or the same dates 365 days earlier. " +
        "Other routes ignore it.",
      COMPARISONS,
      "The earlier window.",
    ),
  },
  result: {
    name: "Headline",
    schema: HEADLINE,
    components: { Comparison: { description: "The same metrics of the earlier window; present only with `compare`.", ...COMPARED } },
  },
  extension: "used",
  rolled: (scope, { sessionGapMs, hasExtension }) => ({
    visits: visitorCounts(scope),
    ...(hasExtension && { sessions: sessionSums(scope, sessionGapMs) }),
  }),
  plan({ scope, values: { compare } }, { sessionGapMs, hasExtension }) {
    const scopes = compare === null ? [scope] : [scope, within(scope, comparedRange(scope.range, compare))];
    const plans = scopes.map((each) => headline(each, hasExtension ? sessionGapMs : null));
    return combinePlans(plans, ([current, compared]) => {
      if (!current) throw new Error("a headline is missing");
      return {
        ...countFields(current),
        views_per_visitor: ratio(current.pageviews, current.visitors),
        ...sessionFields(current),
        views_per_visit: current.sessions?.pageviews ?? null,
        behavioral_available: current.sessions !== null,
        ...(compared && { comparison: comparison(compared) }),
      };
    });
  },
});
