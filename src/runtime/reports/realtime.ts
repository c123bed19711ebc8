/** GET /api/stats/realtime: current visitors, and page views and lists of the last minutes; never cached (docs/http-api.md, "Realtime"). */
import { REALTIME_COUNTRIES_MAX, REALTIME_ROWS_MAX, REALTIME_MINUTES_MAX } from "../base/config/report-limits.ts";
import { UNRECORDED } from "../../shared/filters.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import { type AggregateQuery, planOf } from "../query/plan.ts";
import { eventsIn, type Scope, sharedFrom, within } from "../query/scope.ts";
import { localTimeOf, rangeOfDays, timeUnitsSql } from "../query/date-range.ts";
import { largestFirst, numberIn, rowsBy, sql, type SqlRow, type SqlText, textCode, textIn } from "../query/sql.ts";
import { type EpochMs, MINUTE_MS } from "../../storage/event.ts";
import { closed, count, list, text } from "../base/json-schema.ts";
import { optionalInteger } from "../query/parameters.ts";
import type { Calendar } from "../../storage/calendar.ts";
import { DIRECT, PAGEVIEWS, TIME_ZONE, VISITORS, rows, timeZoneField } from "./measures/fields.ts";
import { ATTRIBUTION, type Attribution, eventsWithVisit } from "./measures/visits.ts";
import { report } from "./report.ts";

/** Two windows with the same end. Start and end are inclusive. */
interface Windows {
  readonly startMs: EpochMs;
  readonly currentStartMs: EpochMs;
  readonly endMs: EpochMs;
}

/** The column that a row is grouped by. The numbers are those of SQL's GROUPING, whose bit of the grouped column is 0. */
const FACETS = {
  total: 0b11111,
  minute: 0b01111,
  page: 0b10111,
  source: 0b11011,
  country: 0b11101,
  event: 0b11110,
} as const;

export const MINUTE = timeUnitsSql(MINUTE_MS);

const COLUMNS_READ = ["visitor_id", "timestamp", "event_name", "pathname", "country_code"] as const;

/**
 * The events of the range in either window. `minute`, `page` and `source` are set for page views, `event` for other events; all of them
 * are null for events before the first window.
 */
function recentEvents({ startMs, currentStartMs, endMs }: Windows, scope: Scope, attribution: Attribution): SqlText {
  const firstMs = Math.min(startMs, currentStartMs);
  const isRecent = sql`timestamp >= ${startMs}`;
  const isViewed = sql`${isRecent} AND event_name = ${textCode(PAGEVIEW)}`;
  const ofVisits = attribution === "visit";
  const events = ofVisits ? eventsWithVisit(scope, "visit-sources", COLUMNS_READ) : eventsIn(scope);
  return sql`
    SELECT visitor_id, country_code,
      ${isRecent} AS is_recent,
      timestamp >= ${currentStartMs} AS is_current,
      CASE WHEN ${isViewed} THEN ${MINUTE} END AS minute,
      CASE WHEN ${isViewed} THEN pathname END AS page,
      CASE WHEN ${isViewed} THEN ${ofVisits ? sql`visit_value` : sql`referrer_source`} END AS source,
      CASE WHEN ${isRecent} AND event_name <> ${textCode(PAGEVIEW)} THEN event_name END AS event
    FROM (${events}) AS scoped
    WHERE timestamp >= ${firstMs} AND timestamp <= ${endMs}`;
}

/**
 * All lists in one pass over the events: rows `facet`, `minute` (since the epoch) or `value`, `visitors` and `events` of the first window,
 * `current_visitors`.
 */
