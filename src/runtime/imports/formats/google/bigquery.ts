/** Events of Google Analytics 4 as BigQuery exports them: JSON lines or Parquet, a table a day. */
import { PAGEVIEW } from "../../../base/config/names.ts";
import { createSha256, type Sha256, toHex } from "../../../base/bytes.ts";
import type { BadRow, Hit, Row } from "../../rows.ts";
import type { Format, ImportContext, Recognition, RecognizedFile, Refusal } from "../format.ts";
import type { Opening } from "../../files/file.ts";
import { isObject, type JsonObject } from "../../files/json-items.ts";
import { openParquet, parquetColumnsOf } from "../../files/parquet.ts";
import { badRow, linesOf } from "../../files/text.ts";
import { checkedMs, deviceTypeFrom } from "../values.ts";
import { countryCodeOfName } from "./countries.ts";
import { browserOfName, browserVersionOf, system } from "./devices.ts";

const NAME = "ga4-bigquery";
const PRODUCT = "Google Analytics 4";

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** Integers are texts in JSON and BigInt in Parquet. null for no value, and for Google's placeholders of one. */
function textOf(value: unknown): string | null {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return null;
  const text = String(value);
  return /^(?:\(not set\)|\(data not available\)|<Other>|)$/.test(text) ? null : text;
}

const textIn = (value: unknown, ...path: string[]): string | null => textOf(path.reduce(memberOf, value));

type Parameter = string | number;

/** The value of a parameter, whatever its type. */
function parameterValue(value: unknown): Parameter | null {
  const text = textIn(value, "string_value");
  if (text !== null) return text;
  const number = textIn(value, "int_value") ?? textIn(value, "double_value") ?? textIn(value, "float_value");
  if (number === null) return null;
  // A longer one would lose digits.
  return Number.isSafeInteger(Number(number)) || number.includes(".") ? Number(number) : number;
}

function parametersIn(list: unknown): ReadonlyMap<string, Parameter> {
  const parameters = new Map<string, Parameter>();
  for (const item of Array.isArray(list) ? list : []) {
    const [key, value] = [textIn(item, "key"), parameterValue(memberOf(item, "value"))];
    if (key !== null && value !== null) parameters.set(key, value);
  }
  return parameters;
}

/** Parameters that are columns of ours, or of use to Analytics only. */
const OWN_PARAMETERS = new Set(
  (
    "page_location page_referrer page_title ga_session_id ga_session_number session_engaged engaged_session_event engagement_time_msec entrances " +
    "source medium campaign campaign_id term content gclid dclid srsltid ignore_referrer synthetic_bundle debug_mode debug_event batch_page_id " +
    "batch_ordering_id currency"
  ).split(" "),
);

/** Events that say no more than that a visit begins or that a page is looked at. */
const NOT_A_HIT = new Set(["session_start", "first_visit", "first_open", "user_engagement"]);

interface Page {
  readonly hostname: string | null;
  readonly path: string;
}

