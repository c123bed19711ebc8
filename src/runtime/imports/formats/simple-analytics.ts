/** Simple Analytics: its export of data points, page views and events in CSV or JSON, with the fields that the user chose. */
import { LruMap } from "../../../storage/lru-map.ts";
import { ENGAGED_SECONDS_MAX, IMPORT_VISITORS_REMEMBERED_MAX } from "../../base/config/limits.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import { Columns, type CsvHeader, csvHeaderOf, readCsv } from "../files/csv-rows.ts";
import type { BadRow, Hit, HitProps, LeftOutRow, Row } from "../rows.ts";
import { type Format, type ImportContext, type Recognition, type Refusal, refusing } from "./format.ts";
import type { Opening } from "../files/file.ts";
import { firstItemOf, readJson, textIn } from "../files/json-items.ts";
import { badRow } from "../files/text.ts";
import {
  browserFrom,
  checkedMs,
  countryFrom,
  deviceTypeFrom,
  orNull,
  osFrom,
  parseTimestamp,
  pathFrom,
  referrerFrom,
  screenWidthFrom,
} from "./values.ts";

const NAME = "simple-analytics";
const PRODUCT = "Simple Analytics";

const refusal = refusing(NAME, PRODUCT);

/** Fields that no other product has, of which an export has one at least. */
const OWN_FIELDS = ["added_iso", "added_unix", "datapoint", "is_unique", "is_robot", "hostname_original", "document_referrer"];

const NEEDED = ["path", "is_unique"];

interface Recognized {
  readonly opening: Opening;
  /** null for JSON. */
  readonly header: CsvHeader | null;
  readonly fields: readonly string[];
}

