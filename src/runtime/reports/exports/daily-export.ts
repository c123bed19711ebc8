/** The daily export: visitors, page views, top page and top source of each date (docs/http-api.md, "Export"). */
import { PAGEVIEW } from "../../base/config/names.ts";
import { type AggregateQuery, type Plan, planOf } from "../../query/plan.ts";
import { closed, list, text } from "../../base/json-schema.ts";
import { DAY_BUCKET, daysOf } from "../../query/date-range.ts";
import { column, fragment, numberIn, rowsBy, sql, type SqlText, textCode } from "../../query/sql.ts";
import { eventsIn, type Scope, within } from "../../query/scope.ts";
import { DAY, PAGEVIEWS, VISITORS } from "../measures/fields.ts";
import { visitorCountsBy } from "../measures/counts.ts";
import type { ExportFormat } from "./formats.ts";
import { LONG_RANGE_DAYS_MAX } from "../../../shared/limits.ts";

export const DAILY_EXPORT = list(
  "`daily`: every date of the range, oldest first.",
  closed({
    date: DAY,
    visitors: VISITORS,
    pageviews: PAGEVIEWS,
    top_page: text("The path with the most visitors; empty on a date without page views."),
    top_source: text("The source with the most visitors, `(direct)` without a source; empty on a date without page views."),
  }),
  { minItems: 1, maxItems: LONG_RANGE_DAYS_MAX },
);

const COLUMNS = ["date", "visitors", "pageviews", "top_page", "top_source"] as const;

export const firstOfEachDay = fragment(
  (unrecorded: SqlText) => sql`
    SELECT day, min(coalesce(texts.text, ${unrecorded})) AS value
    FROM totals LEFT JOIN texts ON texts.code = totals.code
    GROUP BY day`,
);

/**
 * Rows `day`, `value`: the value with the most visitors on each day with page views, the first in ascending order if several are equal.
 * `unrecorded` is the SQL literal for values that were not recorded.
 */
const topByDay = (scope: Scope, name: "pathname" | "referrer_source", unrecorded: SqlText): AggregateQuery => ({
  keys: ["day", "code"],
  counts: [],
  comparesVisitors: true,
  partial: (range) => sql`
    WITH counted AS (
      SELECT day, ${column(name)} AS code, count(DISTINCT visitor_id) AS visitors
      FROM (${eventsIn(within(scope, range))}) AS scoped
      WHERE event_name = ${textCode(PAGEVIEW)}
      GROUP BY ALL
    ),
    ranked AS (SELECT day, code, rank() OVER (PARTITION BY day ORDER BY visitors DESC) AS place FROM counted)
    SELECT day, code FROM ranked WHERE place = 1`,
  finalize: firstOfEachDay(unrecorded),
});

/** Days without events contain zeros and empty strings. */
export const dailyExport = (scope: Scope, format: ExportFormat): Plan<Iterable<Uint8Array>> =>
  planOf(
    scope,
    [
      visitorCountsBy(scope, DAY_BUCKET),
      topByDay(scope, "pathname", sql`'(unknown)'`),
      topByDay(scope, "referrer_source", sql`'(direct)'`),
    ],
    (series, pages, sources) => {
      const [countsByDay, pageByDay, sourceByDay] = [rowsBy("bucket", series), rowsBy("day", pages), rowsBy("day", sources)];
      const frame = format.frame(COLUMNS);
      const rows = daysOf(scope.range).map(({ key, label }) => {
        const values = [
          format.text(label),
          format.number(String(numberIn(countsByDay.get(key), "visitors"))),
          format.number(String(numberIn(countsByDay.get(key), "pageviews"))),
          format.text(String(pageByDay.get(key)?.value ?? "")),
          format.text(String(sourceByDay.get(key)?.value ?? "")),
        ];
        return frame.map((before, i) => before + (values[i] ?? "")).join("");
      });
      return [new TextEncoder().encode(format.opening(COLUMNS) + rows.join(format.separator) + format.closing)];
    },
  );
