/** Umami: `website_event.csv` of Umami Cloud with its `event_data.csv`, and the same columns as the result of a query. */
import { CLICK_IDS } from "../../../shared/click-ids.ts";
import { IMPORT_JOIN_BYTES, IMPORT_JOIN_GROUPS, IMPORT_JOIN_PASSES_MAX, PROPS_CHARS_MAX } from "../../base/config/limits.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import { Columns, type CsvHeader, csvHeaderOf, type CsvRow, csvRows, isBadRow } from "../files/csv-rows.ts";
import type { BadRow, Hit, LeftOutRow, Revenue, Row } from "../rows.ts";
import { type Format, type ImportContext, type Recognition, type Refusal, refusing } from "./format.ts";
import { type Opening, UnreadableFile } from "../files/file.ts";
import { badRow } from "../files/text.ts";
import {
  browserFrom,
  countryFrom,
  deviceTypeFrom,
  orNull,
  osFrom,
  parseTimestamp,
  pathFrom,
  revenueFrom,
  screenWidthFrom,
} from "./values.ts";

const NAME = "umami";
const PRODUCT = "Umami";

const refusal = refusing(NAME, PRODUCT);

/** Statements for self-hosted Umami, which has no export of events: psql writes the two files of Umami Cloud. */
export const UMAMI_STATEMENTS = `\\copy (SELECT e.website_id, e.session_id, e.visit_id, e.event_id, e.hostname, s.browser, s.os, s.device, s.screen, s.language, s.country, s.region, s.city, e.url_path, e.url_query, e.utm_source, e.utm_medium, e.utm_campaign, e.utm_content, e.utm_term, e.referrer_path, e.referrer_query, e.referrer_domain, e.gclid, e.fbclid, e.msclkid, e.ttclid, e.li_fat_id, e.twclid, e.event_type, e.event_name, e.tag, e.created_at FROM website_event e JOIN session s USING (session_id) WHERE e.website_id = '<id>') TO 'website_event.csv' CSV HEADER
\\copy (SELECT website_event_id AS event_id, data_key, string_value, number_value, date_value, data_type FROM event_data WHERE website_id = '<id>') TO 'event_data.csv' CSV HEADER`;

const ADVICE =
  "In Umami Cloud, open Settings, Data, Export, and give the ZIP that comes by mail. On an instance of your own, " +
  `run these two statements in psql, with the id of the website, and give both files:\n${UMAMI_STATEMENTS}`;

type Kind = "events" | "event data" | "session data" | "dateless";

function kindOf({ columns }: CsvHeader): Kind | null {
  const has = (...names: readonly string[]): boolean => names.every((name) => columns.includes(name));
  if (has("event_id", "data_key")) return "event data";
  if (has("session_id", "url_path", "created_at")) return "events";
  if (has("session_id", "data_key")) return "session data";
  return columns.join() === "x,y" || columns.join() === "x,y,z" ? "dateless" : null;
}

interface CsvFile {
  readonly opening: Opening;
  readonly header: CsvHeader;
}

export const umami: Format = {
  name: NAME,
  recognize(openings, context) {
    const files = openings.flatMap((opening) => {
      const header = csvHeaderOf(opening);
      const kind = header && kindOf(header);
      return header && kind ? [{ opening, header, kind }] : [];
    });
    const of = (kind: Kind) => files.filter((file) => file.kind === kind);
    const results: (Recognition | Refusal)[] = [];
    const [events, data, sessions, dateless] = [of("events"), of("event data"), of("session data"), of("dateless")];
    if (events.length > 0) results.push(recognition(events, data, sessions, context));
    else if (data.length + sessions.length > 0)
      results.push(refusal([...data, ...sessions], `The file website_event.csv is missing, to which these belong. ${ADVICE}`));
    if (dateless.length > 0) results.push(refusal(dateless, `The rows of these files have no dates. ${ADVICE}`));
    return results;
  },
};

