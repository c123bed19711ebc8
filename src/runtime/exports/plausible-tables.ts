/**
 * The files of Plausible's "Export to CSV", which it and other products import (docs/exporting.md, "Plausible"). Visits are described
 * together by all columns of a file, which no report does; their sums are those of the reports.
 */
import { UNRECORDED } from "../../shared/filters.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import type { AggregateQuery } from "../query/plan.ts";
import { joinSql, numberIn, resultColumn, sql, type SqlRow, type SqlText, textCode, textIn } from "../query/sql.ts";
import { COUNT_PAGEVIEWS } from "../reports/measures/counts.ts";
import { IS_BOUNCE } from "../query/conditions.ts";
import type { DaysReader } from "./day-queries.ts";
import type { DayRow, DayTable } from "./day-table.ts";

const SUM_COLUMNS = ["visitors", "visits", "bounces", "visit_duration", "pageviews"] as const;
type SumColumn = (typeof SUM_COLUMNS)[number];

/** Plausible counts whole seconds. Each visit is rounded by itself, so that all files add up to the same. */
const SUMS = sql`
    count(DISTINCT visitor_id) AS visitors,
    count(*) AS visits,
    count(*) FILTER (WHERE ${IS_BOUNCE}) AS bounces,
    CAST(sum((last_ms - first_ms + 500) // 1000) AS BIGINT) AS visit_duration,
    CAST(sum(pageviews) AS BIGINT) AS pageviews`;

const recorded = (text: string): string => (text === UNRECORDED ? "" : text);

type Texts = readonly string[];

/** Rows of the same texts, as after a scheme was cut off, are one. */
function summed(rows: readonly SqlRow[], textsOf: (row: SqlRow) => Texts, counts: readonly string[]): readonly DayRow[] {
  const sums = new Map<string, { readonly day: number; readonly texts: Texts; readonly numbers: number[] }>();
  for (const row of rows) {
    const [day, texts] = [numberIn(row, "day"), textsOf(row)];
    const key = JSON.stringify([day, texts]);
    const sum = sums.get(key) ?? { day, texts, numbers: counts.map(() => 0) };
    sums.set(key, sum);
    counts.forEach((name, i) => (sum.numbers[i] = (sum.numbers[i] ?? 0) + numberIn(row, name)));
  }
  return Array.from(sums.values(), ({ day, texts, numbers }) => ({ day, cells: [...texts, ...numbers] }));
}

interface VisitTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of `visits` that it shows. */
  readonly values: readonly SqlText[];
  /** The sums in the order of the file. */
  readonly counts: readonly SumColumn[];
  /** The sessions to count. Default: all. */
  readonly visits?: (arrivalRules: ArrivalRules) => SqlText;
  /** The first columns of the file, from the values. Default: the values. */
  readonly textsOf?: (values: Texts) => Texts;
}

const ALL_VISITS = sql`SELECT * FROM sessions`;

/** Visits without a page view have neither an entry page nor an exit page. */
const VISITS_WITH_PAGES = sql`SELECT * FROM sessions WHERE entry_page IS NOT NULL`;

/** Each visit is in one row. */
function visitTable({ name, columns, values, counts, visits = () => ALL_VISITS, textsOf = (texts) => texts }: VisitTable): DayTable {
  const codes = values.map(({ text }) => text);
  const grouped = joinSql([sql`day`, ...values], ", ");
  return {
    name,
    columns,
    async rows({ arrivalRules, rowsOf }) {
      const rows = await rowsOf({
        keys: ["day"],
        codes,
        counts: SUM_COLUMNS,
        partial: () => sql`SELECT ${grouped}, ${SUMS} FROM (${visits(arrivalRules)}) AS visits GROUP BY ${grouped}`,
      });
      return summed(rows, (row) => textsOf(codes.map((code) => recorded(textIn(row, code)))), counts);
    },
  };
}

const PAGE_COUNTS = ["visits", "visitors", "pageviews", "total_time_on_page", "total_time_on_page_visits"] as const;

const IS_PAGEVIEW = sql`event_name = ${textCode(PAGEVIEW)}`;

