/** What most of a day's visitors looked at, and where they came from. Visitors and pageviews of a day are those of the series. */
import { DAY_MS } from "../../../storage/event.ts";
import { PAGEVIEW } from "../../config/names.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { column, sql, textCode } from "../../query/sql.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";

/** A row for each day with pageviews: `bucket_ms` (its first instant), `value`: most visitors first, then value ascending. */
export function queryDailyTop(scope: Scope, name: "pathname" | "referrer_source", unrecorded: "(unknown)" | "(direct)"): AggregateQuery {
  const fallback = unrecorded === "(direct)" ? sql`'(direct)'` : sql`'(unknown)'`;
  return {
    keys: ["bucket_ms", "code"],
    counts: [],
    partial: (range) => sql`
      WITH placed AS (
        SELECT visitor_id, ${column(name)} AS code, timestamp - timestamp % ${DAY_MS} AS bucket_ms
        FROM (${eventsIn(within(scope, range))}) AS scoped
        WHERE event_name = ${textCode(PAGEVIEW)}
      ),
      counted AS (SELECT bucket_ms, code, count(DISTINCT visitor_id) AS visitors FROM placed GROUP BY bucket_ms, code),
      ranked AS (SELECT bucket_ms, code, rank() OVER (PARTITION BY bucket_ms ORDER BY visitors DESC) AS place FROM counted)
      SELECT bucket_ms, code FROM ranked WHERE place = 1`,
    finalize: sql`
      SELECT bucket_ms, min(coalesce(texts.text, ${fallback})) AS value
      FROM figures LEFT JOIN texts ON texts.code = figures.code
      GROUP BY bucket_ms`,
  };
}