const recentActivity = (windows: Windows, scope: Scope, attribution: Attribution): AggregateQuery => ({
  keys: ["facet", "minute"],
  codes: ["value"],
  counts: ["visitors", "current_visitors", "events"],
  isMomentary: true,
  partial: (range) => sql`
    SELECT facet, coalesce(minute, 0) AS minute, coalesce(value, ${textCode(UNRECORDED)}) AS value, visitors, current_visitors, events
    FROM (
      SELECT GROUPING(minute, page, source, country_code, event) AS facet,
        minute,
        coalesce(page, source, country_code, event) AS value,
        count(DISTINCT visitor_id) FILTER (WHERE is_recent) AS visitors,
        count(DISTINCT visitor_id) FILTER (WHERE is_current) AS current_visitors,
        count(*) FILTER (WHERE is_recent) AS events
      FROM (${recentEvents(windows, within(scope, range), attribution)}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE minute IS NOT NULL OR value IS NOT NULL OR facet = ${FACETS.total}`,
});

const TOP_FIELDS = { value: text("A value."), visitors: VISITORS };

const COUNTRY_FIELDS = { ...TOP_FIELDS, current_visitors: count("The visitors of the country among `current_visitors`.") };

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

/** `minutes` counts whole minutes of the clock before the current one, so only the last entry of `per_minute` still grows. */
function windowsOf(nowMs: EpochMs, currentMinutes: number, minutes: number | null): Windows {
  const currentStartMs = nowMs - currentMinutes * MINUTE_MS;
  return { startMs: minutes === null ? currentStartMs : (minuteOf(nowMs) - minutes) * MINUTE_MS, currentStartMs, endMs: nowMs };
}

const topRow = (row: SqlRow) => ({ value: textIn(row, "value"), visitors: numberIn(row, "visitors") });

const countryRow = (row: SqlRow) => ({ ...topRow(row), current_visitors: numberIn(row, "current_visitors") });

/** Most visitors of the first window first, which may be the shorter one: a value that has current visitors only is left out. */
const mostVisited = (found: readonly SqlRow[], rowsMax: number): SqlRow[] =>
  found
    .filter((row) => numberIn(row, "visitors") > 0)
    .sort(largestFirst("visitors", "value"))
    .slice(0, rowsMax);

const sourceRow = (row: SqlRow) => ({
  value: row.value === UNRECORDED ? DIRECT : textIn(row, "value"),
  visitors: numberIn(row, "visitors"),
});

function perMinute(minutes: readonly SqlRow[], { startMs, endMs }: Windows): number[] {
  const [first, last] = [minuteOf(startMs), minuteOf(endMs)];
  const byMinute = rowsBy("minute", minutes);
  return Array.from({ length: last - first + 1 }, (_, i) => numberIn(byMinute.get(first + i), "events"));
}

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
    attribution: ATTRIBUTION,
  },
  result: { name: "Realtime", schema: RESULT },
  plan({ scope, values: { minutes, attribution }, nowMs, calendar }, { realtimeWindowMinutes }) {
    const windows = windowsOf(nowMs, realtimeWindowMinutes, minutes);
    const firstDay = sharedFrom(scope, calendar.dateOf(Math.min(windows.startMs, windows.currentStartMs)));
    const siteRange = within(scope, rangeOfDays(firstDay, calendar.dateOf(nowMs)));
    return planOf(siteRange, [recentActivity(windows, siteRange, attribution)], (found) => {
      const rowsOf = (facet: keyof typeof FACETS) => found.filter((row) => numberIn(row, "facet") === FACETS[facet]);
      const [total] = rowsOf("total");
      const pageviews = perMinute(rowsOf("minute"), windows);
      return {
        current_visitors: numberIn(total, "current_visitors"),
        pageviews: pageviews.reduce((sum, each) => sum + each, 0),
        window_minutes: realtimeWindowMinutes,
        top_pages: mostVisited(rowsOf("page"), REALTIME_ROWS_MAX).map(topRow),
        top_sources: mostVisited(rowsOf("source").map(sourceRow), REALTIME_ROWS_MAX).map(topRow),
        per_minute: pageviews,
        ...(minutes !== null && {
          first_minute: minuteText(windows.startMs, calendar),
          visitors: numberIn(total, "visitors"),
          countries: mostVisited(rowsOf("country"), REALTIME_COUNTRIES_MAX).map(countryRow),
          top_events: mostVisited(rowsOf("event"), REALTIME_ROWS_MAX).map(topRow),
        }),
        ...timeZoneField(nowMs, calendar),
      };
    });
  },
});
