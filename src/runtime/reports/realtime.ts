/** GET /api/stats/realtime: current visitors, and page views and lists of the last minutes; never cached (docs/http-api.md, "Realtime"). */
import { REALTIME_COUNTRIES_MAX, REALTIME_MINUTES_MAX, REALTIME_ROWS_MAX } from "../base/config/report-limits.ts";
import { planOf } from "../query/plan.ts";
import { closed, count, list, text } from "../query/json-schema.ts";
import { rangeOfDays } from "../query/date-range.ts";
import { localTimeOf } from "../query/local-time.ts";
import { optionalInteger } from "../query/parameters.ts";
import { numberIn, rowsBy, textIn } from "../query/row-values.ts";
import { sharedFrom, within } from "../query/scope.ts";
import type { SqlRow } from "../query/sql.ts";
import type { Calendar } from "../../storage/calendar.ts";
import type { EpochMs } from "../../storage/event.ts";
import { PAGEVIEWS, TIME_ZONE, VISITORS, rows, timeZoneField } from "./measures/fields.ts";
import { MINUTE_MS, recentActivity, FACETS, type Windows } from "./measures/recent-activity.ts";
import { report } from "./report.ts";

const TOP_FIELDS = { value: text("A value."), visitors: VISITORS };

const COUNTRY_FIELDS = { ...TOP_FIELDS, current_visitors: count("Those of `current_visitors`.") };

const RESULT = closed(
  {
    current_visitors: count("Distinct visitors with any event in the last `window_minutes`."),
    pageviews: PAGEVIEWS,
    window_minutes: count("`realtime_window_minutes`: the length of the window, unless `minutes` is given.", { minimum: 1 }),
    top_pages: rows("Paths of page views, most visitors first.", REALTIME_ROWS_MAX, TOP_FIELDS),
    top_sources: rows("Sources of page views, most visitors first; `(direct)` for page views without one.", REALTIME_ROWS_MAX, TOP_FIELDS),
    per_minute: list("Page views by minute of the clock, oldest first; their sum is `pageviews`.", count("Page views."), { minItems: 2 }),
    first_minute: text("The minute of the first entry of `per_minute` in the site's time zone. With `minutes` only.", {
      pattern: "^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}$",
    }),
    visitors: count("Distinct visitors with any event in the window. With `minutes` only."),
    countries: rows(
      "Countries of visitors with any event, most visitors first; `(unknown)` where it was not recorded. With `minutes` only.",
      REALTIME_COUNTRIES_MAX,
      COUNTRY_FIELDS,
    ),
    top_events: rows("Events other than page views, most visitors first. With `minutes` only.", REALTIME_ROWS_MAX, TOP_FIELDS),
    time_zone: TIME_ZONE,
  },
  { optional: ["time_zone", "first_minute", "visitors", "countries", "top_events"] },
);

const minuteOf = (ms: EpochMs): number => Math.floor(ms / MINUTE_MS);

/** `minutes` counts whole minutes of the clock before the current one, so that only the last entry of `per_minute` still grows. */
function windowsOf(nowMs: EpochMs, currentMinutes: number, minutes: number | null): Windows {
  const currentStartMs = nowMs - currentMinutes * MINUTE_MS;
  return { startMs: minutes === null ? currentStartMs : (minuteOf(nowMs) - minutes) * MINUTE_MS, currentStartMs, endMs: nowMs };
}

const topRow = (row: SqlRow) => ({ value: textIn(row, "value"), visitors: numberIn(row, "visitors") });

const countryRow = (row: SqlRow) => ({ ...topRow(row), current_visitors: numberIn(row, "current_visitors") });

/** Page views of each minute of the window, oldest first. */
function perMinute(minutes: readonly SqlRow[], { startMs, endMs }: Windows): number[] {
  const [first, last] = [minuteOf(startMs), minuteOf(endMs)];
  const byMinute = rowsBy("code", minutes);
  return Array.from({ length: last - first + 1 }, (_, i) => numberIn(byMinute.get(first + i), "events"));
}

/** What the clock shows. */
const minuteText = (ms: EpochMs, calendar: Calendar): string =>
  new Date(localTimeOf(ms, calendar)).toISOString().slice(0, 16).replace("T", " ");

export const realtime = report({
  path: "/api/stats/realtime",
  operationId: "getRealtime",
  summary: "The last minutes, never cached",
  hasDates: false,
  parameters: {
    minutes: optionalInteger(
      {
        description:
          "The window of everything except `current_visitors`: the last `minutes` whole minutes of the clock, and the current one. " +
          "Adds `first_minute`, `visitors`, `countries` and `top_events`.",
        meaning: "Values outside the bounds are refused.",
        example: 30,
      },
      { min: 1, max: REALTIME_MINUTES_MAX },
    ),
  },
  result: { name: "Realtime", schema: RESULT },
  plan({ scope, values: { minutes }, nowMs, calendar }, { realtimeWindowMinutes }) {
    const windows = windowsOf(nowMs, realtimeWindowMinutes, minutes);
    const firstDay = sharedFrom(scope, calendar.dateOf(Math.min(windows.startMs, windows.currentStartMs)));
    const siteRange = within(scope, rangeOfDays(firstDay, calendar.dateOf(nowMs)));
    return planOf(siteRange, [recentActivity(windows, siteRange)], (found) => {
      const of = (facet: keyof typeof FACETS) => found.filter((row) => numberIn(row, "facet") === FACETS[facet]);
      const [total] = of("total");
      const pageviews = perMinute(of("minute"), windows);
      return {
        current_visitors: numberIn(total, "current_visitors"),
        pageviews: pageviews.reduce((sum, each) => sum + each, 0),
        window_minutes: realtimeWindowMinutes,
        top_pages: of("page").map(topRow),
        top_sources: of("source").map(topRow),
        per_minute: pageviews,
        ...(minutes !== null && {
          first_minute: minuteText(windows.startMs, calendar),
          visitors: numberIn(total, "visitors"),
          countries: of("country").map(countryRow),
          top_events: of("event").map(topRow),
        }),
        ...timeZoneField(nowMs, calendar),
      };
    });
  },
});
