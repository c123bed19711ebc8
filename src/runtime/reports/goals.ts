/** GET /api/stats/goals: every event other than a page view; the conversion rate is the share of all visitors who triggered it (docs/http-api.md, "Goals"). */
import { GOAL_ROWS_MAX } from "../base/config/report-limits.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import type { AggregateQuery } from "../query/aggregate-query.ts";
import { planOf } from "../query/plan.ts";
import { fraction, text } from "../query/json-schema.ts";
import { numberIn, ratio, textIn } from "../query/row-values.ts";
import { eventsIn, within, type Scope } from "../query/scope.ts";
import { sql, textCode } from "../query/sql.ts";
import { EVENTS, VISITORS, rows } from "./measures/fields.ts";
import { visitorCounts } from "./measures/visitor-counts.ts";
import { report } from "./report.ts";

/** Rows `value` (the name), `visitors`, `events`; visitors descending, then name. */
const countsByEvent = (scope: Scope): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "events"],
  partial: (range) => sql`
    SELECT event_name AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (${eventsIn(within(scope, range))}) AS scoped
    WHERE event_name <> ${textCode(PAGEVIEW)}
    GROUP BY event_name`,
  top: { by: "visitors", rowsMax: GOAL_ROWS_MAX },
});

export const goals = report({
  path: "/api/stats/goals",
  operationId: "getGoals",
  summary: "Goals: events other than page views, with conversion rates",
  parameters: {},
  result: {
    name: "Goals",
    schema: rows("Most visitors first, then by name.", GOAL_ROWS_MAX, {
      name: text("The event's name."),
      visitors: VISITORS,
      events: EVENTS,
      conversion_rate: fraction("Visitors divided by all visitors of the range and filters."),
    }),
  },
  rolled: (scope) => ({ goals: countsByEvent(scope) }),
  plan: ({ scope }) =>
    planOf(scope, [visitorCounts(scope), countsByEvent(scope)], ([all], found) =>
      found.map((row) => ({
        name: textIn(row, "value"),
        visitors: numberIn(row, "visitors"),
        events: numberIn(row, "events"),
        conversion_rate: ratio(numberIn(row, "visitors"), numberIn(all, "visitors")),
      })),
    ),
});
