/** The daily export: visitors, page views, top page and top source of each date (docs/http-api.md, "Export"). */
import { PAGEVIEW } from "../../base/config/names.ts";
import { type AggregateQuery, type Plan, planOf } from "../../query/plan.ts";
import { closed, list, text } from "../../base/json-schema.ts";
import { DAY_BUCKET, daysOf } from "../../query/date-range.ts";
import { column, numberIn, rowsBy, sql, type SqlRow, type SqlText, textCode, textIn } from "../../query/sql.ts";
import { eventsIn, type Scope, within } from "../../query/scope.ts";
import { DAY, DIRECT, PAGEVIEWS, VISITORS } from "../measures/fields.ts";
import { visitorCountsBy } from "../measures/counts.ts";
import { type Attribution, eventsWithVisit } from "../measures/visits.ts";
import type { ExportFormat } from "./formats.ts";
import { UNRECORDED } from "../../../shared/filters.ts";
import { LONG_RANGE_DAYS_MAX } from "../../../shared/limits.ts";
import { compareCodePoints } from "../../../storage/code-point-order.ts";

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

function valuedEvents(scope: Scope, of: "pages" | "sources", attribution: Attribution): SqlText {
  if (of === "sources" && attribution === "visit") {
    return sql`SELECT *, visit_value AS value FROM (${eventsWithVisit(scope, "visit-sources", ["day", "visitor_id", "event_name"])}) AS visited`;
  }
  return sql`SELECT *, ${column(of === "pages" ? "pathname" : "referrer_source")} AS value FROM (${eventsIn(scope)}) AS scoped`;
}

/** Rows `day`, `value`: the values with the most visitors on each day with page views, all of which have as many. */
const topByDay = (scope: Scope, of: "pages" | "sources", attribution: Attribution): AggregateQuery => ({
  keys: ["day"],
  codes: ["value"],
  counts: [],
  comparesVisitors: true,
  partial: (range) => sql`
    WITH counted AS (
      SELECT day, value, count(DISTINCT visitor_id) AS visitors
      FROM (${valuedEvents(within(scope, range), of, attribution)}) AS valued
      WHERE event_name = ${textCode(PAGEVIEW)}
      GROUP BY ALL
    ),
    ranked AS (SELECT day, value, rank() OVER (PARTITION BY day ORDER BY visitors DESC) AS place FROM counted)
    SELECT day, value FROM ranked WHERE place = 1`,
});

/** The first value of each day in ascending order. `unrecorded` stands for values that were not recorded. */
function firstByDay(rows: readonly SqlRow[], unrecorded: string): ReadonlyMap<number, string> {
  const byDay = new Map<number, string>();
  for (const row of rows) {
    const [day, found] = [numberIn(row, "day"), textIn(row, "value")];
    const value = found === UNRECORDED ? unrecorded : found;
    const known = byDay.get(day);
    if (known === undefined || compareCodePoints(value, known) < 0) byDay.set(day, value);
  }
  return byDay;
}

/** Days without events contain zeros and empty strings. */
export const dailyExport = (scope: Scope, format: ExportFormat, attribution: Attribution): Plan<Iterable<Uint8Array>> =>
  planOf(
    scope,
    [visitorCountsBy(scope, DAY_BUCKET), topByDay(scope, "pages", attribution), topByDay(scope, "sources", attribution)],
    (series, pages, sources) => {
      const countsByDay = rowsBy("bucket", series);
      const [pageByDay, sourceByDay] = [firstByDay(pages, UNRECORDED), firstByDay(sources, DIRECT)];
      const frame = format.frame(COLUMNS);
      const rows = daysOf(scope.range).map(({ key, label }) => {
        const values = [
          format.text(label),
          format.number(String(numberIn(countsByDay.get(key), "visitors"))),
          format.number(String(numberIn(countsByDay.get(key), "pageviews"))),
          format.text(pageByDay.get(key) ?? ""),
          format.text(sourceByDay.get(key) ?? ""),
        ];
        return frame.map((before, i) => before + (values[i] ?? "")).join("");
      });
      return [new TextEncoder().encode(format.opening(COLUMNS) + rows.join(format.separator) + format.closing)];
    },
  );
