/** Matomo: visits with their actions as `Live.getLastVisitsDetails` returns them, in JSON, XML, or CSV with technical names. */
import { SaxesParser } from "saxes";
import { IMPORT_OBJECT_CHARS_MAX } from "../../base/config/limits.ts";
import { FILE_DOWNLOAD, OUTBOUND_CLICK, PAGEVIEW } from "../../base/config/names.ts";
import { type CsvHeader, csvHeaderOf, readCsvRows } from "../files/csv-rows.ts";
import { type Format, type ImportContext, type Recognition, type Refusal, refusing } from "./format.ts";
import type { Hit, HitProps, Revenue, Row } from "../rows.ts";
import { type Opening, UnreadableFile } from "../files/file.ts";
import { firstItemOf, isObject, type JsonObject, readJson, textIn } from "../files/json-items.ts";
import { badRow, textOfFile } from "../files/text.ts";
import { browserFrom, checkedMs, countryFrom, deviceTypeFrom, orNull, osFrom, revenueFrom, screenWidthFrom, urlParts } from "./values.ts";

const NAME = "matomo";
const PRODUCT = "Matomo";

const refusal = refusing(NAME, PRODUCT);

const ADVICE =
  "Give the answers of Matomo's API in JSON: index.php?module=API&method=Live.getLastVisitsDetails&idSite=<id>&period=range" +
  "&date=2024-01-01,2024-01-31&format=JSON&language=en&doNotFetchActions=0&filter_limit=5000&filter_offset=0, " +
  "with further offsets until an answer is empty, and for ranges that end before today.";

type Kind = "json" | "xml" | "csv" | "error" | "report";

interface Recognized {
  readonly opening: Opening;
  readonly kind: Kind;
  readonly header: CsvHeader | null;
}

/** Columns of reports, and those of visits with names for people. */
const REPORT_COLUMNS = ["nb_visits", "nb_uniq_visitors", "nb_actions", "visit id", "visitor id", "type (actiondetails 0)"];

function kindOf(opening: Opening): Recognized | null {
  const { text } = opening;
  const as = (kind: Kind, header: CsvHeader | null = null): Recognized => ({ opening, kind, header });
  const start = text.trimStart();
  if (start.startsWith("[") || start.startsWith("{")) {
    const item = firstItemOf(opening);
    const isVisit =
      item === null ? /"idVisit"\s*:/.test(text) && /"actionDetails"\s*:/.test(text) : "idVisit" in item && "actionDetails" in item;
    if (isVisit) return as("json");
    if (item === null) return null;
    if (item["result"] === "error" && typeof item["message"] === "string") return as("error");
    return "nb_visits" in item || "nb_uniq_visitors" in item ? as("report") : null;
  }
  if (start.startsWith("<")) {
    if (/<idVisit>/.test(text) && /<actionDetails\b/.test(text)) return as("xml");
    return /<result>[^]*<nb_(?:visits|uniq_visitors)>/.test(text) ? as("report") : null;
  }
  const header = csvHeaderOf(opening);
  if (header === null) return null;
  if (header.columns.includes("idvisit") && header.columns.some((name) => /^actiondetails_\d+_type$/.test(name))) return as("csv", header);
  return REPORT_COLUMNS.some((name) => header.columns.includes(name)) ? as("report") : null;
}

export const matomo: Format = {
  name: NAME,
  recognize(openings, context) {
    const found = openings.flatMap((opening) => kindOf(opening) ?? []);
    const visits = found.filter(({ kind }) => kind === "json" || kind === "xml" || kind === "csv");
    const errors = found.filter(({ kind }) => kind === "error");
    const reports = found.filter(({ kind }) => kind === "report");
    const results: (Recognition | Refusal)[] = [];
    if (visits.length > 0) results.push(recognition(visits, context));
    if (errors.length > 0) results.push(refusal(errors, `Matomo answered with an error: ${messageOf(errors)}. ${ADVICE}`));
    if (reports.length > 0)
      results.push(
        refusal(reports, `These are reports, or visits with translated names of columns, and not visits with their actions. ${ADVICE}`),
      );
    return results;
  },
};

const messageOf = ([first]: readonly Recognized[]): string => textIn((first && firstItemOf(first.opening)) ?? {}, "message").slice(0, 200);

function recognition(files: readonly Recognized[], context: ImportContext): Recognition {
  return {
    format: NAME,
    product: PRODUCT,
    generation: `visits of Live.getLastVisitsDetails (${[...new Set(files.map(({ kind }) => kind.toUpperCase()))].join(", ")})`,
    rows: "hits",
    files: files.map((file) => ({ path: file.opening.file.path, read: () => readVisits(file, context) })),
    ignored: [],
    timeZone: { name: "UTC", reason: "Actions are in the time of the site; the beginning of their visit tells how far that is from UTC." },
    lost: [
      "User ids, IP addresses, fingerprints and custom variables, which identify visitors.",
      "Goals, abandoned carts and content: Matomo makes them of page views and events.",
      "Titles of pages.",
      "Actions beyond the first 500 of a visit, and visits older than Matomo keeps them.",
    ],
  };
}

