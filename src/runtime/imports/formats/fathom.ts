/** Fathom: its export of page views and of events, sums of hours over the dimensions that the user chose. */
import { TimeZone } from "../../../storage/time-zone.ts";
import { utcDateOf } from "../../../storage/event.ts";
import { Columns, type CsvHeader, csvHeaderOf, type CsvRow, readCsvRows } from "../files/csv-rows.ts";
import { DAY_TABLES, type DayDimension, type DayTable, type Row } from "../rows.ts";
import { type Format, type ImportContext, type Recognition, type Refusal, refusing } from "./format.ts";
import type { Opening } from "../files/file.ts";
import { badRow } from "../files/text.ts";
import { browserFrom, countryFrom, deviceTypeFrom, orNull, osFrom, parseCount, parseTimestamp, pathFrom, referrerFrom } from "./values.ts";

const NAME = "fathom";
const PRODUCT = "Fathom";

const refusal = refusing(NAME, PRODUCT);

interface Recognized {
  readonly opening: Opening;
  readonly header: CsvHeader;
}

const ADVICE = 'Export again in Fathom: "Settings", "Export data", grouped by hour, with all dimensions ticked.';

export const fathom: Format = {
  name: NAME,
  recognize(openings, context) {
    const found = openings.flatMap((opening): Recognized[] => {
      const header = csvHeaderOf(opening);
      const has = (...names: readonly string[]): boolean => names.every((name) => header?.columns.includes(name));
      return header && (has("pageviews", "uniques") || has("pathname", "pageviews") || has("event_name", "completions"))
        ? [{ opening, header }]
        : [];
    });
    const isDated = ({ header }: Recognized): boolean => timeColumnOf(header) !== undefined;
    const [dated, dateless] = [found.filter(isDated), found.filter((file) => !isDated(file))];
    const results: (Recognition | Refusal)[] = [];
    const ofViews = dated.filter(({ header }) => !header.columns.includes("completions"));
    if (new Set(ofViews.map(({ header }) => [...header.columns].sort().join())).size > 1) {
      const advice = `The files have the same page views by different dimensions, which would count twice. ${ADVICE}`;
      results.push(refusal(dated, advice));
    } else if (dated.length > 0) results.push(recognition(dated, context));
    if (dateless.length > 0) {
      const advice = `The rows of these files have no dates. ${ADVICE}`;
      results.push(refusal(dateless, advice));
    }
    return results;
  },
};

const timeColumnOf = ({ columns }: CsvHeader): string | undefined =>
  ["datetime", "timestamp", "date"].find((name) => columns.includes(name));

function recognition(files: readonly Recognized[], context: ImportContext): Recognition {
  return {
    format: NAME,
    product: PRODUCT,
    generation: "sums of hours",
    rows: "days",
    lacksVisitors: true,
    files: files.map(({ opening, header }) => ({
      path: opening.file.path,
      read: () => readCsvRows(opening, header, hourReader(header, context)),
    })),
    ignored: [],
    timeZone: { name: context.timeZone, reason: "Hours in UTC are counted to the days of the site." },
    lost: [
      "Visitors, visits, bounces and durations: those of rows do not add up to those of days.",
      "The value of events: it has no currency.",
      "Before March 2021, Fathom did not record which page, referrer and browser belong together.",
    ],
  };
}

/** The columns of a dimension. */
const COLUMN_OF: Partial<Readonly<Record<DayDimension, string>>> = {
  hostname: "hostname",
  pathname: "pathname",
  referrerSource: "referrer_hostname",
  referrer: "referrer_hostname",
  utmSource: "utm_source",
  utmMedium: "utm_medium",
  utmCampaign: "utm_campaign",
  utmContent: "utm_content",
  utmTerm: "utm_term",
  countryCode: "country_code",
  region: "state",
  city: "city",
  deviceType: "device_type",
  browser: "browser",
  os: "operating_system",
};

const TABLES: readonly DayTable[] = ["totals", "pages", "sources", "locations", "devices", "browsers", "operating-systems"];

/** A row is counted once in each table of which it has a column. */
function hourReader(header: CsvHeader, { timeZone, nowMs }: ImportContext): (row: CsvRow) => readonly Row[] {
  const columns = new Columns(header);
  const zone = TimeZone.named(timeZone);
  const timeColumn = timeColumnOf(header) ?? "";
  const isOfEvents = columns.has("completions");
  const countColumn = isOfEvents ? "completions" : "pageviews";
  const tables = TABLES.map((table) => ({
    table,
    dimensions: DAY_TABLES[table].filter((dimension) => columns.has(COLUMN_OF[dimension] ?? "")) as readonly DayDimension[],
  })).filter(({ table, dimensions }) => table === "totals" || dimensions.length > 0);
  return ({ line, fields }) => {
    const read = (name: string): string => columns.value(fields, name);
    const time = read(timeColumn);
    const atMs = parseTimestamp(time.length === 10 ? `${time} 00:00` : time, nowMs);
    if (typeof atMs === "string") return [badRow(line, atMs, time, timeColumn)];
    const count = parseCount(read(countColumn));
    if (typeof count === "string") return [badRow(line, count, read(countColumn), countColumn)];
    // Rows of days have their date already.
    const date = utcDateOf(time.length === 10 ? atMs : atMs + (zone?.offsetAt(atMs) ?? 0));
    if (isOfEvents) {
      const values = { eventName: orNull(read("event_name")), linkUrl: null };
      return [{ kind: "day", line, date, table: "events", values, counts: { events: count } }];
    }
    return tables.map(({ table, dimensions }): Row => {
      const values = Object.fromEntries(dimensions.map((dimension) => [dimension, valueOf(dimension, read)]));
      return { kind: "day", line, date, table, values, counts: { pageviews: count } };
    });
  };
}

function valueOf(dimension: DayDimension, read: (name: string) => string): string | null {
  const text = orNull(read(COLUMN_OF[dimension] ?? ""));
  const campaign = dimension === "referrerSource" ? orNull(read("utm_source")) : null;
  if (campaign !== null) return campaign;
  if (text === null) return null;
  switch (dimension) {
    case "hostname":
    case "referrerSource":
      return text.replace(/^https?:\/\//i, "");
    case "pathname":
      return pathFrom(text);
    case "referrer":
      return referrerFrom(text + (orNull(read("referrer_pathname")) ?? ""));
    case "countryCode":
      return countryFrom(text);
    case "deviceType":
      return deviceTypeFrom(text);
    case "browser":
      return browserFrom(text, "").browser;
    case "os":
      return osFrom(text, "").os;
    default:
      return text;
  }
}
