/** Plausible: the CSV files of its full export, and dumps of its ClickHouse tables. */
import { PAGEVIEW } from "../../base/config/names.ts";
import { arrayFrom, propsFrom } from "../files/clickhouse-values.ts";
import { Columns, type CsvHeader, csvHeaderOf, type CsvRow, readCsv } from "../files/csv-rows.ts";
import type { BadRow, DayCounts, DayDimension, DayTable, Hit, LeftOutRow, Row } from "../rows.ts";
import { type Format, type ImportContext, type Recognition, type Refusal, refusing } from "./format.ts";
import type { Opening } from "../files/file.ts";
import { badRow } from "../files/text.ts";
import {
  browserFrom,
  countryFrom,
  dateFault,
  dateOf,
  deviceTypeFrom,
  orNull,
  osFrom,
  parseCount,
  parseTimestamp,
  referrerFrom,
  revenueFrom,
} from "./values.ts";

const NAME = "plausible";
const PRODUCT = "Plausible";

const refusal = refusing(NAME, PRODUCT);

interface TableFile {
  readonly table: DayTable;
  /** The column that no other table has. */
  readonly key: string;
  readonly values: Partial<Readonly<Record<DayDimension, string>>>;
  /** Columns of visits, which some tables call otherwise. */
  readonly visits?: string;
}

/** A file is the first table whose key column it has. Cities are left out: they are numbers of GeoNames, and say nothing without its table. */
const TABLES: readonly TableFile[] = [
  {
    table: "sources",
    key: "source",
    values: {
      referrerSource: "source",
      referrer: "referrer",
      utmSource: "utm_source",
      utmMedium: "utm_medium",
      utmCampaign: "utm_campaign",
      utmContent: "utm_content",
      utmTerm: "utm_term",
    },
  },
  { table: "pages", key: "page", values: { hostname: "hostname", pathname: "page" } },
  { table: "entry-pages", key: "entry_page", values: { pathname: "entry_page" }, visits: "entrances" },
  { table: "exit-pages", key: "exit_page", values: { pathname: "exit_page" }, visits: "exits" },
  { table: "locations", key: "country", values: { countryCode: "country", region: "region" } },
  { table: "devices", key: "device", values: { deviceType: "device" } },
  { table: "browsers", key: "browser", values: { browser: "browser", browserVersion: "browser_version" } },
  { table: "operating-systems", key: "operating_system", values: { os: "operating_system", osVersion: "operating_system_version" } },
  { table: "properties", key: "property", values: { property: "property", value: "value" } },
  { table: "events", key: "name", values: { eventName: "name", linkUrl: "link_url", pathname: "path" } },
  { table: "totals", key: "bounces", values: {} },
];

const COUNTS: readonly (readonly [keyof DayCounts, column: string])[] = [
  ["visitors", "visitors"],
  ["visits", "visits"],
  ["bounces", "bounces"],
  ["durationSeconds", "visit_duration"],
  ["pageviews", "pageviews"],
  ["events", "events"],
];

/** Averages and ratios: they are in the files of the dashboard's download button only. */
const DASHBOARD_COLUMNS = ["bounce_rate", "views_per_visit", "conversion_rate", "scroll_depth_percentage", "percentage"];

type Kind = TableFile | "dump of events" | "dump of sessions" | "dashboard";

function kindOf({ columns }: CsvHeader): Kind | null {
  const has = (...names: readonly string[]): boolean => names.every((name) => columns.includes(name));
  if (has("user_id", "session_id", "pathname", "timestamp", "name")) return "dump of events";
  if (has("user_id", "session_id", "sign", "entry_page")) return "dump of sessions";
  if (!has("visitors")) return null;
  if (!has("date")) return has("name") || has("page") ? "dashboard" : null;
  if (DASHBOARD_COLUMNS.some((name) => has(name))) return "dashboard";
  return TABLES.find(({ key }) => has(key)) ?? null;
}

interface Recognized {
  readonly opening: Opening;
  readonly header: CsvHeader;
  readonly kind: Kind;
}

/** `imported_pages_20240101_20241231.csv`. */
const RANGE = /_(\d{8})_(\d{8})\.csv$/i;

function overlapping(tables: readonly Recognized[]): readonly string[] {
  const ranges = tables.flatMap(({ opening: { file }, kind }) => {
    const [, first, last] = RANGE.exec(file.path) ?? [];
    return first === undefined || last === undefined ? [] : [{ path: file.path, kind, first, last }];
  });
  return ranges.flatMap((a, i) =>
    ranges.slice(i + 1).flatMap((b) => (a.kind === b.kind && a.first <= b.last && b.first <= a.last ? [a.path, b.path] : [])),
  );
}

const EXPORT_ADVICE = 'In Plausible, open "Site settings", "Imports & exports", "Export to CSV", and give the ZIP that comes by mail.';

