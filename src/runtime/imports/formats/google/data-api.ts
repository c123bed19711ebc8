/** Reports of Google Analytics 4 as its Data API answers them: rows of days (`runReport` and `batchRunReports`, as JSON). */
import { IMPORT_COUNT_MAX, IMPORT_FIRST_DATE } from "../../../base/config/limits.ts";
import { DAY_MS, isLocalDate, type LocalDate, utcDateOf } from "../../../../storage/event.ts";
import { DAY_TABLES, type BadRow, type DayCounts, type DayDimension, type DayRow, type DayTable } from "../../rows.ts";
import type { Format } from "../format.ts";
import type { Opening } from "../../files/file.ts";
import type { ImportContext, Recognition, Refusal } from "../format.ts";
import type { Row } from "../../rows.ts";
import { UnreadableFile } from "../../files/file.ts";
import { isObject } from "../../files/json-items.ts";
import { ELEMENT, type JsonPath, JsonSplitter, type JsonValue } from "../../files/json-stream.ts";
import { badRow, textOfFile } from "../../files/text.ts";
import { deviceTypeFrom } from "../values.ts";
import { countryCodeOfName } from "./countries.ts";
import { browserOfName, splitSystem, systemOfName } from "./devices.ts";

const PRODUCT = "Google Analytics 4";
const NAME = "ga4-data-api";

type Values = Partial<Record<DayDimension, string | null>>;

/** Placeholders of Analytics for no value. */
const NO_VALUE = new Set(["", "(not set)", "(direct)", "(none)", "(not provided)", "(other)", "(data not available)"]);

const valueOf = (text: string): string | null => (NO_VALUE.has(text) ? null : text);

/** Media that Analytics makes up for visits without campaign parameters. */
const MADE_UP_MEDIA = new Set(["organic", "referral"]);

