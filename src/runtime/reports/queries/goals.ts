/** Visitors and events of every event other than a pageview. */
import { GOAL_ROWS_MAX } from "../../config/limits.ts";
import { PAGEVIEW } from "../../config/names.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { sql, textCode } from "../../query/sql.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";

/** Rows `name`, `visitors`, `events`; visitors descending, then name. */
export const queryGoals = (scope: Scope): AggregateQuery => ({
  keys: ["code"],
  counts: ["visitors", "events"],
  partial: (range) => sql`
    SELECT event_name AS code, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (${eventsIn(within(scope, range))}) AS scoped
    WHERE event_name <> ${textCode(PAGEVIEW)}
    GROUP BY event_name`,
  finalize: sql`
    SELECT coalesce(texts.text, '(unknown)') AS name, visitors, events
    FROM figures LEFT JOIN texts ON texts.code = figures.code
    ORDER BY visitors DESC, name ASC
    LIMIT ${GOAL_ROWS_MAX}`,
});