export const plausible: Format = {
  name: NAME,
  recognize(openings, context) {
    const found = openings.flatMap((opening): Recognized[] => {
      const header = csvHeaderOf(opening);
      const kind = header && kindOf(header);
      return header && kind ? [{ opening, header, kind }] : [];
    });
    const tables = found.filter(({ kind }) => typeof kind === "object");
    const dashboard = found.filter(({ kind }) => kind === "dashboard");
    const dumps = found.filter(({ kind }) => kind === "dump of events" || kind === "dump of sessions");
    const twice = overlapping(tables);
    const results: (Recognition | Refusal)[] = [];
    if (twice.length > 0)
      results.push(
        refusal(tables, `The exports overlap and would count days twice: ${twice.slice(0, 2).join(" and ")}. Give one of them.`),
      );
    else if (tables.length > 0) results.push(exportOf(tables, context));
    if (dumps.some(({ kind }) => kind === "dump of events")) results.push(dumpOf(dumps, context));
    else if (dumps.length > 0)
      results.push(refusal(dumps, `Give a dump of the table events_v2: visits are made of its events. ${DUMP_ADVICE}`));
    if (dashboard.length > 0)
      results.push(refusal(dashboard, `These are files of the dashboard's download button, whose rows have no dates. ${EXPORT_ADVICE}`));
    return results;
  },
};

function generationOf(tables: readonly Recognized[]): string {
  const has = (name: string): boolean => tables.some(({ header }) => header.columns.includes(name));
  if (has("property")) return "full export with custom properties (since August 2025)";
  if (has("total_time_on_page")) return "full export (2025)";
  return has("scroll_depth") || has("pageleave_visitors") ? "full export (early 2025)" : "full export (2024 or earlier)";
}

function exportOf(tables: readonly Recognized[], context: ImportContext): Recognition {
  const has = (table: DayTable): boolean => tables.some(({ kind }) => typeof kind === "object" && kind.table === table);
  const absent = (["totals", "sources", "pages"] as const).filter((table) => !has(table));
  return {
    format: NAME,
    product: PRODUCT,
    generation: generationOf(tables),
    rows: "days",
    files: tables.flatMap(({ opening, header, kind }) =>
      typeof kind === "object"
        ? [{ path: opening.file.path, read: () => readCsv(opening, header, tableReader(header, kind, context)) }]
        : [],
    ),
    ignored: [],
    timeZone: {
      name: context.timeZone,
      reason: "Plausible counts days in the time zone of its site settings, which the export does not say.",
    },
    lost: [
      "Single visits, hours, paths through the site, revenue, and reports with filters on two dimensions: the export has sums of days.",
      "Cities: the export has numbers of GeoNames in place of their names.",
      "Time on page and scroll depth.",
      "Data that Plausible had imported from Google Analytics: its export leaves that out.",
      ...absent.map((table) => `The table of ${table}: its file is missing.`),
    ],
  };
}

/** Versions and names as ours: several rows may then be equal, and are added. */
function normalizeValues(values: Partial<Record<DayDimension, string | null>>): void {
  if (values.browser !== undefined) {
    const { browser, browserVersion } = browserFrom(values.browser ?? "", values.browserVersion ?? "");
    values.browser = browser;
    if (values.browserVersion !== undefined) values.browserVersion = browserVersion;
  }
  if (values.os !== undefined) {
    const { os, osVersion } = osFrom(values.os ?? "", values.osVersion ?? "");
    values.os = os;
    if (values.osVersion !== undefined) values.osVersion = osVersion;
  }
  if (values.countryCode !== undefined) values.countryCode = countryFrom(values.countryCode ?? "");
  if (values.deviceType !== undefined) values.deviceType = deviceTypeFrom(values.deviceType ?? "");
  if (values.referrer !== undefined) values.referrer = referrerFrom(values.referrer ?? "");
  if (values.referrerSource !== undefined && DIRECT.test(values.referrerSource ?? "")) values.referrerSource = null;
}

const DIRECT = /^direct \/ none$|^\(direct\)$/i;

function tableReader(
  header: CsvHeader,
  { table, values: valueColumns, visits }: TableFile,
  { nowMs }: ImportContext,
): (row: CsvRow) => Row {
  const columns = new Columns(header);
  const date = columns.reader("date");
  const readers = Object.entries(valueColumns)
    .filter(([, column]) => columns.has(column))
    .map(([dimension, column]) => [dimension as DayDimension, columns.reader(column)] as const);
  const counts = COUNTS.map(([count, column]) => [count, count === "visits" && visits !== undefined ? visits : column] as const)
    .filter(([, column]) => columns.has(column))
    .map(([count, column]) => [count, column, columns.reader(column)] as const);
  return ({ line, fields }) => {
    const fault = dateFault(date(fields), nowMs);
    if (fault) return badRow(line, fault, date(fields), "date");
    const numbers: { -readonly [Count in keyof DayCounts]: DayCounts[Count] } = {};
    for (const [count, column, read] of counts) {
      const text = orNull(read(fields));
      if (text === null) continue;
      const number = parseCount(text);
      if (typeof number === "string") return badRow(line, number, text, column);
      numbers[count] = number;
    }
    const values: Partial<Record<DayDimension, string | null>> = {};
    for (const [dimension, read] of readers) values[dimension] = orNull(read(fields));
    normalizeValues(values);
    return { kind: "day", line, date: dateOf(date(fields)), table, values, counts: numbers };
  };
}