function urlParts(text: string): Values {
  // Without a scheme.
  const [, host = "", path = ""] = /^(?:[a-z]+:\/\/)?([^/?#]*)(.*)$/is.exec(text) ?? [];
  return { hostname: valueOf(host), pathname: path === "" ? "/" : path };
}

/** What a dimension says, by its name in the API. */
const DIMENSIONS: Readonly<Record<string, (value: string) => Values>> = {
  sessionSource: (value) => ({ referrerSource: valueOf(value) }),
  sessionMedium: (value) => ({ utmMedium: MADE_UP_MEDIA.has(value) ? null : valueOf(value) }),
  sessionSourceMedium(value) {
    const [source = "", medium = ""] = value.split(" / ");
    return { referrerSource: valueOf(source), utmMedium: MADE_UP_MEDIA.has(medium) ? null : valueOf(medium) };
  },
  sessionCampaignName: (value) => ({ utmCampaign: /^\((?:organic|referral)\)$/.test(value) ? null : valueOf(value) }),
  sessionManualSource: (value) => ({ utmSource: valueOf(value) }),
  sessionManualMedium: (value) => ({ utmMedium: valueOf(value) }),
  sessionManualCampaignName: (value) => ({ utmCampaign: valueOf(value) }),
  sessionManualAdContent: (value) => ({ utmContent: valueOf(value) }),
  sessionManualTerm: (value) => ({ utmTerm: valueOf(value) }),
  sessionGoogleAdsKeyword: (value) => ({ utmTerm: valueOf(value) }),
  // Ours follows from source and medium.
  sessionDefaultChannelGroup: () => ({}),
  sessionDefaultChannelGrouping: () => ({}),
  hostName: (value) => ({ hostname: valueOf(value) }),
  pagePath: (value) => ({ pathname: valueOf(value) }),
  pagePathPlusQueryString: (value) => ({ pathname: valueOf(value) }),
  unifiedPagePathScreen: (value) => ({ pathname: valueOf(value) }),
  fullPageUrl: urlParts,
  landingPage: (value) => ({ pathname: valueOf(value) }),
  landingPagePlusQueryString: (value) => ({ pathname: valueOf(value) }),
  countryId: (value) => ({ countryCode: /^[A-Z]{2}$/.test(value) ? value : null }),
  country: (value) => ({ countryCode: countryCodeOfName(value) }),
  region: (value) => ({ region: valueOf(value) }),
  city: (value) => ({ city: valueOf(value) }),
  deviceCategory: (value) => ({ deviceType: deviceTypeFrom(value) }),
  browser: (value) => ({ browser: browserOfName(value) }),
  operatingSystem: (value) => ({ os: systemOfName(value) }),
  operatingSystemVersion: (value) => ({ osVersion: valueOf(value) }),
  operatingSystemWithVersion: splitSystem,
  eventName: (value) => ({ eventName: valueOf(value) }),
  linkUrl: (value) => ({ linkUrl: valueOf(value) }),
};

const DATES = ["date", "dateHour", "dateHourMinute"];

/** Dimensions whose values belong to the first or last page of a visit. */
const LANDING = /^landingPage/;

/** The smallest table with all of these dimensions; null if there is none. */
function tableFor(dimensions: readonly string[]): DayTable | null {
  const own = new Set(dimensions.flatMap((name) => Object.keys(DIMENSIONS[name]?.("") ?? { unknown: null })));
  // The channel alone: ours follow from sources.
  if (dimensions.length > 0 && own.size === 0) return null;
  if (dimensions.some((name) => LANDING.test(name)))
    return [...own].every((name) => name in { hostname: 0, pathname: 0 }) ? "entry-pages" : null;
  const tables = Object.entries(DAY_TABLES) as [DayTable, readonly string[]][];
  const fitting = tables.filter(
    ([table, known]) => table !== "entry-pages" && table !== "exit-pages" && [...own].every((name) => known.includes(name)),
  );
  return fitting.sort(([, a], [, b]) => a.length - b.length)[0]?.[0] ?? null;
}

/** Events that Analytics records beside those of the site, and page views, which have counts of their own. */
const OWN_EVENTS = new Set(["page_view", "screen_view", "session_start", "first_visit", "first_open", "user_engagement"]);

/** Client libraries write `dimension_headers`, HTTP clients get `dimensionHeaders`. */
const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const memberOf = (object: unknown, name: string): unknown => {
  if (!isObject(object)) return undefined;
  return object[name] ?? object[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
};

/** The texts in a list of objects with one member. */
const textsIn = (list: unknown, name: string): string[] =>
  Array.isArray(list) ? list.map((item) => String(memberOf(item, name) ?? "")) : [];

/** The report that is being read: its headers come before its rows. */
interface Report {
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  /** null if its rows are left out, for this reason. */
  readonly table: DayTable | null;
  readonly reason: string;
  rows: number;
}

/** The dimensions of the report that each table is taken from: another one would count the same visits again. */
type Sources = Map<DayTable, string>;

function reportOf(dimensions: readonly string[], metrics: readonly string[], sources: Sources): Report {
  const own = dimensions.filter((name) => !DATES.includes(name));
  const table = own.length === dimensions.length ? null : tableFor(own);
  if (table === null) return { dimensions, metrics, table, reason: whyNot(dimensions), rows: 0 };
  const key = [...own].sort().join(", ");
  const source = sources.get(table) ?? key;
  sources.set(table, source);
  if (source === key) return { dimensions, metrics, table, reason: "", rows: 0 };
  return { dimensions, metrics, table: null, reason: `counts what the report by ${source || "date"} counts. Import one of them`, rows: 0 };
}

function whyNot(dimensions: readonly string[]): string {
  const hasDate = dimensions.some((name) => DATES.includes(name));
  const unknown = dimensions.filter((name) => !DATES.includes(name) && DIMENSIONS[name] === undefined);
  if (!hasDate) return 'has no date. Add the dimension "date" to the request';
  if (unknown.length > 0) return `has the dimension ${unknown.join(", ")}, which has no counterpart here. Leave it out`;
  return "joins dimensions of different tables. Request one report for pages, one for sources, one for locations, and so on";
}

function dateOf(report: Report, values: readonly string[]): LocalDate | null {
  const text = values[report.dimensions.findIndex((name) => DATES.includes(name))] ?? "";
  const date = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`;
  return isLocalDate(date) ? date : null;
}

function countsOf({ dimensions, table, metrics }: Report, values: readonly string[], line: number): DayCounts | BadRow {
  const numbers = new Map<string, number>();
  for (const [i, name] of metrics.entries()) {
    const value = values[i] ?? "";
    const number = Number(value);
    if (value.trim() === "" || Number.isNaN(number)) return badRow(line, "bad_number", value, name);
    if (number < 0 || number > IMPORT_COUNT_MAX) return badRow(line, "number_out_of_range", value, name);
    numbers.set(name, number);
  }
  const number = (name: string): number | undefined => numbers.get(name);
  const [visits, engaged, bounceRate, duration] = ["sessions", "engagedSessions", "bounceRate", "averageSessionDuration"].map(number);
  const bounces =
    visits === undefined ? undefined : engaged === undefined ? bounceRate && Math.round(visits * bounceRate) : visits - engaged;
  const ofVisits = visits === undefined || duration === undefined ? number("userEngagementDuration") : visits * duration;
  const counts: Record<keyof DayCounts, number | undefined> = {
    // Visitors of an hour are those of other hours, too.
    visitors:
      dimensions.includes("date") && dimensions.every((name) => name === "date" || !DATES.includes(name))
        ? (number("totalUsers") ?? number("activeUsers"))
        : undefined,
    visits,
    bounces: bounces === undefined ? undefined : Math.max(0, bounces),
    durationSeconds: ofVisits === undefined ? undefined : Math.round(ofVisits),
    pageviews: table === "events" ? undefined : number("screenPageViews"),
    events: table === "events" ? number("eventCount") : undefined,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
}

function rowOf(report: Report, { value, line, text }: JsonValue, lastDate: string): Row {
  const [values, metrics] = [textsIn(memberOf(value, "dimensionValues"), "value"), textsIn(memberOf(value, "metricValues"), "value")];
  if (values.length !== report.dimensions.length || metrics.length !== report.metrics.length)
    return badRow(line, "wrong_field_count", text);
  const { table } = report;
  if (table === null) return { kind: "left out", line, reason: "unsupported_report" };
  const date = dateOf(report, values);
  if (date === null)
    return values.includes("(other)") ? { kind: "left out", line, reason: "unattributed" } : badRow(line, "bad_date", text);
  if (date < IMPORT_FIRST_DATE || date > lastDate) return badRow(line, "date_out_of_range", date);
  const named = Object.assign({}, ...report.dimensions.map((name, i) => DIMENSIONS[name]?.(values[i] ?? ""))) as Values;
  if (table === "events" && OWN_EVENTS.has(named.eventName ?? "")) return { kind: "left out", line, reason: "not_a_hit" };
  const counts = countsOf(report, metrics, line);
  if ("kind" in counts) return counts;
  const row: DayRow = { kind: "day", line, date, table, values: withCampaignSource(named, report), counts };
  return row;
}

/** The source of a campaign is its `utm_source`, also where the report has no dimension for that. */
function withCampaignSource(values: Values, { dimensions }: Report): Values {
  const isOfCampaign = values.utmMedium != null && !dimensions.includes("sessionManualSource");
  return isOfCampaign && values.referrerSource != null ? { ...values, utmSource: values.referrerSource } : values;
}

function percentRead(sampling: unknown): string | null {
  const [read, all] = [Number(memberOf(sampling, "samplesReadCount")), Number(memberOf(sampling, "samplingSpaceSize"))];
  return all > 0 && read < all ? `${Math.round((100 * read) / all)} %` : null;
}

/** What the metadata of a report say about its rows. */
function remarksOn(metadata: unknown): string[] {
  const samplings = memberOf(metadata, "samplingMetadatas");
  const sampled = Array.isArray(samplings) ? samplings.map(percentRead).find((percent) => percent !== null) : undefined;
  return [
    ...(sampled ? [`Google estimated this report from a sample of ${sampled} of the events.`] : []),
    ...(memberOf(metadata, "subjectToThresholding") === true ? ["Google left out rows with few users from this report."] : []),
    ...(memberOf(metadata, "dataLossFromOtherRow") === true ? ['Google put rare values of this report into one row "(other)".'] : []),
  ];
}

/** The members of a response, one value after the other. */
const opens = (path: JsonPath): boolean => {
  const [last, before] = [path.at(-1), path.at(-2)];
  return last === undefined || last === "rows" || last === "reports" || (last === ELEMENT && before !== "rows");
};

class ReportReader {
  readonly #lastDate: string;
  readonly #sources: Sources;
  #dimensions: readonly string[] = [];
  #report: Report | null = null;

  constructor(lastDate: string, sources: Sources) {
    this.#lastDate = lastDate;
    this.#sources = sources;
  }

  /** The rows that a value yields. */
  read(json: JsonValue): Row[] {
    const { path, line, value } = json;
    const name = camelCase(path.at(-1) ?? "");
    if (name === "dimensionHeaders") this.#dimensions = textsIn(value, "name");
    else if (name === "metricHeaders") return this.#begin(textsIn(value, "name"), line);
    else if (name === "metadata") return remarksOn(value).map((text) => ({ kind: "remark", line, text }));
    else if (name === "rowCount") return this.#remarkOnCount(Number(value), line);
    else if (name === ELEMENT) return [this.#rowOf(json)];
    return [];
  }

  #begin(metrics: readonly string[], line: number): Row[] {
    this.#report = reportOf(this.#dimensions, metrics, this.#sources);
    // A report without dimensions has no headers of them.
    this.#dimensions = [];
    const { table, dimensions, reason } = this.#report;
    if (table !== null) return [];
    return [{ kind: "remark", line, text: `The report by ${dimensions.join(", ") || "nothing"} is left out: it ${reason}.` }];
  }

  #rowOf(json: JsonValue): Row {
    if (json.isTooLong) return badRow(json.line, "line_too_long", json.text);
    if (json.value === undefined) return badRow(json.line, "not_json", json.text);
    if (this.#report === null) return badRow(json.line, "missing_value", json.text, "dimensionHeaders");
    this.#report.rows++;
    return rowOf(this.#report, json, this.#lastDate);
  }

  #remarkOnCount(all: number, line: number): Row[] {
    const rows = this.#report?.rows ?? 0;
    if (!(all > rows)) return [];
    return [{ kind: "remark", line, text: `This page of the report has ${rows} of ${all} rows. Request the others with "offset".` }];
  }
}

async function* rowsOf(opening: Opening, { nowMs }: ImportContext, sources: Sources): AsyncGenerator<readonly Row[]> {
  const splitter = new JsonSplitter(opens);
  const reader = new ReportReader(utcDateOf(nowMs + DAY_MS), sources);
  for await (const text of textOfFile(opening)) {
    const rows = splitter.push(text).flatMap((value) => reader.read(value));
    if (rows.length > 0) yield rows;
  }
  const rows = splitter.end().flatMap((value) => reader.read(value));
  if (rows.length > 0) yield rows;
}

/** Beginning with a brace or bracket, so that no other file is taken for one. */
const RESPONSE = /^\s*[[{][\s\S]*"(?:dimensionHeaders|dimension_headers|metricHeaders|metric_headers)"\s*:/;

interface Headers {
  readonly sources: Sources;
  /** The zone of the property; null if no report says it. */
  readonly timeZone: string | null;
}

/** Which report each table is taken from has to be known before rows are read: reading may begin in any file. */
async function headersOf(openings: readonly Opening[]): Promise<Headers> {
  const sources: Sources = new Map();
  let timeZone: string | null = null;
  let dimensions: readonly string[] = [];
  for (const opening of openings) {
    for await (const { path, value } of headerValues(opening)) {
      const name = camelCase(path.at(-1) ?? "");
      if (name === "dimensionHeaders") dimensions = textsIn(value, "name");
      else if (name === "metricHeaders") {
        reportOf(dimensions, textsIn(value, "name"), sources);
        dimensions = [];
      } else if (name === "metadata") timeZone ??= textOf(memberOf(value, "timeZone"));
    }
  }
  return { sources, timeZone };
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** All values but rows. Ends where a file is damaged, which reading it reports. */
async function* headerValues(opening: Opening): AsyncGenerator<JsonValue> {
  const splitter = new JsonSplitter((path) => opens(path) && path.at(-1) !== "rows");
  try {
    for await (const text of textOfFile(opening)) yield* splitter.push(text);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
  }
}

/** What Analytics' own pages download: localised, and without dates in most tables. */
const DOWNLOAD = /^# -{8}/;

const HOW = 'Request the reports from the Data API (runReport) with the dimension "date", or export events to BigQuery.';

const LOST = [
  "Google counts users, not daily visitors: sums over days are higher than Google's own total of a range.",
  "Reports have no exit pages and no single visits: filters over several dimensions leave these days out.",
  'Google\'s "engaged time" is taken as the duration of visits if the report has no average duration.',
];

async function recognize(openings: readonly Opening[], context: ImportContext): Promise<(Recognition | Refusal)[]> {
  const downloads = openings.filter(({ text }) => DOWNLOAD.test(text)).map(({ file }) => file.path);
  const refusals: Refusal[] =
    downloads.length === 0
      ? []
      : [
          {
            format: NAME,
            product: PRODUCT,
            paths: downloads,
            advice: `Downloads from the pages of Google Analytics have no dates. ${HOW}`,
          },
        ];
  const own = openings.filter(({ text }) => RESPONSE.test(text));
  if (own.length === 0) return refusals;
  const { sources, timeZone } = await headersOf(own);
  return [
    ...refusals,
    {
      format: NAME,
      product: PRODUCT,
      generation: "Data API",
      rows: "days",
      files: own.map((opening) => ({ path: opening.file.path, read: () => rowsOf(opening, context, sources) })),
      ignored: [],
      timeZone:
        timeZone === null
          ? { name: context.timeZone, reason: "The reports do not say the time zone of the property: the site's is assumed." }
          : { name: timeZone, reason: "The reports say that the property is in this time zone." },
      lost: LOST,
    },
  ];
}

export const GA4_DATA_API: Format = { name: NAME, recognize };
