/** An event: its columns, their types, and the ids and dates that it contains. */
import { normalizeHost, normalizePath } from "../shared/paths.ts";

/** A valid site id (docs/http-api.md, "Site ids"). Made by `parseSiteId` only. */
export type SiteId = string & { readonly brand: "SiteId" };

/** A date of a site's calendar, `YYYY-MM-DD`. */
export type LocalDate = string & { readonly brand: "LocalDate" };

/** Milliseconds since the Unix epoch. */
export type EpochMs = number;

/**
 * How a column's values are stored.
 * `text`: UTF-8. `json`: a JSON object as text, as `JSON.stringify` writes it, except that numbers too long for JavaScript keep the
 * spelling in which they were sent. `integer`: signed 64-bit, exact up to 2^53. `cents`: DECIMAL(12,2) as hundredths of the currency's
 * unit, exact where a float would not be. `visitor`: unsigned 64-bit. `timestamp`: UTC milliseconds.
 */
export type ColumnKind = "text" | "json" | "integer" | "cents" | "visitor" | "timestamp";

const optional = <const Kind extends ColumnKind, const Field extends string, const Name extends string>(
  kind: Kind,
  field: Field,
  name: Name,
) => ({ field, name, kind, required: false }) as const;

const required = <const Kind extends ColumnKind, const Field extends string, const Name extends string>(
  kind: Kind,
  field: Field,
  name: Name,
) => ({ field, name, kind, required: true }) as const;

/** Stored in every event, so that a renamed folder is noticed. */
const SITE = required("text", "siteId", "site_id");

const EVENT_NAME = required("text", "eventName", "event_name");

const REVENUE = optional("cents", "revenueCents", "revenue_amount");

/** 0 for an event that is no interaction; not recorded for all others, as for those of versions without the column. */
const INTERACTIVE = optional("integer", "interactive", "interactive");

/**
 * The one table of an event's columns, in the order of Parquet files, journal lines and raw exports. It drives them, the engine's tables
 * and those of ClickHouse. New columns go to the end, because journal lines are positional; ClickHouse gets them by a step of its schema.
 */
const TABLE = [
  EVENT_NAME,
  required("text", "pathname", "pathname"),
  optional("text", "hostname", "hostname"),
  optional("text", "referrer", "referrer"),
  optional("text", "referrerSource", "referrer_source"),
  optional("text", "countryCode", "country_code"),
  optional("text", "region", "region"),
  optional("text", "city", "city"),
  optional("text", "browser", "browser"),
  optional("text", "browserVersion", "browser_version"),
  optional("text", "os", "os"),
  optional("text", "osVersion", "os_version"),
  optional("text", "deviceType", "device_type"),
  optional("text", "screenSize", "screen_size"),
  optional("text", "utmSource", "utm_source"),
  optional("text", "utmMedium", "utm_medium"),
  optional("text", "utmCampaign", "utm_campaign"),
  optional("text", "utmContent", "utm_content"),
  optional("text", "utmTerm", "utm_term"),
  optional("json", "props", "props"),
  REVENUE,
  optional("text", "currency", "currency"),
  required("visitor", "visitorId", "visitor_id"),
  SITE,
  required("timestamp", "timestampMs", "timestamp"),
  optional("integer", "engagedSeconds", "engaged_seconds"),
  optional("text", "clickId", "click_id"),
  INTERACTIVE,
  // Sorted codes, joined by spaces (`evidence.ts`).
  optional("text", "evidence", "evidence"),
] as const;

type Row = (typeof TABLE)[number];

type FieldOf<Kind extends ColumnKind> = Extract<Row, { kind: Kind }>["field"];

export type ColumnName = Row["name"];

interface ColumnOf<Kind extends ColumnKind> {
  /** The property of `StoredEvent`. */
  readonly field: FieldOf<Kind>;
  /** The column's name in Parquet files, in the engine, in ClickHouse and in raw exports. */
  readonly name: ColumnName;
  readonly kind: Kind;
  /** False where an event may have no value. */
  readonly required: boolean;
}

export type TextEventColumn = ColumnOf<"text" | "json">;
export type NumberEventColumn = ColumnOf<"integer" | "cents">;
export type EventColumn = TextEventColumn | NumberEventColumn | ColumnOf<"visitor"> | ColumnOf<"timestamp">;

export const EVENT_COLUMNS: readonly EventColumn[] = TABLE;
export const SITE_COLUMN: TextEventColumn = SITE;
export const EVENT_NAME_COLUMN: TextEventColumn = EVENT_NAME;
export const REVENUE_COLUMN: NumberEventColumn = REVENUE;
export const INTERACTIVE_COLUMN: NumberEventColumn = INTERACTIVE;

export const isText = (column: EventColumn): column is TextEventColumn => column.kind === "text" || column.kind === "json";

export const isNumber = (column: EventColumn): column is NumberEventColumn => column.kind === "integer" || column.kind === "cents";

/** Columns that the engine and exports hold as codes of texts. `site_id` is not one: all events of a table have the same. */
export const TEXT_COLUMNS = EVENT_COLUMNS.filter(isText).filter(({ name }) => name !== SITE.name);