const VIEWS_BY_PAGE: AggregateQuery = {
  keys: ["day"],
  codes: ["hostname", "pathname"],
  counts: PAGE_COUNTS,
  partial: () => sql`
    SELECT day, hostname, pathname,
      count(DISTINCT session) FILTER (WHERE ${IS_PAGEVIEW}) AS visits,
      count(DISTINCT visitor_id) FILTER (WHERE ${IS_PAGEVIEW}) AS visitors,
      ${COUNT_PAGEVIEWS} AS pageviews,
      CAST(coalesce(sum(engaged_seconds), 0) AS BIGINT) AS total_time_on_page,
      count(DISTINCT session) FILTER (WHERE engaged_seconds IS NOT NULL) AS total_time_on_page_visits
    FROM events
    GROUP BY day, hostname, pathname
    HAVING ${COUNT_PAGEVIEWS} > 0`,
};

/** Plausible has referrers without scheme and `www.`. */
const withoutScheme = (referrer: string): string => referrer.replace(/^[a-z][a-z\d+.-]*:\/\/(?:www\.)?/i, "");

/** Plausible knows regions by their code in ISO 3166-2 only. */
const regionCode = (region: string): string => (/^[A-Z]{2}-[A-Z\d]{1,3}$/.test(region) ? region : "");

/** Cities are numbers of GeoNames, which we do not store. */
const NO_CITY = "0";

const DEVICES: ReadonlyMap<string, string> = new Map([
  ["desktop", "Desktop"],
  ["mobile", "Mobile"],
  ["tablet", "Tablet"],
]);

/** Events of which Plausible shows one property, in a column of its own. */
const COLUMN_EVENTS: ReadonlyMap<string, "url" | "path"> = new Map([
  ["Outbound Link: Click", "url"],
  ["Cloaked Link: Click", "url"],
  ["File Download", "url"],
  ["404", "path"],
  ["WP Form Completions", "path"],
]);

const EVENT_COUNTS = ["visitors", "events"] as const;

const isOneOf = (names: readonly string[]): SqlText =>
  sql`event_name IN (${joinSql(
    names.map((name) => sql`${textCode(name)}`),
    ", ",
  )})`;

const PLAIN_EVENTS: AggregateQuery = {
  keys: ["day"],
  codes: ["event_name"],
  counts: EVENT_COUNTS,
  partial: () => sql`
    SELECT day, event_name, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM events WHERE NOT ${isOneOf([PAGEVIEW, ...COLUMN_EVENTS.keys()])}
    GROUP BY day, event_name`,
};

/** Events that lack the property have a row as well. */
const eventsWith = (property: "url" | "path"): AggregateQuery => ({
  keys: ["day"],
  codes: ["event_name"],
  names: ["value"],
  counts: EVENT_COUNTS,
  property,
  partial: () => sql`
    SELECT day, event_name, coalesce(text, '') AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM events
    LEFT JOIN properties ON properties.props = events.props
    LEFT JOIN property_texts ON property_texts.code = properties.code
    WHERE ${isOneOf([...COLUMN_EVENTS.keys()].filter((name) => COLUMN_EVENTS.get(name) === property))}
    GROUP BY day, event_name, coalesce(text, '')`,
});

async function customEvents({ rowsOf }: DaysReader): Promise<readonly DayRow[]> {
  const rows: DayRow[] = [];
  const add = (found: readonly SqlRow[], valuesOf: (row: SqlRow) => Texts): void => {
    for (const row of found)
      rows.push({
        day: numberIn(row, "day"),
        cells: [textIn(row, "event_name"), ...valuesOf(row), ...EVENT_COUNTS.map((name) => numberIn(row, name))],
      });
  };
  add(await rowsOf(PLAIN_EVENTS), () => ["", ""]);
  add(await rowsOf(eventsWith("url")), (row) => [textIn(row, "value"), ""]);
  add(await rowsOf(eventsWith("path")), (row) => ["", textIn(row, "value")]);
  return rows;
}

const UTM_COLUMNS = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"] as const;