function readVisits({ opening, kind, header }: Recognized, context: ImportContext): AsyncGenerator<readonly Row[]> {
  const rowsFrom = (visit: JsonObject, line: number): readonly Row[] => rowsOfVisit(visit, line, context);
  if (kind === "xml") return readXml(opening, rowsFrom);
  if (header === null) return readJson(opening, rowsFrom);
  const visitFrom = csvVisitReader(header);
  return readCsvRows(opening, header, ({ line, fields }) => rowsFrom(visitFrom(fields), line));
}

/** An apostrophe guards spreadsheets against values that look like formulas. */
const GUARD = /^'(?=[=+\-@])/;

/** CSV has the actions of a visit side by side: `actionDetails_0_type`, `actionDetails_0_url`, and so on. */
function csvVisitReader({ columns }: CsvHeader): (fields: readonly string[]) => JsonObject {
  const targets = columns.map((column) => {
    const [, index, name = ""] = /^actiondetails_(\d{1,4})_(.+)$/.exec(column) ?? [];
    return index === undefined
      ? { action: null, name: NAMES.get(column) ?? column }
      : { action: Number(index), name: NAMES.get(name) ?? name };
  });
  return (fields) => {
    const visit: Record<string, unknown> = {};
    const actions: Record<string, unknown>[] = [];
    for (const [i, { action, name }] of targets.entries()) {
      const value = (fields[i] ?? "").replace(GUARD, "");
      if (value === "") continue;
      if (action === null) visit[name] = value;
      else (actions[action] ??= {})[name] = value;
    }
    visit["actionDetails"] = actions.filter((action) => action !== undefined);
    return visit;
  };
}

/** Names by their spelling in lower case, in which headers are compared. */
const NAMES: ReadonlyMap<string, string> = new Map(
  [
    ...["idSite", "idVisit", "visitorId", "firstActionTimestamp", "lastActionTimestamp", "referrerType", "referrerName", "referrerUrl"],
    ...["referrerKeyword", "campaignName", "campaignSource", "campaignMedium", "campaignContent", "campaignKeyword", "countryCode"],
    ...["browserName", "browserVersion", "operatingSystemName", "operatingSystemVersion", "deviceType", "siteCurrency"],
    ...["eventCategory", "eventAction", "eventName", "eventValue", "siteSearchKeyword", "orderId"],
  ].map((name) => [name.toLowerCase(), name]),
);

/** The rows of `<result>` as objects, with texts for all values. */
async function* readXml(opening: Opening, rowsFrom: (visit: JsonObject, line: number) => readonly Row[]): AsyncGenerator<readonly Row[]> {
  const parser = new SaxesParser();
  let rows: Row[] = [];
  /** The open elements below `<result>`, of which the first is a visit. */
  const open: { readonly name: string; readonly object: Record<string, unknown>; readonly items: unknown[]; text: string }[] = [];
  let [depth, line, chars] = [0, 1, 0];
  const addText = (text: string): void => {
    const element = open.at(-1);
    if (element) element.text += text;
  };
  parser.on("opentag", ({ name }) => {
    if (++depth === 2) [line, chars] = [parser.line, 0];
    if (depth >= 2) open.push({ name, object: {}, items: [], text: "" });
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    depth--;
    const element = open.pop();
    if (element === undefined) return;
    const { name, object, items, text } = element;
    const value = items.length > 0 ? items : Object.keys(object).length > 0 ? object : text.trim();
    const parent = open.at(-1);
    if (!parent) rows.push(...rowsFrom(object, line));
    else if (name === "row") parent.items.push(value);
    else parent.object[name] = value;
  });
  const fail = (cause?: Error): never => {
    throw new UnreadableFile(`${opening.file.path} is not valid XML from line ${line} on.`, { cause });
  };
  parser.on("error", fail);
  for await (const text of textOfFile(opening)) {
    for (let at = 0; at < text.length; at += XML_PIECE_CHARS) {
      const piece = text.slice(at, at + XML_PIECE_CHARS);
      chars += piece.length;
      if (chars > IMPORT_OBJECT_CHARS_MAX) fail();
      parser.write(piece);
    }
    if (rows.length > 0) yield rows;
    rows = [];
  }
  parser.close();
}

/** Small against the largest visit, whose size is checked between pieces. */
const XML_PIECE_CHARS = 65_536;

const QUARTER_SECS = 900;

const secondsIn = (object: JsonObject, name: string): number => Number(textIn(object, name) || Number.NaN);

/**
 * Seconds by which the times of a visit's actions differ from UTC: `timestamp` is in the time of the site, `firstActionTimestamp` in UTC
 * (https://github.com/matomo-org/matomo/issues/22720). Per visit, because of daylight saving time.
 */