function pageOf(event: JsonObject, parameters: ReadonlyMap<string, Parameter>): Page | null {
  const location = String(parameters.get("page_location") ?? "");
  const [, host, path = ""] = /^https?:\/\/([^/?#]+)(.*)$/is.exec(location) ?? [];
  if (host === undefined) return null;
  return {
    hostname: host.replace(/^.*@/, "") || textIn(event, "device", "web_info", "hostname"),
    path: path.startsWith("/") ? path : `/${path}`,
  };
}

/** Made up by Analytics for visits without campaign parameters. */
const NO_CAMPAIGN = /^\((?:direct|none|organic|referral|not provided)\)$/;

/** Parameters of the visit that led to this event. `traffic_source` is the first visit of the user ever, and says nothing about this one. */
function campaignOf(event: JsonObject) {
  const valueOf = (name: string): string | null => {
    const value = textIn(event, "collected_traffic_source", name);
    return value === null || NO_CAMPAIGN.test(value) ? null : value;
  };
  const clickId = ["gclid", "dclid"].find((name) => valueOf(name) !== null) ?? null;
  const medium = valueOf("manual_medium");
  // Not from the URL: recorded for search engines and links of other sites.
  const isCampaign = medium !== "organic" && medium !== "referral";
  return {
    clickId,
    ...(isCampaign && {
      utmSource: valueOf("manual_source"),
      utmMedium: medium,
      utmCampaign: valueOf("manual_campaign_name"),
      utmContent: valueOf("manual_content"),
      utmTerm: valueOf("manual_term"),
    }),
  };
}

function revenueOf(event: JsonObject, name: string, parameters: ReadonlyMap<string, Parameter>): NonNullable<Hit["revenue"]> | null {
  const [field, sign] = name === "refund" ? ["refund_value", "-"] : ["purchase_revenue", ""];
  if (name !== "purchase" && name !== "refund" && name !== "in_app_purchase") return null;
  const amountOf = (text: string | null): string | null => (text !== null && /^\d+(?:\.\d+)?$/.test(text) ? `${sign}${text}` : null);
  const currency = textOf(parameters.get("currency"));
  const amount = amountOf(textIn(event, "ecommerce", field)) ?? (currency === null ? null : amountOf(textOf(parameters.get("value"))));
  if (amount !== null && currency !== null) return { amount, currency };
  const inDollars = amountOf(textIn(event, "ecommerce", `${field}_in_usd`));
  return inDollars === null ? null : { amount: inDollars, currency: "USD" };
}

function deviceOf(event: JsonObject) {
  const device = memberOf(event, "device");
  return {
    ...system(textIn(device, "operating_system") ?? "", textIn(device, "operating_system_version") ?? ""),
    browser: browserOfName(textIn(device, "web_info", "browser") ?? textIn(device, "browser") ?? ""),
    browserVersion: browserVersionOf(textIn(device, "web_info", "browser_version") ?? textIn(device, "browser_version") ?? ""),
    deviceType: deviceTypeFrom(textIn(device, "category") ?? ""),
  };
}

/** Equal for the same event in the tables of a day and its intraday twin, and in tables that were exported again. */
function identityOf(event: JsonObject, parameters: ReadonlyMap<string, Parameter>, sha256: Sha256): string {
  const fields = ["event_timestamp", "event_name", "stream_id", "user_pseudo_id", "batch_event_index"].map((name) => textIn(event, name));
  const sorted = [...parameters].sort(([a], [b]) => (a < b ? -1 : 1));
  return toHex(sha256(JSON.stringify([fields, sorted])).subarray(0, IDENTITY_BYTES));
}

const IDENTITY_BYTES = 16;

const MICROSECONDS = /^\d{1,17}$/;

function rowOf(event: JsonObject, line: number, nowMs: number, sha256: Sha256): Row {
  const bad = (reason: BadRow["reason"], column: string): Row => badRow(line, reason, textIn(event, column) ?? "", column);
  const [name, time] = [textIn(event, "event_name"), textIn(event, "event_timestamp")];
  if (name === null) return bad("missing_value", "event_name");
  if (time === null) return bad("missing_value", "event_timestamp");
  if (!MICROSECONDS.test(time)) return bad("bad_date", "event_timestamp");
  const atMs = Math.floor(Number(time) / 1000);
  if (checkedMs(atMs, nowMs) === "date_out_of_range") return bad("date_out_of_range", "event_timestamp");
  if (NOT_A_HIT.has(name)) return { kind: "left out", line, reason: "not_a_hit" };
  const parameters = parametersIn(event["event_params"]);
  const page = pageOf(event, parameters);
  if (page === null) return { kind: "left out", line, reason: "not_web" };
  const country = textIn(event, "geo", "country");
  const props = Object.fromEntries([...parameters].filter(([key]) => !OWN_PARAMETERS.has(key)));
  const isPageview = name === "page_view";
  return {
    kind: "hit",
    line,
    atMs,
    visitor: textIn(event, "user_pseudo_id"),
    identity: identityOf(event, parameters, sha256),
    name: isPageview ? PAGEVIEW : name,
    ...page,
    referrer: textOf(parameters.get("page_referrer")),
    ...deviceOf(event),
    countryCode: country === null ? null : countryCodeOfName(country),
    region: textIn(event, "geo", "region"),
    city: textIn(event, "geo", "city"),
    ...campaignOf(event),
    props: Object.keys(props).length === 0 ? null : props,
    revenue: revenueOf(event, name, parameters),
    // Analytics sends these by itself while a page is read.
    ...((name === "scroll" || name === "form_start") && { interactive: false }),
  };
}

/** The columns that are read, of those at the top level. */
const COLUMNS = [
  ...["event_name", "event_timestamp", "event_params", "stream_id", "user_pseudo_id", "batch_event_index", "device", "geo"],
  ...["collected_traffic_source", "ecommerce"],
];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No event.
    return null;
  }
}

async function* rowsOfLines(opening: Opening, nowMs: number): AsyncGenerator<readonly Row[]> {
  const sha256 = await createSha256();
  for await (const lines of linesOf(opening)) {
    const rows: Row[] = [];
    for (const { line, text, isTooLong } of lines) {
      if (text.trim() === "") continue;
      const event = isTooLong ? null : parsed(text);
      if (isObject(event)) rows.push(rowOf(event, line, nowMs, sha256));
      else rows.push(badRow(line, isTooLong ? "line_too_long" : "not_json", text));
    }
    if (rows.length > 0) yield rows;
  }
}

