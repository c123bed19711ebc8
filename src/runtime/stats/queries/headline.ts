/** Distinct visitors, pageviews and events of a scope. */
import { PAGEVIEW } from "../../names.ts";
import { eventsIn, type Scope } from "../scope.ts";
import { sql, textCode, type SqlText } from "../sql.ts";

/** One row: `visitors`, `pageviews`, `events`. */
export const queryHeadline = (scope: Scope): SqlText => sql`
  SELECT
    count(DISTINCT visitor_id) AS visitors,
    count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews,
    count(*) AS events
  FROM (${eventsIn(scope)}) AS scoped`;
