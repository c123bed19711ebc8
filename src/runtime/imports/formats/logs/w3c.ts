/** W3C extended logs, whose fields are named in the file: those of CloudFront (also as JSON) and of IIS. */
import type { Layout, LineReader, ParsedLine } from "./layout.ts";
import type { LoggedRequest } from "./request.ts";
import { isoTimeOf, timeOf } from "./times.ts";

const FIELDS = /^#\s*Fields:\s*/i;

/** `cs(User-Agent)` is `cs_user_agent`, as CloudFront calls it in Parquet. */
const fieldName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, "_")
    .replaceAll(/^_|_$/g, "");

/** The value of a field; undefined if the log does not have it. */
type ValueOf = (field: string) => string | undefined;

/** How a server writes values. */
interface Dialect {
  readonly name: string;
  readonly product: string;
  readonly isOwn: (fields: ReadonlySet<string>) => boolean;
  readonly decodePath: (text: string) => string;
  readonly decodeReferrer: (text: string) => string;
  readonly decodeUserAgent: (text: string) => string;
  readonly needs: readonly string[];
  readonly advice: string;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Older distributions encode a percent sign that is part of an encoding once more. */
const onceEncoded = (text: string): string => text.replaceAll(/%25(?=[\dA-Fa-f]{2})/g, "%");

const CLOUDFRONT_FIELD = /^(?:x_edge_|x_host_header$|distributionid$|cs_protocol_version$)/;

const CLOUDFRONT: Dialect = {
  name: "cloudfront-log",
  product: "CloudFront log",
  isOwn: (fields) => [...fields].some((name) => CLOUDFRONT_FIELD.test(name)),
  decodePath: onceEncoded,
  decodeReferrer: onceEncoded,
  decodeUserAgent: (text) => decoded(onceEncoded(text)),
  needs: ["c-ip", "cs-method", "cs-uri-stem", "sc-status", "cs(User-Agent)"],
  advice: "Add these fields to the distribution's standard logging.",
};

const IIS: Dialect = {
  name: "iis-log",
  product: "IIS log",
  isOwn: (fields) => !CLOUDFRONT.isOwn(fields),
  // Decoded but for blanks.
  decodePath: (text) => text.replaceAll("+", "%20"),
  decodeReferrer: (text) => text,
  decodeUserAgent: (text) => text.replaceAll("+", " "),
  needs: ["c-ip", "cs-method", "cs-uri-stem", "sc-status"],
  advice: "Select these fields under Logging in IIS Manager.",
};

const isGiven = (value: string | undefined): value is string => value !== undefined && value !== "-" && value !== "";

function timeIn(valueOf: ValueOf): number {
  const [date, time] = [valueOf("date"), valueOf("time")];
  if (isGiven(date) && isGiven(time)) return isoTimeOf(`${date} ${time}`);
  return timeOf(valueOf("timestamp_ms") ?? valueOf("timestamp"));
}

const REQUEST_FIELDS = new Set([
  ...["date", "time", "timestamp", "timestamp_ms", "c_ip", "x_forwarded_for", "cs_method", "cs_uri_stem", "cs_uri_query", "sc_status"],
  ...["x_host_header", "cs_host", "cs_referer", "cs_user_agent", "sc_content_type", "x_edge_request_id"],
]);

function requestFrom(valueOf: ValueOf, dialect: Dialect): LoggedRequest {
  const [query, referrer, userAgent, host] = [
    valueOf("cs_uri_query"),
    valueOf("cs_referer"),
    valueOf("cs_user_agent"),
    valueOf("x_host_header"),
  ];
  return {
    atMs: timeIn(valueOf),
    client: valueOf("c_ip") ?? "",
    forwardedFor: valueOf("x_forwarded_for"),
    method: valueOf("cs_method") ?? "",
    target: dialect.decodePath(valueOf("cs_uri_stem") ?? "") + (isGiven(query) ? `?${onceEncoded(query)}` : ""),
    status: Number(valueOf("sc_status")),
    host: isGiven(host) ? host : valueOf("cs_host"),
    referrer: referrer && dialect.decodeReferrer(referrer),
    userAgent: userAgent && dialect.decodeUserAgent(userAgent),
    contentType: valueOf("sc_content_type")?.replaceAll("%20", " "),
    identity: valueOf("x_edge_request_id"),
  };
}

const namesIn = (line: string): string[] => line.replace(FIELDS, "").trim().split(/\s+/);

class W3cReader implements LineReader {
  readonly #dialect: Dialect;
  readonly #places = new Map<string, number>();
  #count = 0;
  state: string | null = null;

  constructor(dialect: Dialect, state: string | null) {
    this.#dialect = dialect;
    if (state !== null) this.#readFields(state);
  }

  read(line: string): ParsedLine {
    if (line.startsWith("#")) {
      if (FIELDS.test(line)) this.#readFields(line);
      return null;
    }
    if (line === "") return null;
    if (this.state === null) return "not_a_log_line";
    // Rows of some tools end with a tab.
    const values = line.trimEnd().split(line.includes("\t") ? "\t" : " ");
    if (values.length !== this.#count) return "wrong_field_count";
    return requestFrom((field) => values[this.#places.get(field) ?? -1], this.#dialect);
  }

  #readFields(line: string): void {
    const names = namesIn(line).map(fieldName);
    this.#places.clear();
    this.state = this.#dialect.isOwn(new Set(names)) ? line : null;
    this.#count = names.length;
    for (const [i, name] of names.entries()) this.#places.set(name, i);
  }
}

function adviceOn(names: readonly string[], { product, needs, advice }: Dialect): string | null {
  const known = new Set(names.map(fieldName));
  const missing = needs.filter((name) => !known.has(fieldName(name)));
  return missing.length === 0 ? null : `This ${product} has no ${missing.join(", ")}. ${advice}`;
}

const w3cLayout = (dialect: Dialect): Layout => ({
  name: dialect.name,
  product: dialect.product,
  adviceOn(text) {
    const line = text.split("\n").find((candidate) => FIELDS.test(candidate));
    return line === undefined ? null : adviceOn(namesIn(line), dialect);
  },
  open: (state) => new W3cReader(dialect, state),
});

export const CLOUDFRONT_LOG = w3cLayout(CLOUDFRONT);
export const IIS_LOG = w3cLayout(IIS);

/** Whether these are the names of fields of one of CloudFront's logs, as those in JSON and Parquet have them. */
export function isCloudFrontRecord(names: readonly string[]): boolean {
  const fields = new Set(names.map(fieldName));
  return CLOUDFRONT.isOwn(fields) || fields.has("cs_uri_stem");
}

/** The request of such a record. */
export function cloudFrontRequestFrom(record: Readonly<Record<string, unknown>>): LoggedRequest {
  const values = new Map(Object.entries(record).map(([name, value]) => [fieldName(name), value == null ? undefined : String(value)]));
  return requestFrom((field) => values.get(field), CLOUDFRONT);
}

/** Whether a request needs the field. */
export const isCloudFrontField = (name: string): boolean => REQUEST_FIELDS.has(fieldName(name));

/** The counterpart of `Layout.adviceOn` for the names of such a record's fields. */
export const cloudFrontAdviceOn = (names: readonly string[]): string | null => adviceOn(names, CLOUDFRONT);