const USUAL_COUNTS = ["visitors", "visits", "visit_duration", "bounces", "pageviews"] as const;

const VISITORS_COUNTS = ["visitors", "pageviews", "bounces", "visits", "visit_duration"] as const;

const SOURCES_COUNTS = ["pageviews", "visitors", "visits", "visit_duration", "bounces"] as const;

/** The files with their columns as they were in November 2026. */
export const PLAUSIBLE_TABLES: readonly DayTable[] = [
  visitTable({ name: "imported_visitors", columns: VISITORS_COUNTS, values: [], counts: VISITORS_COUNTS }),
  visitTable({
    name: "imported_sources",
    columns: ["source", "referrer", ...UTM_COLUMNS, ...SOURCES_COUNTS],
    values: [sql`source_name`, sql`referrer_name`, ...UTM_COLUMNS.map((name) => resultColumn(`visit_${name}`))],
    counts: SOURCES_COUNTS,
    visits: (arrivalRules) =>
      sql`SELECT * FROM sessions JOIN arrival_names ON arrival_names.arrival = visit_arrival AND rules = ${{ arrivalRules }}`,
    textsOf: ([source = "", referrer = "", ...utm]) => [source, withoutScheme(referrer), ...utm],
  }),
  {
    name: "imported_pages",
    columns: [
      ...["hostname", "page", "visits", "visitors", "pageviews", "total_scroll_depth", "total_scroll_depth_visits"],
      ...["total_time_on_page", "total_time_on_page_visits"],
    ],
    rows: async ({ rowsOf }) =>
      (await rowsOf(VIEWS_BY_PAGE)).map((row) => {
        const [visits = 0, visitors = 0, pageviews = 0, ...timeOnPage] = PAGE_COUNTS.map((name) => numberIn(row, name));
        const texts = [recorded(textIn(row, "hostname")), textIn(row, "pathname")];
        return { day: numberIn(row, "day"), cells: [...texts, visits, visitors, pageviews, 0, 0, ...timeOnPage] };
      }),
  },
  visitTable({
    name: "imported_entry_pages",
    columns: ["entry_page", "visitors", "entrances", "visit_duration", "bounces", "pageviews"],
    values: [sql`entry_page`],
    counts: USUAL_COUNTS,
    visits: () => VISITS_WITH_PAGES,
  }),
  visitTable({
    name: "imported_exit_pages",
    columns: ["exit_page", "visitors", "visit_duration", "exits", "bounces", "pageviews"],
    values: [sql`exit_page`],
    counts: ["visitors", "visit_duration", "visits", "bounces", "pageviews"],
    visits: () => VISITS_WITH_PAGES,
  }),
  visitTable({
    name: "imported_locations",
    columns: ["country", "region", "city", ...USUAL_COUNTS],
    values: [sql`visit_country_code`, sql`visit_region`],
    counts: USUAL_COUNTS,
    // Plausible's own export does the same.
    visits: () => sql`SELECT * FROM sessions WHERE coalesce(visit_country_code, 0) <> 0`,
    textsOf: ([country = "", region = ""]) => [country, regionCode(region), NO_CITY],
  }),
  visitTable({
    name: "imported_devices",
    columns: ["device", ...USUAL_COUNTS],
    values: [sql`visit_device_type`],
    counts: USUAL_COUNTS,
    textsOf: ([device = ""]) => [DEVICES.get(device) ?? ""],
  }),
  visitTable({
    name: "imported_browsers",
    columns: ["browser", "browser_version", ...USUAL_COUNTS],
    values: [sql`visit_browser`, sql`visit_browser_version`],
    counts: USUAL_COUNTS,
  }),
  visitTable({
    name: "imported_operating_systems",
    columns: ["operating_system", "operating_system_version", ...USUAL_COUNTS],
    values: [sql`visit_os`, sql`visit_os_version`],
    counts: USUAL_COUNTS,
  }),
  { name: "imported_custom_events", columns: ["name", "link_url", "path", "visitors", "events"], rows: customEvents },
];

/** Plausible refuses to import fewer days. */
export const PLAUSIBLE_DAYS_MIN = 3;