/** Columns of numbers, none of which an event needs. */
export const NUMBER_COLUMNS = EVENT_COLUMNS.filter(isNumber);

interface ValueOf {
  readonly text: string;
  readonly json: string;
  readonly integer: number;
  readonly cents: number;
  readonly visitor: bigint;
  readonly timestamp: EpochMs;
}

type Recorded = {
  readonly [R in Row as Exclude<R["field"], "siteId">]: ValueOf[R["kind"]] | (R["required"] extends true ? never : null);
};

/** One stored event (docs/http-api.md, "Stored values"): a value for each column. `null` means "not recorded". */
export interface StoredEvent extends Recorded {
  readonly siteId: SiteId;
  /** The date assigned on acceptance (`calendar.ts`), which decides the event's partition. Not a column. */
  readonly date: LocalDate;
}

type OptionalField = Extract<Row, { required: false }>["field"];

/** The optional fields of an event, none of which is recorded. */
export const UNRECORDED = Object.fromEntries(EVENT_COLUMNS.filter((column) => !column.required).map(({ field }) => [field, null])) as {
  readonly [Field in OptionalField]: null;
};

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Characters of the time in an ISO 8601 instant. Years after 9999 have a longer date before it. */
const TIME_CHARS = "T00:00:00.000Z".length;

/** Dates of which the start is remembered, and the other way round: ten years. Formatting and parsing take a microsecond. */
const DATES_MAX = 4_000;

const dates = new Map<number, LocalDate>();
const starts = new Map<string, EpochMs>();

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): Value {
  if (known.size >= DATES_MAX) known.clear();
  known.set(key, value);
  return value;
}

/** The last result of `utcDateOf`: consecutive events mostly have the same date. */
let lastDay: { readonly index: number; readonly day: LocalDate } = { index: 0, day: "1970-01-01" as LocalDate };

/** The UTC date an instant falls on. */
export function utcDateOf(timestampMs: EpochMs): LocalDate {
  const index = Math.floor(timestampMs / DAY_MS);
  if (lastDay.index !== index) {
    const day = dates.get(index) ?? remembered(dates, index, new Date(timestampMs).toISOString().slice(0, -TIME_CHARS) as LocalDate);
    lastDay = { index, day };
  }
  return lastDay.day;
}

/** The first instant of a UTC date. */
export const startOfDayMs = (day: LocalDate): EpochMs => starts.get(day) ?? remembered(starts, day, Date.parse(`${day}T00:00:00.000Z`));

/** True if the text is a real calendar date spelled `YYYY-MM-DD`. The first is 0001-01-01: dates a year before it can be spelled too. */
export function isLocalDate(text: string): text is LocalDate {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const startMs = startOfDayMs(text as LocalDate);
  return !Number.isNaN(startMs) && utcDateOf(startMs) === text;
}

/** The index of the date. Columns that were added later follow it, so that older lines stay readable. */
const DATE_AT = 25;

const FIELDS: readonly { readonly field: keyof StoredEvent; readonly kind: ColumnKind }[] = [
  ...EVENT_COLUMNS.slice(0, DATE_AT),
  { field: "date", kind: "text" },
  ...EVENT_COLUMNS.slice(DATE_AT),
];

/**
 * The serialized form of an event, in the journal, in memory and between threads: a JSON array of its values in column order and its date.
 *
 * Returned by `eventText`, or read from the journal.
 */
export type EventText = string & { readonly brand: "EventText" };

/** An unflushed event: serialized, because one string costs the garbage collector less than an object with a dozen values. */
export interface BufferedEvent {
  readonly siteId: SiteId;
  readonly date: LocalDate;
  readonly text: EventText;
}

export const bufferedEvent = (event: StoredEvent): BufferedEvent => ({
  siteId: event.siteId,
  date: event.date,
  text: eventText(event),
});

export const eventText = (event: StoredEvent): EventText =>
  JSON.stringify(FIELDS.map(({ field, kind }) => (kind === "visitor" ? String(event[field]) : event[field]))) as EventText;

/** A text with fewer values is of a version that stored paths and hosts as they were sent. */
const NORMALIZED_VALUES_MIN = FIELDS.findIndex(({ field }) => field === "clickId") + 1;

/**
 * Parses an event. Columns that its text lacks, because they were added later, are null, and the date of a line of version 0.1.0 is that of
 * UTC. Throws if the text is not an event.
 */
export function eventOf(text: string): StoredEvent {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new TypeError("an event's text must be a JSON array");
  const event: Partial<Record<keyof StoredEvent, unknown>> = {};
  FIELDS.forEach(({ field, kind }, i) => {
    const value: unknown = values[i] ?? null;
    event[field] = kind === "visitor" ? BigInt(String(value)) : value;
  });
  if (event.timestampMs === null) throw new TypeError("an event's text must contain its time");
  event.date ??= utcDateOf(event.timestampMs as EpochMs);
  if (values.length < NORMALIZED_VALUES_MIN) {
    event.pathname = normalizePath(String(event.pathname));
    event.hostname = event.hostname === null ? null : normalizeHost(String(event.hostname));
  }
  return event as unknown as StoredEvent;
}
