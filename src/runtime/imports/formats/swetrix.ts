/** Swetrix: dumps of its ClickHouse tables, `events` since May 2026 and `analytics` and `customEV` before. */
import { PAGEVIEW } from "../../base/config/names.ts";
import { arrayFrom, propsFrom } from "../files/clickhouse-values.ts";
import { Columns, type CsvHeader, csvHeaderOf, type CsvRow, readCsv } from "../files/csv-rows.ts";
import type { BadRow, Hit, LeftOutRow } from "../rows.ts";
import { type Format, type ImportContext, type Recognition, type Refusal, refusing } from "./format.ts";
import type { Opening } from "../files/file.ts";
import { badRow } from "../files/text.ts";
import { browserFrom, countryFrom, deviceTypeFrom, orNull, osFrom, parseTimestamp, pathFrom, referrerFrom } from "./values.ts";

const NAME = "swetrix";
const PRODUCT = "Swetrix";

const refusal = refusing(NAME, PRODUCT);

/** A statement for self-hosted Swetrix, which has no export of events. */
export const SWETRIX_STATEMENT = "SELECT * FROM events WHERE pid = '<id of the project>' FORMAT CSVWithNames";

interface Recognized {
  readonly opening: Opening;
  readonly header: CsvHeader;
}

function filesWith(openings: readonly Opening[], isOne: (columns: readonly string[]) => boolean): readonly Recognized[] {
  return openings.flatMap((opening) => {
    const header = csvHeaderOf(opening);
    return header && isOne(header.columns) ? [{ opening, header }] : [];
  });
}

export const swetrix: Format = {
  name: NAME,
  recognize(openings, context) {
    const dumps = filesWith(openings, (columns) => ["pid", "psid", "created"].every((name) => columns.includes(name)));
    const panels = filesWith(openings, (columns) => columns.join() === "name,value,percentage");
    const results: (Recognition | Refusal)[] = [];
    if (dumps.length > 0) results.push(recognition(dumps, context));
    if (panels.length > 0) {
      const advice = `The rows of these files have no dates. On the database of an instance of your own: ${SWETRIX_STATEMENT}`;
      results.push(refusal(panels, advice));
    }
    return results;
  },
};

function recognition(files: readonly Recognized[], context: ImportContext): Recognition {
  const isUnified = files.every(({ header }) => header.columns.includes("type"));
  return {
    format: NAME,
    product: PRODUCT,
    generation: isUnified ? "dump of events (since May 2026)" : "dump of analytics and customEV",
    rows: "hits",
    files: files.map(({ opening, header }) => ({
      path: opening.file.path,
      read: () => readCsv(opening, header, hitReader(header, context)),
    })),
    ignored: [],
    timeZone: { name: "UTC", reason: "ClickHouse writes times in UTC." },
    lost: ["Screen widths: Swetrix records types of devices.", "Revenue, errors and measurements of speed."],
  };
}

const EVENT_TYPES = ["pageview", "custom_event"];

function hitReader(header: CsvHeader, { nowMs, hostname }: ImportContext): (row: CsvRow) => Hit | BadRow | LeftOutRow {
  const columns = new Columns(header);
  const hasTypes = columns.has("type");
  let site: string | null = null;
  return ({ line, fields }) => {
    const read = (name: string): string => columns.value(fields, name);
    const text = (name: string): string | null => orNull(read(name));
    const atMs = parseTimestamp(read("created"), nowMs);
    if (typeof atMs === "string") return badRow(line, atMs, read("created"), "created");
    site ??= read("pid");
    if (read("pid") !== site) return { kind: "left out", line, reason: "other_site" };
    if (!/^0?$/.test(text("importid") ?? "")) return { kind: "left out", line, reason: "imported_there" };
    const eventName = text("event_name") ?? text("ev");
    const type = hasTypes ? read("type") : eventName === null ? "pageview" : "custom_event";
    if (!EVENT_TYPES.includes(type)) return { kind: "left out", line, reason: "not_a_hit" };
    if (type !== "pageview" && eventName === null) return badRow(line, "missing_value", "", "event_name");
    return {
      kind: "hit",
      line,
      atMs,
      visitor: text("psid"),
      name: type === "pageview" ? PAGEVIEW : (eventName ?? ""),
      hostname: text("host") ?? hostname,
      path: pathFrom(text("pg") ?? "/"),
      referrer: referrerFrom(read("ref")),
      ...browserFrom(read("br"), read("brv")),
      ...osFrom(read("os"), read("osv")),
      deviceType: deviceTypeFrom(read("dv")),
      countryCode: countryFrom(read("cc")),
      region: text("rg"),
      city: text("ct"),
      utmSource: text("so"),
      utmMedium: text("me"),
      utmCampaign: text("ca"),
      utmTerm: text("te"),
      utmContent: text("co"),
      props: propsFrom(arrayFrom(read("meta.key")), arrayFrom(read("meta.value"))),
    };
  };
}