function recognizedFile(opening: Opening): Recognized | null {
  const isJson = /^\s*[[{]/.test(opening.text);
  const header = isJson ? null : csvHeaderOf(opening);
  const fields = header?.columns ?? Object.keys((isJson && firstItemOf(opening)) || {});
  return OWN_FIELDS.filter((name) => fields.includes(name)).length >= 2 ? { opening, header, fields } : null;
}

export const simpleAnalytics: Format = {
  name: NAME,
  recognize(openings, context) {
    const found = openings.flatMap((opening) => recognizedFile(opening) ?? []);
    const isComplete = ({ fields }: Recognized): boolean =>
      NEEDED.every((name) => fields.includes(name)) && (fields.includes("added_iso") || fields.includes("added_unix"));
    const [complete, incomplete] = [found.filter(isComplete), found.filter((file) => !isComplete(file))];
    const results: (Recognition | Refusal)[] = [];
    if (complete.length > 0) results.push(recognition(complete, context));
    if (incomplete.length > 0) {
      const advice = 'Export again with all fields: "added_iso", "path" and "is_unique" are needed, and "datapoint", if there are events.';
      results.push(refusal(incomplete, advice));
    }
    return results;
  },
};

function recognition(files: readonly Recognized[], context: ImportContext): Recognition {
  return {
    format: NAME,
    product: PRODUCT,
    generation: files.every(({ fields }) => fields.includes("datapoint")) ? "data points" : "page views",
    rows: "hits",
    files: files.map((file) => ({ path: file.opening.file.path, read: () => readPoints(file, context) })),
    ignored: [],
    timeZone: { name: "UTC", reason: "Times have an offset, or are in UTC." },
    lost: [
      "Regions and cities: Simple Analytics does not record them.",
      "Visitors beyond one visit: it marks the first view of each, and later views are attributed by browser, country and screen.",
    ],
  };
}

type Read = (name: string) => string;

/** `metadata.<key>_<type>`. */
const METADATA = /^metadata\.(.+)_(text|bool|int|date)$/;

function readPoints({ opening, header }: Recognized, context: ImportContext): AsyncGenerator<readonly Row[]> {
  const rowFrom = pointReader(context);
  if (header === null) return readJson(opening, (object, line) => [rowFrom(line, (name) => textIn(object, name), Object.keys(object))]);
  const columns = new Columns(header);
  const metadata = header.names.filter((name) => METADATA.test(name));
  return readCsv(opening, header, ({ line, fields }) => rowFrom(line, (name) => columns.value(fields, name.toLowerCase()), metadata));
}

function propsFrom(read: Read, names: readonly string[]): HitProps | null {
  const props: Record<string, string | number | boolean> = {};
  for (const name of names) {
    const [, key, type] = METADATA.exec(name) ?? [];
    const text = key === undefined ? null : orNull(read(name));
    if (key === undefined || text === null) continue;
    props[key] = type === "bool" ? isTrue(text) : type === "int" && Number.isFinite(Number(text)) ? Number(text) : text;
  }
  return Object.keys(props).length === 0 ? null : props;
}

const isTrue = (text: string): boolean => text === "1" || text.toLowerCase() === "true";

function timeOf(read: Read, nowMs: number): number | "bad_date" | "date_out_of_range" {
  const unix = Number(read("added_unix"));
  const parsed = read("added_iso") === "" && unix > 0 ? checkedMs(unix * 1000, nowMs) : parseTimestamp(read("added_iso"), nowMs);
  return typeof parsed === "number" || parsed === "date_out_of_range" ? parsed : "bad_date";
}

function pointReader({ nowMs }: ImportContext): (line: number, read: Read, names: readonly string[]) => Hit | BadRow | LeftOutRow {
  /** The last visitor with a browser, country and screen: sessions are no visitors, because most sites begin one with every page. */
  const visitors = new LruMap<string, string>({ max: IMPORT_VISITORS_REMEMBERED_MAX });
  return (line, read, names) => {
    const atMs = timeOf(read, nowMs);
    if (typeof atMs === "string") return badRow(line, atMs, read("added_iso") || read("added_unix"), "added_iso");
    if (read("path") === "") return badRow(line, "missing_value", "", "path");
    if (isTrue(read("is_robot"))) return { kind: "left out", line, reason: "bot" };
    const device = ["user_agent", "browser_name", "os_name", "country_code", "screen_width", "lang_language"].map(read).join("\n");
    if (isTrue(read("is_unique")) || visitors.get(device) === undefined) visitors.set(device, `${line}`);
    const query = orNull(read("query"));
    const seconds = Number(read("duration_seconds"));
    const point = read("datapoint");
    const width = orNull(read("screen_width")) ?? read("viewport_width");
    const uuid = orNull(read("uuid"));
    return {
      kind: "hit",
      line,
      atMs,
      visitor: `${visitors.get(device)}\n${device}`,
      // Their ids are not always unique.
      identity: uuid === null ? null : `${uuid} ${atMs} ${read("path")}`,
      name: point === "" || point === "pageview" ? PAGEVIEW : point,
      hostname: orNull(read("hostname_original")) ?? orNull(read("hostname")),
      path: pathFrom(read("path")) + (query === null ? "" : `?${query.replace(/^\?/, "")}`),
      referrer: referrerFrom(read("document_referrer")),
      ...(orNull(read("browser_name")) === null && orNull(read("user_agent")) !== null
        ? { userAgent: read("user_agent") }
        : { ...browserFrom(read("browser_name"), read("browser_version")), ...osFrom(read("os_name"), read("os_version")) }),
      deviceType: deviceTypeFrom(read("device_type")),
      screenWidth: screenWidthFrom(width),
      countryCode: countryFrom(read("country_code")),
      utmSource: orNull(read("utm_source")),
      utmMedium: orNull(read("utm_medium")),
      utmCampaign: orNull(read("utm_campaign")),
      utmContent: orNull(read("utm_content")),
      utmTerm: orNull(read("utm_term")),
      props: propsFrom(read, names),
      engagedSeconds: seconds > 0 && seconds <= ENGAGED_SECONDS_MAX ? Math.round(seconds) : null,
    };
  };
}
