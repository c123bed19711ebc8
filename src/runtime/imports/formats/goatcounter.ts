/** GoatCounter: its CSV export of single page views, version 1 and 2, and its JSON archive of sums. */
import { PAGEVIEW } from "../../base/config/names.ts";
import { Columns, type CsvHeader, csvHeaderOf, type CsvRow, readCsv } from "../files/csv-rows.ts";
import type { BadRow, Hit, LeftOutRow } from "../rows.ts";
import { type Format, type ImportContext, type Recognition, type Refusal, refusing } from "./format.ts";
import type { Opening } from "../files/file.ts";
import { archivesIn } from "./goatcounter-archive.ts";
import { badRow } from "../files/text.ts";
import { browserFrom, countryFrom, orNull, osFrom, parseTimestamp, pathFrom, referrerFrom, screenWidthFrom } from "./values.ts";

const NAME = "goatcounter";
const PRODUCT = "GoatCounter";

const refusal = refusing(NAME, PRODUCT);

/** The version is in the name of the first column. */
const VERSIONED = /^(\d+)path$/;

const VERSIONS = ["1", "2"];

interface Recognized {
  readonly opening: Opening;
  readonly header: CsvHeader;
  readonly version: string;
}

function csvFileOf(opening: Opening): Recognized | null {
  const header = csvHeaderOf(opening);
  const version = header?.columns.map((name) => VERSIONED.exec(name)?.[1]).find((found) => found !== undefined);
  return header && version !== undefined ? { opening, header, version } : null;
}

const isWithoutRows = ({ opening }: Recognized): boolean => opening.isWhole && !/[\r\n][^\r\n]/.test(opening.text);

export const goatcounter: Format = {
  name: NAME,
  recognize(openings, context) {
    const found = openings.flatMap((opening) => csvFileOf(opening) ?? []);
    const empty = found.filter(isWithoutRows);
    const unknown = found.filter((file) => !isWithoutRows(file) && !VERSIONS.includes(file.version));
    const files = found.filter((file) => !isWithoutRows(file) && VERSIONS.includes(file.version));
    const results: (Recognition | Refusal)[] = [];
    if (files.length > 0) results.push(recognition(files, context));
    if (empty.length > 0) {
      const advice =
        'The export is empty, because GoatCounter does not store single page views by default. "Collect individual pageviews" in its ' +
        "settings stores them from then on. The JSON export has sums of the views of before.";
      results.push(refusal(empty, advice));
    }
    if (unknown.length > 0) results.push(refusal(unknown, `Version ${unknown[0]?.version} of the CSV is not known; versions 1 and 2 are.`));
    results.push(...archivesIn(openings, NAME, context));
    return results;
  },
};

function recognition(files: readonly Recognized[], context: ImportContext): Recognition {
  return {
    format: NAME,
    product: PRODUCT,
    generation: `CSV version ${[...new Set(files.map(({ version }) => version))].join(" and ")}`,
    rows: "hits",
    files: files.map(({ opening, header, version }) => ({
      path: opening.file.path,
      read: () => readCsv(opening, header, hitReader(header, version, context)),
    })),
    ignored: [],
    timeZone: { name: "UTC", reason: "GoatCounter writes times in UTC." },
    lost: [
      "Hosts: GoatCounter does not record them.",
      "Cities, and parameters of campaigns other than their name.",
      "GoatCounter shows one view per path and visit of eight hours; all views are imported, so there are more page views than it shows.",
    ],
  };
}

const isTrue = (text: string): boolean => text === "1" || text.toLowerCase() === "true";

/** "Chrome 86" or "macOS 10.15": the version is the last word if it begins with a digit. */
function nameAndVersion(text: string): readonly [name: string, version: string] {
  const [, name = text, version = ""] = /^(.*\S)\s+(\d\S*)$/.exec(text) ?? [];
  return [name, version];
}

/** What a referrer is, by its scheme: an address, a name that GoatCounter made of one, a campaign, or a text of other kind. */
function originFrom(referrer: string, scheme: string): Pick<Hit, "referrer" | "referrerSource" | "utmCampaign"> {
  const text = orNull(referrer);
  if (scheme === "g") return { referrerSource: text };
  if (scheme === "c") return { utmCampaign: text };
  return { referrer: text !== null && (scheme === "h" || text.includes("://")) ? referrerFrom(text) : null };
}

function hitReader(header: CsvHeader, version: string, { nowMs, hostname }: ImportContext): (row: CsvRow) => Hit | BadRow | LeftOutRow {
  const columns = new Columns(header);
  return ({ line, fields }) => {
    const read = (name: string): string => columns.value(fields, name);
    const atMs = parseTimestamp(read("date"), nowMs);
    if (typeof atMs === "string") return badRow(line, atMs, read("date"), "date");
    const path = read(`${version}path`);
    if (path === "") return badRow(line, "missing_value", "", "path");
    if (read("bot") !== "" && !/^(?:0|false)$/i.test(read("bot"))) return { kind: "left out", line, reason: "bot" };
    const isEvent = isTrue(read("event"));
    // Version 1 has the User-Agent in the column of the browser; version 2 has names, and the User-Agent in old exports.
    const userAgent = orNull(version === "1" ? read("browser") : read("useragent"));
    const names =
      version === "1" ? {} : { ...browserFrom(...nameAndVersion(read("browser"))), ...osFrom(...nameAndVersion(read("system"))) };
    const [country = "", region] = read("location").split("-", 2);
    return {
      kind: "hit",
      line,
      atMs,
      visitor: orNull(read("session")),
      name: isEvent ? path : PAGEVIEW,
      hostname,
      // The page of an event is not recorded.
      path: isEvent ? "/" : pathFrom(path),
      ...originFrom(read("referrer"), read("referrer scheme")),
      ...(userAgent === null ? names : { userAgent }),
      screenWidth: screenWidthFrom(read("screen size")),
      countryCode: countryFrom(country),
      region: region === undefined ? null : read("location"),
      props: orNull(read("title")) === null ? null : { title: read("title") },
    };
  };
}