/** Printed in the documentation, too. */
export const PLAUSIBLE_STATEMENT = "SELECT * FROM events_v2 WHERE site_id = <id of the site> FORMAT CSVWithNames";
const DUMP_ADVICE = `On the database of Plausible Community Edition: ${PLAUSIBLE_STATEMENT}`;

function dumpOf(dumps: readonly Recognized[], context: ImportContext): Recognition {
  const [events, sessions] = [dumps.filter(({ kind }) => kind === "dump of events"), dumps.filter(({ kind }) => kind !== "dump of events")];
  return {
    format: NAME,
    product: PRODUCT,
    generation: "dump of events_v2",
    rows: "hits",
    files: events.map(({ opening, header }) => ({
      path: opening.file.path,
      read: () => readCsv(opening, header, hitReader(header, context)),
    })),
    ignored: sessions.map(({ opening }) => ({ path: opening.file.path, reason: "Visits are made of the events again." })),
    timeZone: { name: "UTC", reason: "ClickHouse writes times in UTC." },
    lost: [
      "Cities: the dump has numbers of GeoNames in place of their names.",
      "Time on page and scroll depth.",
      "Screen widths: the dump has types of devices.",
    ],
  };
}

function hitReader(header: CsvHeader, { nowMs }: ImportContext): (row: CsvRow) => Hit | BadRow | LeftOutRow {
  const columns = new Columns(header);
  const read = (...names: readonly string[]) => columns.reader(...names);
  const [timestamp, name, siteId, userId] = [read("timestamp"), read("name"), read("site_id"), read("user_id")];
  const [hostname, pathname, referrer, source] = [read("hostname"), read("pathname"), read("referrer"), read("referrer_source", "source")];
  const [country, region, screen] = [read("country_code", "country"), read("subdivision1_code"), read("screen_size", "device")];
  const [browser, browserVersion] = [read("browser"), read("browser_version")];
  const [os, osVersion] = [read("operating_system", "os"), read("operating_system_version", "os_version")];
  const [utmSource, utmMedium, utmCampaign] = [read("utm_source"), read("utm_medium"), read("utm_campaign")];
  const [utmContent, utmTerm, clickId, interactive] = [read("utm_content"), read("utm_term"), read("click_id_param"), read("interactive")];
  const [keys, values] = [read("meta.key"), read("meta.value")];
  const amount = read("revenue_source_amount", "revenue_reporting_amount");
  const currency = read("revenue_source_currency", "revenue_reporting_currency");
  let site: string | null = null;
  return ({ line, fields }) => {
    const atMs = parseTimestamp(timestamp(fields), nowMs);
    if (typeof atMs === "string") return badRow(line, atMs, timestamp(fields), "timestamp");
    if (pathname(fields) === "") return badRow(line, "missing_value", "", "pathname");
    site ??= siteId(fields);
    if (siteId(fields) !== site) return { kind: "left out", line, reason: "other_site" };
    if (name(fields) === "engagement") return { kind: "left out", line, reason: "not_a_hit" };
    return {
      kind: "hit",
      line,
      atMs,
      visitor: orNull(userId(fields)),
      name: name(fields) === "pageview" ? PAGEVIEW : name(fields),
      hostname: orNull(hostname(fields)),
      path: pathname(fields),
      referrer: referrerFrom(referrer(fields)),
      referrerSource: orNull(source(fields)),
      countryCode: countryFrom(country(fields)),
      region: orNull(region(fields)),
      deviceType: deviceTypeFrom(screen(fields)),
      ...browserFrom(browser(fields), browserVersion(fields)),
      ...osFrom(os(fields), osVersion(fields)),
      utmSource: orNull(utmSource(fields)),
      utmMedium: orNull(utmMedium(fields)),
      utmCampaign: orNull(utmCampaign(fields)),
      utmContent: orNull(utmContent(fields)),
      utmTerm: orNull(utmTerm(fields)),
      clickId: orNull(clickId(fields)),
      props: propsFrom(arrayFrom(keys(fields)), arrayFrom(values(fields))),
      revenue: revenueFrom(orNull(amount(fields)) ?? "", currency(fields)),
      interactive: !/^(?:0|false)$/i.test(interactive(fields)),
    };
  };
}