function recognition(
  events: readonly CsvFile[],
  data: readonly CsvFile[],
  sessions: readonly CsvFile[],
  context: ImportContext,
): Recognition {
  return {
    format: NAME,
    product: PRODUCT,
    generation: events.some(({ header }) => header.columns.includes("hostname"))
      ? "events with host and campaign"
      : "events of an older version",
    rows: "hits",
    files: [
      ...events.map((file) => ({ path: file.opening.file.path, read: () => readEvents(file, data, context) })),
      // Its rows are read with the events; by itself, it has only those that cannot be read.
      ...data.map((file) => ({ path: file.opening.file.path, read: () => badRowsOf(file) })),
    ],
    ignored: sessions.map(({ opening }) => ({
      path: opening.file.path,
      reason: "Data that identifies visitors, which Sandpiper does not store.",
    })),
    timeZone: { name: "UTC", reason: "Umami writes times in UTC." },
    lost: [
      "Versions of browsers: Umami does not record them.",
      "Titles of pages, ids given to visitors, and measurements of speed.",
      ...(data.length === 0 ? ["Properties and revenue of events: the file event_data.csv is missing."] : []),
    ],
  };
}

async function* badRowsOf({ opening, header }: CsvFile): AsyncGenerator<readonly BadRow[]> {
  for await (const rows of csvRows(opening, header)) {
    const bad = rows.filter(isBadRow);
    if (bad.length > 0) yield bad;
  }
}

type Props = Record<string, string | number | boolean>;

/** One of `IMPORT_JOIN_GROUPS` groups, which divide ids of any spelling about equally. */
function groupOf(eventId: string): number {
  let hash = 0;
  for (let i = 0; i < eventId.length; i++) hash = (Math.imul(hash, 31) + eventId.charCodeAt(i)) | 0;
  return (hash >>> 0) % IMPORT_JOIN_GROUPS;
}

/** Bytes of an entry of a map with a short object, beside its texts. */
const ENTRY_BYTES = 200;

/**
 * Joins events with their data, which stand in another file in any order: group by group, as many groups in one pass as fit into memory. The
 * number of passes is bounded, and so the time is linear.
 */
async function* readEvents(events: CsvFile, data: readonly CsvFile[], context: ImportContext): AsyncGenerator<readonly Row[]> {
  const passes = data.length === 0 ? [IMPORT_JOIN_GROUPS] : await passesOver(data);
  let first = 0;
  for (const end of passes) {
    const has = (eventId: string): boolean => {
      const group = groupOf(eventId);
      return group >= first && group < end;
    };
    const joined = await propsOf(data, has);
    const rowFrom = hitReader(events.header, joined, context);
    const columns = new Columns(events.header);
    const [eventIdOf, siteOf] = [columns.reader("event_id"), columns.reader("website_id")];
    let site: string | null = null;
    for await (const rows of csvRows(events.opening, events.header)) {
      const firstRow = rows.find((row) => !isBadRow(row));
      if (firstRow && !isBadRow(firstRow)) site ??= siteOf(firstRow.fields);
      const ofPass = rows.filter((row) => (isBadRow(row) ? first === 0 : has(eventIdOf(row.fields))));
      if (ofPass.length > 0) yield ofPass.map((row) => (isBadRow(row) ? row : siteOf(row.fields) === site ? rowFrom(row) : otherSite(row)));
    }
    first = end;
  }
}

const otherSite = ({ line }: CsvRow): LeftOutRow => ({ kind: "left out", line, reason: "other_site" });

async function* dataRows(
  files: readonly CsvFile[],
): AsyncGenerator<{ readonly eventId: string; readonly key: string; readonly value: string | number | boolean }> {
  for (const { opening, header } of files) {
    const columns = new Columns(header);
    const [eventId, key, type] = [columns.reader("event_id"), columns.reader("data_key"), columns.reader("data_type")];
    const [text, number, date] = [columns.reader("string_value"), columns.reader("number_value"), columns.reader("date_value")];
    for await (const rows of csvRows(opening, header)) {
      for (const row of rows) {
        if (isBadRow(row) || key(row.fields) === "") continue;
        const { fields } = row;
        const value = valueOf(type(fields), orNull(text(fields)), orNull(number(fields)), orNull(date(fields)));
        if (value !== null) yield { eventId: eventId(fields), key: key(fields), value };
      }
    }
  }
}

/** Types of values of Umami. */
const [NUMBER, BOOLEAN] = ["2", "3"];