function offsetSecsOf(visit: JsonObject, actions: readonly JsonObject[]): number {
  const times = actions.map((action) => secondsIn(action, "timestamp")).filter((time) => time > 0);
  const difference =
    times.length === 0 ? Number.NaN : times.reduce((first, time) => Math.min(first, time)) - secondsIn(visit, "firstActionTimestamp");
  return Math.round(difference / QUARTER_SECS) * QUARTER_SECS;
}

/** Words for values that are not known. */
const known = (text: string): string | null => (/^(?:unknown|false|xx|0)?$/i.test(text) ? null : orNull(text));

function rowsOfVisit(visit: JsonObject, line: number, { nowMs }: ImportContext): Row[] {
  const details = visit["actionDetails"];
  const actions = Array.isArray(details) ? details.filter(isObject) : [];
  if (actions.length === 0) return [{ kind: "left out", line, reason: "not_a_hit" }];
  const offsetSecs = offsetSecsOf(visit, actions);
  if (Number.isNaN(offsetSecs)) return [badRow(line, "missing_value", textIn(visit, "idVisit"), "firstActionTimestamp")];
  const shared = sharedFields(visit);
  const visitKey = `${textIn(visit, "idSite")}/${textIn(visit, "idVisit")}`;
  const visitor = known(textIn(visit, "visitorId")) ?? visitKey;
  const currency = textIn(visit, "siteCurrency");
  let page: { readonly hostname: string | null; readonly path: string } | null = null;
  let isFirst = true;
  return actions.map((action, i): Row => {
    const kind = kindOfAction(action, currency);
    if (kind === null) return { kind: "left out", line, reason: "not_a_hit" };
    const atMs = checkedMs((secondsIn(action, "timestamp") - offsetSecs) * 1000, nowMs);
    if (typeof atMs === "string") return badRow(line, atMs, textIn(action, "timestamp"), "timestamp");
    const url = textIn(action, "url");
    if (kind.isPage) page = urlParts(url) ?? page;
    const at = kind.isPage ? page : (page ?? urlParts(url));
    if (at === null) return badRow(line, "missing_value", url, "url");
    const arrival = isFirst ? shared.arrival : {};
    isFirst = false;
    const { name, props, revenue } = kind;
    return { kind: "hit", line, atMs, visitor, identity: `${visitKey}/${i}`, name, ...at, ...shared.visit, ...arrival, props, revenue };
  });
}

interface ActionKind {
  readonly name: string;
  /** The action's URL is that of the page it happened on. */
  readonly isPage: boolean;
  readonly props: HitProps | null;
  readonly revenue: Revenue | null;
}

/** null for what Matomo makes of other actions. */
function kindOfAction(action: JsonObject, currency: string): ActionKind | null {
  const read = (name: string): string => textIn(action, name);
  const filled = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => known(value) !== null));
  switch (read("type")) {
    case "action":
      return { name: PAGEVIEW, isPage: true, props: null, revenue: null };
    case "event": {
      const [category, name] = [read("eventCategory"), read("eventAction")];
      const props = filled({ category, action: name, name: read("eventName"), value: read("eventValue") });
      return { name: `${category}/${name}`, isPage: true, props, revenue: null };
    }
    case "search":
      return { name: "search", isPage: true, props: filled({ keyword: read("siteSearchKeyword") }), revenue: null };
    case "outlink":
      return { name: OUTBOUND_CLICK, isPage: false, props: filled({ url: read("url") }), revenue: null };
    case "download":
      return { name: FILE_DOWNLOAD, isPage: false, props: filled({ url: read("url") }), revenue: null };
    case "ecommerceOrder":
      return {
        name: "order",
        isPage: false,
        props: filled({ order_id: read("orderId") }),
        revenue: revenueFrom(read("revenue"), currency),
      };
    default:
      return null;
  }
}

function sharedFields(visit: JsonObject): { readonly visit: Partial<Hit>; readonly arrival: Partial<Hit> } {
  const read = (name: string): string | null => known(textIn(visit, name));
  const isCampaign = read("referrerType") === "campaign";
  return {
    visit: {
      ...browserFrom(read("browserName") ?? "", read("browserVersion") ?? ""),
      ...osFrom(read("operatingSystemName") ?? "", read("operatingSystemVersion") ?? ""),
      deviceType: deviceTypeFrom(read("deviceType") ?? ""),
      screenWidth: screenWidthFrom(read("resolution") ?? ""),
      countryCode: countryFrom(read("countryCode") ?? ""),
      region: read("region"),
      city: read("city"),
    },
    arrival: {
      referrer: read("referrerUrl"),
      referrerSource: read("referrerType") === "direct" || isCampaign ? null : read("referrerName"),
      // Matomo takes the parameters out of URLs.
      utmSource: read("campaignSource"),
      utmMedium: read("campaignMedium"),
      utmCampaign: read("campaignName") ?? (isCampaign ? read("referrerName") : null),
      utmContent: read("campaignContent"),
      utmTerm: read("campaignKeyword") ?? (isCampaign ? read("referrerKeyword") : null),
    },
  };
}
