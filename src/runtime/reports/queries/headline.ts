/** Distinct visitors, pageviews and events of a scope. */
import { PAGEVIEW } from "../../config/names.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { sql, textCode } from "../../query/sql.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";

/** One row: `visitors`, `pageviews`, `events`. */
export const queryHeadline = (scope: Scope): AggregateQuery => ({
  keys: [],
  counts: ["visitors", "pageviews", "events"],
  partial: (range) => sql`
    SELECT
      count(DISTINCT visitor_id) AS visitors,
      count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews,
      count(*) AS events
    FROM (${eventsIn(within(scope, range))}) AS scoped`,
  finalize: sql`SELECT visitors, pageviews, events FROM figures`,
});