/** Rows of a batch from Parquet, which may have tens of thousands. */
const BATCH_ROWS = 500;

async function* rowsOfParquet({ file }: Opening, nowMs: number): AsyncGenerator<readonly Row[]> {
  const sha256 = await createSha256();
  const parquet = await openParquet(file);
  let line = 0;
  for await (const events of parquet.read(COLUMNS)) {
    for (let at = 0; at < events.length; at += BATCH_ROWS) {
      yield events.slice(at, at + BATCH_ROWS).map((event) => rowOf(event, ++line, nowMs, sha256));
    }
  }
}

/** The name of the table, in the name of the file or its folder. */
const TABLE = /(?:^|[/_.-])events_(intraday_|fresh_)?(\d{8})(?!\d)/;

const RANKS: Readonly<Record<string, number>> = { "": 0, fresh_: 1, intraday_: 2 };

interface Table {
  /** null if the name does not say it. */
  readonly day: string | null;
  /** The lower, the more final. */
  readonly rank: number;
}

function tableOf(path: string): Table {
  const [, kind = "", day = null] = TABLE.exec(path) ?? [];
  return { day, rank: RANKS[kind] ?? 0 };
}

/** A day is taken from its most final table. */
function bestTables(openings: readonly Opening[]) {
  const ranks = new Map<string, number>();
  const tables = openings.map((opening) => ({ opening, ...tableOf(opening.file.path) }));
  for (const { day, rank } of tables) if (day !== null) ranks.set(day, Math.min(rank, ranks.get(day) ?? rank));
  const isBest = ({ day, rank }: Table): boolean => day === null || ranks.get(day) === rank;
  const best = tables.filter(isBest).sort((a, b) => ((a.day ?? "") < (b.day ?? "") ? -1 : (a.day ?? "") > (b.day ?? "") ? 1 : 0));
  return { best: best.map(({ opening }) => opening), others: tables.filter((table) => !isBest(table)).map(({ opening }) => opening) };
}

const LINE = /^\s*\{[^\n]*"event_timestamp"\s*:/;

const isOwnLine = ({ text }: Opening): boolean => LINE.test(text) && text.includes('"event_params"') && text.includes('"event_name"');

async function isOwnParquet(opening: Opening): Promise<boolean> {
  const columns = await parquetColumnsOf(opening);
  return columns !== null && ["event_name", "event_timestamp", "event_params"].every((name) => columns.includes(name));
}

/** Connectors make a column of each parameter, and lose types and repetitions. */
const FLATTENED = /^[^\n]*(?:\bparam_ga_session_id\b|\bevent_params?_ga_session_id\b)/;

const LOST = [
  "Session starts, first visits and engagement of Google Analytics are not events here: they follow from page views.",
  "Screen sizes, titles of pages, items of purchases and user properties are left out, and so are events of apps.",
  "Visitors without consent have no identity: each of their events has an unknown visitor.",
];

async function recognize(openings: readonly Opening[], { nowMs }: ImportContext): Promise<(Recognition | Refusal)[]> {
  const found: (Recognition | Refusal)[] = [];
  const flattened = openings.filter(({ text }) => FLATTENED.test(text)).map(({ file }) => file.path);
  if (flattened.length > 0) {
    const advice = "This is an export that a connector has flattened. Export the tables events_YYYYMMDD from BigQuery, as JSON or Parquet.";
    found.push({ format: NAME, product: PRODUCT, paths: flattened, advice });
  }
  const lines = openings.filter(isOwnLine);
  const parquet: Opening[] = [];
  for (const opening of openings) if (await isOwnParquet(opening)) parquet.push(opening);
  const { best, others } = bestTables([...lines, ...parquet]);
  if (best.length === 0) return found;
  const read = (opening: Opening) => (parquet.includes(opening) ? rowsOfParquet(opening, nowMs) : rowsOfLines(opening, nowMs));
  const files: RecognizedFile[] = best.map((opening) => ({ path: opening.file.path, read: () => read(opening) }));
  return [
    ...found,
    {
      format: NAME,
      product: PRODUCT,
      generation: `BigQuery export (${parquet.length === 0 ? "JSON" : lines.length === 0 ? "Parquet" : "JSON and Parquet"})`,
      rows: "hits",
      files,
      ignored: others.map(({ file }) => ({ path: file.path, reason: "A table of the same day that is more complete is read." })),
      timeZone: { name: "UTC", reason: "The times of events are in UTC." },
      lost: LOST,
    },
  ];
}

export const GA4_BIGQUERY: Format = { name: NAME, recognize };
