/** Our own events, also of other instances: raw exports as CSV and JSON, and Parquet files as a data folder has them. */
import type { StoredEvent } from "../../../storage/event.ts";
import { PRODUCT_NAME } from "../../../shared/names.ts";
import { parseEvidence } from "../../ingest/evidence.ts";
import { Columns, type CsvHeader, csvHeaderOf, csvRows, isBadRow } from "../files/csv-rows.ts";
import type { BadRow, Hit, LeftOutRow, Row } from "../rows.ts";
import type { Format, Recognition } from "./format.ts";
import type { Opening } from "../files/file.ts";
import { firstItemOf, isObject, type JsonObject, jsonItems, textIn } from "../files/json-items.ts";
import { openParquet, parquetColumnsOf, type ParquetRow } from "../files/parquet.ts";
import { badRow } from "../files/text.ts";
import { parseTimestamp, revenueFrom } from "./values.ts";

const NAME = "sandpiper";

/** Every raw export has these columns. */
const REQUIRED = ["event_name", "pathname", "timestamp", "referrer_source"];

type Read = (name: string) => string;

/** An event as it stands in the file: its values as text, "" for none. */
interface RawEvent {
  readonly line: number;
  readonly read: Read;
  readonly props: string | null;
}

type RawRow = RawEvent | BadRow;

interface Recognized {
  readonly path: string;
  readonly columns: readonly string[];
  readonly read: () => AsyncIterable<readonly RawRow[]>;
}

async function recognizedFile(opening: Opening): Promise<Recognized | null> {
  const file = (await parquetFile(opening)) ?? (/^\s*[[{]/.test(opening.text) ? jsonFile(opening) : csvFile(opening, csvHeaderOf(opening)));
  return file !== null && REQUIRED.every((name) => file.columns.includes(name)) ? file : null;
}

const csvFile = (opening: Opening, header: CsvHeader | null): Recognized | null =>
  header && { path: opening.file.path, columns: header.columns, read: () => readCsvEvents(opening, header) };

function jsonFile(opening: Opening): Recognized | null {
  const item = firstItemOf(opening);
  return item && { path: opening.file.path, columns: Object.keys(item), read: () => readJsonEvents(opening) };
}

async function parquetFile(opening: Opening): Promise<Recognized | null> {
  const columns = await parquetColumnsOf(opening);
  return columns && { path: opening.file.path, columns, read: () => readParquetEvents(opening) };
}

async function* readCsvEvents(opening: Opening, header: CsvHeader): AsyncGenerator<readonly RawRow[]> {
  const columns = new Columns(header);
  for await (const rows of csvRows(opening, header))
    yield rows.map((row): RawRow => {
      if (isBadRow(row)) return row;
      const { line, fields } = row;
      return { line, read: (name) => columns.value(fields, name).replace(GUARD, ""), props: columns.value(fields, "props") || null };
    });
}

async function* readJsonEvents(opening: Opening): AsyncGenerator<readonly RawRow[]> {
  for await (const items of jsonItems(opening))
    yield items.map((item): RawRow =>
      "object" in item ? { line: item.line, read: (name) => textIn(item.object, name), props: propsIn(item.object) } : item,
    );
}

async function* readParquetEvents(opening: Opening): AsyncGenerator<readonly RawRow[]> {
  const { columns, read } = await openParquet(opening.file);
  let line = 0;
  for await (const rows of read(columns))
    yield rows.map((row): RawRow => ({ line: ++line, read: (name) => textOf(row, name), props: textOf(row, "props") || null }));
}

function textOf(row: ParquetRow, name: string): string {
  const value = row[name];
  if (value === null || value === undefined) return "";
  return value instanceof Date ? value.toISOString() : String(value as string | number | bigint);
}

export const ownEvents: Format = {
  name: NAME,
  async recognize(openings, { siteId, nowMs }) {
    const files: (Recognized & { readonly site: string })[] = [];
    for (const opening of openings) {
      const file = await recognizedFile(opening);
      if (file) files.push({ ...file, site: await siteOf(file) });
    }
    const site = files.some((file) => file.site === siteId) ? siteId : files[0]?.site;
    return site === undefined ? [] : [recognition(files, site, nowMs)];
  },
};

/** "" for a file without events. */
async function siteOf({ read }: Recognized): Promise<string> {
  for await (const rows of read()) {
    const event = rows.find((row) => "read" in row);
    if (event) return event.read("site_id");
  }
  return "";
}

/** A folder may have the events of several sites. */
function recognition(files: readonly (Recognized & { readonly site: string })[], site: string, nowMs: number): Recognition {
  const ofSite = files.filter((file) => file.site === site);
  const hasVisitors = ofSite.every(({ columns }) => columns.includes("visitor_id"));
  return {
    format: NAME,
    product: PRODUCT_NAME,
    generation: "events",
    rows: "hits",
    files: ofSite.map(({ path, read }) => ({ path, read: () => readEvents(read(), site, nowMs) })),
    ignored: files
      .filter((file) => file.site !== site)
      .map(({ path, site: other }) => ({
        path,
        reason: other === "" ? "Has no event." : `Has events of ${other}: import them into that site.`,
      })),
    timeZone: { name: "UTC", reason: "Times are in UTC." },
    lost: hasVisitors ? [] : ["Visitors: raw exports have no visitor ids, so nobody can tell which events belong to one visit."],
  };
}

async function* readEvents(rows: AsyncIterable<readonly RawRow[]>, site: string, nowMs: number): AsyncGenerator<readonly Row[]> {
  for await (const batch of rows) yield batch.map((row) => ("read" in row ? rowFrom(row, site, nowMs) : row));
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

function rowFrom({ line, read, props }: RawEvent, site: string, nowMs: number): Hit | BadRow | LeftOutRow {
  const time = read("timestamp");
  const atMs = parseTimestamp(time, nowMs);
  if (typeof atMs === "string") return badRow(line, atMs, time, "timestamp");
  const [name, path] = [read("event_name"), read("pathname")];
  if (name === "") return badRow(line, "missing_value", "", "event_name");
  if (!path.startsWith("/")) return badRow(line, "missing_value", path, "pathname");
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
    evidence: parseEvidence(read("evidence")),
  };
}