function valueOf(type: string, text: string | null, number: string | null, date: string | null): string | number | boolean | null {
  if (type === NUMBER) {
    const value = Number(number ?? text ?? Number.NaN);
    return Number.isFinite(value) ? value : text;
  }
  if (type === BOOLEAN && text !== null) return text === "true" || text === "1";
  return text ?? date ?? number;
}

const sizeOf = (key: string, value: string | number | boolean): number => 2 * (key.length + String(value).length) + ENTRY_BYTES;

/** The groups after the last one of each pass. */
async function passesOver(data: readonly CsvFile[]): Promise<number[]> {
  const bytes = new Float64Array(IMPORT_JOIN_GROUPS);
  for await (const { eventId, key, value } of dataRows(data)) {
    const group = groupOf(eventId);
    bytes[group] = (bytes[group] ?? 0) + sizeOf(key, value);
  }
  const ends: number[] = [];
  let sum = 0;
  for (const [group, size] of bytes.entries()) {
    if (sum > 0 && sum + size > IMPORT_JOIN_BYTES) {
      ends.push(group);
      sum = 0;
    }
    sum += size;
  }
  ends.push(IMPORT_JOIN_GROUPS);
  if (ends.length > IMPORT_JOIN_PASSES_MAX)
    throw new UnreadableFile(
      `${data[0]?.opening.file.path} is too large to be joined with its events: export shorter ranges, each with its event_data.csv.`,
    );
  return ends;
}

async function propsOf(data: readonly CsvFile[], has: (eventId: string) => boolean): Promise<ReadonlyMap<string, Props>> {
  const joined = new Map<string, Props>();
  const chars = new Map<string, number>();
  for await (const { eventId, key, value } of dataRows(data)) {
    if (!has(eventId)) continue;
    // More than own events may have is cut there, too: whole properties go.
    const size = (chars.get(eventId) ?? 0) + key.length + String(value).length;
    if (size > PROPS_CHARS_MAX) continue;
    chars.set(eventId, size);
    const props = joined.get(eventId);
    if (props) props[key] = value;
    else joined.set(eventId, { [key]: value });
  }
  return joined;
}

/** Names of the detector that Umami uses. */
const BROWSERS: Readonly<Record<string, string>> = {
  chrome: "Chrome",
  crios: "Chrome",
  edge: "Edge",
  "edge-chromium": "Edge",
  "edge-ios": "Edge",
  firefox: "Firefox",
  fxios: "Firefox",
  safari: "Safari",
  ios: "Safari",
  "ios-webview": "iOS WebView",
  "chromium-webview": "Android WebView",
  android: "Android Browser",
  samsung: "Samsung Internet",
  opera: "Opera",
  "opera-mini": "Opera Mini",
  facebook: "Facebook",
  instagram: "Instagram",
  yandexbrowser: "Yandex",
  miui: "MIUI Browser",
  silk: "Silk",
  ie: "Internet Explorer",
  brave: "Brave",
  vivaldi: "Vivaldi",
  kakaotalk: "KakaoTalk",
};

/** Umami has versions of Windows as systems: "Windows 10". */
function systemFrom(name: string): { readonly os: string | null; readonly osVersion: string | null } {
  const [, version] = /^Windows (.+)$/.exec(name) ?? [];
  if (version !== undefined && version !== "Mobile") return osFrom("Windows", version);
  return osFrom(name.replace(/^Android OS$/, "Android"), "");
}

const withoutWww = (host: string): string => host.toLowerCase().replace(/^www\./, "");

