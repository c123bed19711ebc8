/** What most of a day's visitors looked at, and where they came from. Visitors and pageviews of a day are those of the series. */
import { DAY_MS } from "../../../storage/event.ts";
import { PAGEVIEW } from "../../names.ts";
import { eventsIn, type Scope } from "../scope.ts";
import { column, sql, textCode, type SqlText } from "../sql.ts";

/** A row for each day with pageviews: `offset_ms` from the range's start, `value`: most visitors first, then value ascending. */
export function queryDailyTop(scope: Scope, name: "pathname" | "referrer_source", unrecorded: "(unknown)" | "(direct)"): SqlText {
  const fallback = unrecorded === "(direct)" ? sql`'(direct)'` : sql`'(unknown)'`;
  return sql`
  WITH placed AS (
    SELECT visitor_id, ${column(name)} AS code, timestamp - ${scope.range.startMs} AS since_start_ms
    FROM (${eventsIn(scope)}) AS scoped
    WHERE event_name = ${textCode(PAGEVIEW)}
  ),
  figures AS (
    SELECT since_start_ms - since_start_ms % ${DAY_MS} AS offset_ms, code, count(DISTINCT visitor_id) AS visitors
    FROM placed
    GROUP BY offset_ms, code
  ),
  ranked AS (
    SELECT offset_ms, code, rank() OVER (PARTITION BY offset_ms ORDER BY visitors DESC) AS place
    FROM figures
  )
  SELECT offset_ms, min(coalesce(texts.text, ${fallback})) AS value
  FROM ranked LEFT JOIN texts ON texts.code = ranked.code
  WHERE place = 1
  GROUP BY offset_ms`;
}
