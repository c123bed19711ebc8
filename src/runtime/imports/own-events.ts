/** Our own raw export (docs/http-api.md, "Export"): CSV, JSON and JSON lines, also of other instances. */
import type { StoredEvent } from "../../storage/event.ts";
import { PRODUCT_NAME } from "../../shared/names.ts";
import { Columns, type CsvHeader, csvHeaderOf, readCsv } from "./csv-rows.ts";
import type { BadRow, Format, Hit, ImportContext, LeftOutRow, Opening, Recognition, Row } from "./format.ts";
import { firstItemOf, isObject, type JsonObject, readJson, textIn } from "./json-items.ts";
import { badRow } from "./text.ts";
import { parseTimestamp, revenueFrom } from "./values.ts";

const NAME = "sandpiper";

/** Every raw export has these columns. */
const REQUIRED = ["event_name", "pathname", "timestamp", "referrer_source"];

interface Recognized {
  readonly opening: Opening;
  /** null for JSON. */
  readonly header: CsvHeader | null;
  readonly columns: readonly string[];
}

function recognizedFile(opening: Opening): Recognized | null {
  const isJson = /^\s*[[{]/.test(opening.text);
  const header = isJson ? null : csvHeaderOf(opening);
  const item = isJson ? firstItemOf(opening) : null;
  const columns = header?.columns ?? (item ? Object.keys(item) : []);
  return REQUIRED.every((name) => columns.includes(name)) ? { opening, header, columns } : null;
}

export const ownEvents: Format = {
  name: NAME,
  recognize(openings, context) {
    const files = openings.flatMap((opening) => recognizedFile(opening) ?? []);
    return files.length === 0 ? [] : [recognition(files, context)];
  },
};

function recognition(files: readonly Recognized[], context: ImportContext): Recognition {
  const hasVisitors = files.every(({ columns }) => columns.includes("visitor_id"));
  return {
    format: NAME,
    product: PRODUCT_NAME,
    generation: "raw export",
    rows: "hits",
    files: files.map((file) => ({ path: file.opening.file.path, read: () => readEvents(file, context) })),
    ignored: [],
    timeZone: { name: "UTC", reason: "Times are in UTC." },
    lost: hasVisitors ? [] : ["Visitors: raw exports have no visitor ids, so nobody can tell which events belong to one visit."],
  };
}

type Read = (name: string) => string;

function readEvents({ opening, header }: Recognized, context: ImportContext): AsyncGenerator<readonly Row[]> {
  const rowFrom = eventReader(context);
  if (header === null) {
    return readJson(opening, (object, line) => [rowFrom(line, (name) => textIn(object, name), propsIn(object))]);
  }
  const columns = new Columns(header);
  return readCsv(opening, header, ({ line, fields }) => {
    const read: Read = (name) => columns.value(fields, name).replace(GUARD, "");
    return rowFrom(line, read, columns.value(fields, "props") || null);
  });
}

/** Exports put an apostrophe in front of what a spreadsheet would read as a formula. */
const GUARD = /^'(?=[=+\-@\t\r])/;

function propsIn(object: JsonObject): string | null {
  const props = object["props"];
  return typeof props === "string" ? props : isObject(props) ? JSON.stringify(props) : null;
}

type FieldOfText = {
  readonly [Field in keyof StoredEvent & keyof Hit]: string;
};

/** Fields of a hit by the column that holds them as they were stored. */
const TEXTS: Readonly<Partial<FieldOfText>> = {
  hostname: "hostname",
  referrer: "referrer",
  referrerSource: "referrer_source",
  countryCode: "country_code",
  region: "region",
  city: "city",
  browser: "browser",
  browserVersion: "browser_version",
  os: "os",
  osVersion: "os_version",
  deviceType: "device_type",
  utmSource: "utm_source",
  utmMedium: "utm_medium",
  utmCampaign: "utm_campaign",
  utmContent: "utm_content",
  utmTerm: "utm_term",
  clickId: "click_id",
};

function eventReader({ nowMs }: ImportContext): (line: number, read: Read, props: string | null) => Hit | BadRow | LeftOutRow {
  let site: string | null = null;
  return (line, read, props) => {
    const time = read("timestamp");
    const atMs = parseTimestamp(time, nowMs);
    if (typeof atMs === "string") return badRow(line, atMs, time, "timestamp");
    const [name, path] = [read("event_name"), read("pathname")];
    if (name === "") return badRow(line, "missing_value", "", "event_name");
    if (!path.startsWith("/")) return badRow(line, "missing_value", path, "pathname");
    site ??= read("site_id");
    if (read("site_id") !== site) return { kind: "left out", line, reason: "other_site" };
    const texts = Object.fromEntries(Object.entries(TEXTS).map(([field, column]) => [field, read(column) || null]));
    return {
      kind: "hit",
      line,
      atMs,
      visitor: read("visitor_id") || null,
      name,
      path,
      ...texts,
      screenWidth: Number(read("screen_size")) || null,
      props,
      revenue: revenueFrom(read("revenue_amount"), read("currency")),
      engagedSeconds: read("engaged_seconds") === "" ? null : Number(read("engaged_seconds")),
      interactive: read("interactive") !== "0",
    };
  };
}