function urlFrom(path: string, query: string): string {
  const [, page = "", fragment = ""] = /^([^#]*)(.*)$/s.exec(pathFrom(path)) ?? [];
  return page + (query === "" ? "" : `?${query.replace(/^\?/, "")}`) + fragment;
}

/** The keys of `event_data` that hold an amount and its currency, as Umami's own reports find them. */
function revenueOf(props: Props): { readonly revenue: Revenue | null; readonly rest: Props } {
  const keys = Object.keys(props);
  const amountKey = keys.find((key) => /revenue/i.test(key) && typeof props[key] === "number");
  const currencyKey = keys.find((key) => /currency/i.test(key));
  const revenue = amountKey === undefined ? null : revenueFrom(decimalText(props[amountKey]), String(props[currencyKey ?? ""] ?? ""));
  if (revenue === null) return { revenue: null, rest: props };
  return {
    revenue,
    rest: Object.fromEntries(keys.filter((key) => key !== amountKey && key !== currencyKey).map((key) => [key, props[key] ?? ""])),
  };
}

/** The number without the exponent that JavaScript writes for large ones. */
const decimalText = (value: unknown): string => (Number.isInteger(value) ? BigInt(Number(value)).toString() : String(value));

/** Types of rows in Umami: page views, events, and what is neither. */
const TYPES = { pageview: "1", event: "2", link: "3", pixel: "4", performance: "5" };

function hitReader(
  header: CsvHeader,
  joined: ReadonlyMap<string, Props>,
  { nowMs, hostname: ownHost }: ImportContext,
): (row: CsvRow) => Hit | BadRow | LeftOutRow {
  const columns = new Columns(header);
  const read = (...names: readonly string[]) => columns.reader(...names);
  const [sessionId, eventId, createdAt] = [read("session_id"), read("event_id"), read("created_at")];
  const [hostname, path, query] = [read("hostname"), read("url_path"), read("url_query")];
  const [refHost, refPath, refQuery] = [read("referrer_domain"), read("referrer_path"), read("referrer_query")];
  const [browser, os, device, screen] = [read("browser"), read("os"), read("device"), read("screen")];
  const [country, region, city] = [read("country"), read("region", "subdivision1"), read("city")];
  const [utmSource, utmMedium, utmCampaign] = [read("utm_source"), read("utm_medium"), read("utm_campaign")];
  const [utmContent, utmTerm, tag] = [read("utm_content"), read("utm_term"), read("tag")];
  const [eventType, eventName] = [read("event_type"), read("event_name")];
  const clickIds = CLICK_IDS.filter((name) => columns.has(name.toLowerCase())).map((name) => [name, read(name.toLowerCase())] as const);

  function referrerOf(fields: readonly string[], host: string | null): string | null {
    const domain = orNull(refHost(fields).trim());
    if (domain === null || (host !== null && withoutWww(domain) === withoutWww(host))) return null;
    return `https://${domain.toLowerCase()}${urlFrom(orNull(refPath(fields)) ?? "/", orNull(refQuery(fields)) ?? "")}`;
  }

  return ({ line, fields }) => {
    const type = eventType(fields) || (orNull(eventName(fields)) === null ? TYPES.pageview : TYPES.event);
    const atMs = parseTimestamp(createdAt(fields), nowMs);
    if (typeof atMs === "string") return badRow(line, atMs, createdAt(fields), "created_at");
    if (type === TYPES.link || type === TYPES.pixel) return { kind: "left out", line, reason: "link" };
    if (type !== TYPES.pageview && type !== TYPES.event) return { kind: "left out", line, reason: "not_a_hit" };
    const name = type === TYPES.pageview ? PAGEVIEW : orNull(eventName(fields));
    if (name === null) return badRow(line, "missing_value", "", "event_name");
    const id = orNull(eventId(fields));
    const { revenue, rest } = revenueOf((id === null ? null : joined.get(id)) ?? {});
    const props = orNull(tag(fields)) === null ? rest : { ...rest, tag: tag(fields) };
    const host = orNull(hostname(fields));
    const browserKey = browser(fields);
    return {
      kind: "hit",
      line,
      atMs,
      visitor: orNull(sessionId(fields)),
      identity: id,
      name,
      hostname: host,
      path: urlFrom(path(fields), orNull(query(fields)) ?? ""),
      referrer: referrerOf(fields, host ?? ownHost),
      browser: browserFrom(BROWSERS[browserKey] ?? browserKey, "").browser,
      ...systemFrom(os(fields)),
      deviceType: deviceTypeFrom(device(fields)),
      screenWidth: screenWidthFrom(screen(fields)),
      countryCode: countryFrom(country(fields)),
      region: orNull(region(fields)),
      city: orNull(city(fields)),
      utmSource: orNull(utmSource(fields)),
      utmMedium: orNull(utmMedium(fields)),
      utmCampaign: orNull(utmCampaign(fields)),
      utmContent: orNull(utmContent(fields)),
      utmTerm: orNull(utmTerm(fields)),
      clickId: clickIds.find(([, value]) => orNull(value(fields)) !== null)?.[0] ?? null,
      props: Object.keys(props).length === 0 ? null : props,
      revenue,
    };
  };
}
