/** GET /api/stats/realtime: visitors, page views, top pages and top sources of the last minutes; never cached (docs/http-api.md, "Realtime"). */
import { REALTIME_ROWS_MAX } from "../config/limits.ts";
import { PAGEVIEW } from "../config/names.ts";
import type { AggregateQuery } from "../execution/aggregate-query.ts";
import { planOf } from "../execution/plan.ts";
import { closed, count, list, text } from "../query/json-schema.ts";
import { rangeOfDays, type DateRange } from "../query/date-range.ts";
import { matchesSql, type Condition } from "../query/filters.ts";
import { numberIn, rowsBy, textIn } from "../query/row-values.ts";
import { column, sql, textCode, type SqlText, type SqlRow } from "../query/sql.ts";
import { utcDayOf, type EpochMs } from "../../storage/event.ts";
import { PAGEVIEWS, VISITORS, rows } from "./measures/fields.ts";
import { COUNT_PAGEVIEWS } from "./measures/visitor-counts.ts";
import { report } from "./report.ts";

const MINUTE_MS = 60_000;

/** Both ends are inclusive. */
interface Window {
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  readonly conditions: readonly Condition[];
}

/** The events of the window that are in the range. */
function eventsInWindow({ startMs, endMs, conditions }: Window, range: DateRange): SqlText {
  const [firstMs, lastMs] = [Math.max(startMs, range.startMs), Math.min(endMs, range.endMs - 1)];
  return sql`SELECT * FROM events WHERE timestamp >= ${firstMs} AND timestamp <= ${lastMs} AND ${matchesSql(conditions)}`;
}

/** One row: `visitors` with any event, `pageviews`. */
const windowCounts = (window: Window): AggregateQuery => ({
  keys: [],
  counts: ["visitors", "pageviews"],
  partial: (range) => sql`
    SELECT count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews
    FROM (${eventsInWindow(window, range)}) AS current`,
});

/** Rows `minute` (minutes since the epoch), `pageviews`, of the minutes with page views. */
const pageviewsByMinute = (window: Window): AggregateQuery => ({
  keys: ["minute"],
  counts: ["pageviews"],
  partial: (range) => sql`
    SELECT timestamp // ${MINUTE_MS} AS minute, count(*) AS pageviews
    FROM (${eventsInWindow(window, range)}) AS current
    WHERE event_name = ${textCode(PAGEVIEW)}
    GROUP BY ALL`,
});

/** Rows `value`, `visitors` of page views; visitors descending, then value. `unrecorded` is the SQL literal for values that were not recorded. */
const topValues = (window: Window, name: "pathname" | "referrer_source", unrecorded: SqlText): AggregateQuery => ({
  keys: ["code"],
  counts: ["visitors"],
  partial: (range) => sql`
    SELECT ${column(name)} AS code, count(DISTINCT visitor_id) AS visitors
    FROM (${eventsInWindow(window, range)}) AS current
    WHERE event_name = ${textCode(PAGEVIEW)}
    GROUP BY ${column(name)}`,
  finalize: sql`
    SELECT coalesce(texts.text, ${unrecorded}) AS value, visitors
    FROM totals LEFT JOIN texts ON texts.code = totals.code
    ORDER BY visitors DESC, value ASC
    LIMIT ${REALTIME_ROWS_MAX}`,
});

const topRow = (row: SqlRow) => ({ value: textIn(row, "value"), visitors: numberIn(row, "visitors") });

const minuteOf = (ms: EpochMs): number => Math.floor(ms / MINUTE_MS);

const TOP_FIELDS = { value: text("A value."), visitors: VISITORS };

export const realtime = report({
  path: "/api/stats/realtime",
  operationId: "getRealtime",
  summary: "The last minutes, never cached",
  hasDates: false,
  parameters: {},
  result: {
    name: "Realtime",
    schema: closed({
      current_visitors: count("Distinct visitors with any event in the window."),
      pageviews: PAGEVIEWS,
      window_minutes: count("Length of the window (`realtime_window_minutes`).", { minimum: 1 }),
      top_pages: rows("Paths of page views, most visitors first.", REALTIME_ROWS_MAX, TOP_FIELDS),
      top_sources: rows(
        "Sources of page views, most visitors first; `(direct)` for page views without one.",
        REALTIME_ROWS_MAX,
        TOP_FIELDS,
      ),
      per_minute: list("Page views by minute of the clock, oldest first; their sum is `pageviews`.", count("Page views."), {
        minItems: 2,
      }),
    }),
  },
  plan({ scope: { siteId, conditions }, nowMs }, { realtimeWindowMinutes }) {
    const window = { startMs: nowMs - realtimeWindowMinutes * MINUTE_MS, endMs: nowMs, conditions };
    const firstMinute = minuteOf(window.startMs);
    return planOf(
      { siteId, range: rangeOfDays(utcDayOf(window.startMs), utcDayOf(window.endMs)) },
      [
        windowCounts(window),
        pageviewsByMinute(window),
        topValues(window, "pathname", sql`'(unknown)'`),
        topValues(window, "referrer_source", sql`'(direct)'`),
      ],
      ([current], minutes, pages, sources) => {
        const byMinute = rowsBy("minute", minutes);
        return {
          current_visitors: numberIn(current, "visitors"),
          pageviews: numberIn(current, "pageviews"),
          window_minutes: realtimeWindowMinutes,
          top_pages: pages.map(topRow),
          top_sources: sources.map(topRow),
          per_minute: Array.from({ length: minuteOf(nowMs) - firstMinute + 1 }, (_, i) =>
            numberIn(byMinute.get(firstMinute + i), "pageviews"),
          ),
        };
      },
    );
  },
});
