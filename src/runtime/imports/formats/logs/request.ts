/** Which requests of a server log are page views (docs/importing.md, "Web server logs"). */
import { aiCrawlerIn } from "../../../bots/ai-crawlers.ts";
import type { EpochMs } from "../../../../storage/event.ts";
import { USER_AGENT_CHARS_MAX, USER_AGENTS_CACHED_MAX } from "../../../base/config/limits.ts";
import { PAGEVIEW } from "../../../base/config/names.ts";
import { LruMap } from "../../../../storage/lru-map.ts";
import { createUserAgentCache } from "../../../ingest/device.ts";
import { isPrivateAddress } from "../../../ingest/geo.ts";
import type { Hit, LeftOutReason, Row } from "../../rows.ts";
import type { ImportContext } from "../format.ts";
import { badRow } from "../../files/text.ts";
import { checkedMs } from "../values.ts";

/** A line of a log, taken apart and decoded. Texts may be "-", which servers write where they have no value. */
export interface LoggedRequest {
  /** NaN if it cannot be read. */
  readonly atMs: EpochMs;
  /** An address, a host name, or a list of those that proxies have forwarded. */
  readonly client: string;
  /**
   * The address of the server's own connection. Absent if `client` is that, as far as the format tells; null if a client may have written
   * what seems to be it.
   */
  readonly connection?: string | null | undefined;
  readonly forwardedFor?: string | undefined;
  /** Absent if the format does not record it, "" or "-" if the client sent none. */
  readonly userAgent?: string | undefined;
  /** "" where the line is about no request. */
  readonly method: string;
  /** Path and query, or a whole URL. */
  readonly target: string;
  /** May have a port. */
  readonly host?: string | undefined;
  readonly status: number;
  readonly referrer?: string | undefined;
  /** Media type of the response. */
  readonly contentType?: string | undefined;
  /** `Sec-Purpose` and the headers before it that say why a page is loaded. */
  readonly purpose?: string | undefined;
  /** Unique for each request. */
  readonly identity?: string | undefined;
}

/** Files that pages consist of or link to, by the end of their names. */
const STATIC_FILES = new Set(
  (
    "css js mjs cjs map json jsonld geojson xml xsl xsd rss atom txt ico cur png jpg jpeg jpe jfif gif svg svgz webp avif bmp tif tiff heic apng " +
    "psd eps woff woff2 ttf otf eot mp3 mp4 m4a m4v aac opus webm ogg oga ogv wav flac mid avi mov mkv flv wmv mpg mpeg 3gp m3u m3u8 ts mpd " +
    "vtt srt zip gz tgz tar bz2 xz zst 7z rar dmg pkg exe msi deb rpm apk ipa jar war iso img bin cab pdf ps doc docx docm xls xlsx xlsm ppt " +
    "pptx odt ods odp rtf csv tsv epub mobi azw3 swf class wasm webmanifest manifest appcache crx xpi ics vcf gpx kml kmz torrent sig asc md5 " +
    "sha1 sha256 sha512 dat log yml yaml toml ini conf cfg env bak old orig swp sql sqlite db pem key crt scss less sass tsx jsx vue parquet"
  ).split(" "),
);

/** The letters after the last dot of the last segment. */
const EXTENSION = /\.([a-z\d]{1,12})$/i;

const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)/i;

/** What a page is loaded for before anybody sees it. */
const AHEAD = /prefetch|prerender|preview/i;

function isStaticFile(path: string): boolean {
  const end = path.search(/[?#;]/);
  const name = end === -1 ? path : path.slice(0, end);
  const [, extension = ""] = EXTENSION.exec(name.slice(-16)) ?? [];
  return STATIC_FILES.has(extension.toLowerCase()) || name.startsWith("/.well-known/");
}

const isRecorded = (text: string | undefined): text is string => text !== undefined && text !== "-" && text !== "";

/** An address with a port, in brackets, with a zone, or as a link of Markdown, which copied logs have. */
const DECORATED = /^(?:\[([^\]]+)\](?::\d+|\([^)]*\))?|(\d+(?:\.\d+){3}):\d+|([^%]+)%.*)$/;

function plainAddress(text: string): string {
  const [, bracketed, withPort, zoned] = DECORATED.exec(text) ?? [];
  return bracketed ?? withPort ?? zoned ?? text;
}

const NO_ADDRESS = new Set(["", "-", "unknown", "unix:"]);

const addressesIn = (list: string): string[] =>
  list
    .split(/[\s,"]+/)
    .map(plainAddress)
    .filter((address) => !NO_ADDRESS.has(address));

const IP_ADDRESS = /^(?:\d+(?:\.\d+){3}|[\da-f]*:[\da-f:.]+)$/i;

/** The first public one: proxies write the client first, and their own networks' addresses before and after it. */
function clientOf(client: string, forwardedFor: string | undefined): string | null {
  if (/^[\d.]+$/.test(client) && !isPrivateAddress(client)) return client;
  const addresses = addressesIn(client);
  const isPublic = (address: string): boolean => !isPrivateAddress(address) && IP_ADDRESS.test(address);
  const forwarded = isRecorded(forwardedFor) ? addressesIn(forwardedFor) : [];
  return addresses.find(isPublic) ?? forwarded.find(isPublic) ?? addresses[0] ?? forwarded[0] ?? null;
}

/** The address of the connection; null if it does not stand alone, be it beside "unknown": what a client has forwarded is its own word. */
function connectedFrom({ client, connection = client }: LoggedRequest): string | null {
  const [text = "", ...more] = connection?.split(/[\s,"]+/).filter((part) => part !== "") ?? [];
  const address = plainAddress(text);
  return more.length === 0 && IP_ADDRESS.test(address) ? address : null;
}

/** Host and path of a whole URL, which proxies and load balancers log. */
const WHOLE_URL = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)(.*)$/is;

interface Target {
  readonly host: string | undefined;
  readonly path: string;
}

function targetOf({ target, host }: LoggedRequest): Target {
  if (target.startsWith("/")) return { host, path: target };
  const [, hostOfUrl, path = ""] = WHOLE_URL.exec(target) ?? [];
  if (hostOfUrl === undefined) return { host, path: "" };
  return { host: isRecorded(host) ? host : hostOfUrl.replace(/^.*@/, ""), path: path.startsWith("/") ? path : `/${path}` };
}

const PORT = /:\d*$/;

/** A copy of its own: a part of a larger text keeps all of that in memory, and User-Agents are remembered. */
const detached = (text: string): string => ` ${text}`.slice(1);

const METHOD = /^[A-Z]{3,20}$/;

/** Makes rows of requests. Remembers User-Agents, as ingestion does. */
export function createRequestReader({ hostname, nowMs }: Pick<ImportContext, "hostname" | "nowMs">) {
  const userAgents = createUserAgentCache();
  const crawlers = new LruMap<string, string | null>({ max: USER_AGENTS_CACHED_MAX });

  function crawlerOf(userAgent: string): string | null {
    const known = crawlers.get(userAgent);
    if (known !== undefined) return known;
    const crawler = aiCrawlerIn(userAgent.slice(0, USER_AGENT_CHARS_MAX));
    if (userAgent.length <= USER_AGENT_CHARS_MAX) crawlers.set(userAgent, crawler);
    return crawler;
  }

  function reasonToLeaveOut({ method, status, userAgent, contentType, purpose }: LoggedRequest, path: string): LeftOutReason | null {
    if (method !== "GET") return "method";
    if (status >= 300 && status < 400 && status !== 304) return "redirect";
    if (status !== 304 && (status < 200 || status > 299)) return "error";
    if (isStaticFile(path) || (isRecorded(contentType) && !HTML.test(contentType))) return "static_file";
    if (userAgent !== undefined) {
      if (!isRecorded(userAgent)) return "no_user_agent";
      if (userAgents.isBot(userAgent)) return "bot";
    }
    return isRecorded(purpose) && AHEAD.test(purpose) ? "prefetch" : null;
  }

  function hitOf(request: LoggedRequest, { host, path }: Target, line: number): Hit {
    const { atMs, userAgent, referrer, identity } = request;
    const client = clientOf(request.client, request.forwardedFor);
    const hit: Hit = {
      kind: "hit",
      line,
      atMs,
      visitor: client === null ? null : `${client}|${userAgent ?? ""}`,
      clientAddress: client !== null && IP_ADDRESS.test(client) ? client : null,
      name: PAGEVIEW,
      hostname: isRecorded(host) ? host.replace(PORT, "") : hostname,
      path,
      referrer: isRecorded(referrer) ? (referrer.includes("://") ? referrer : `https://${referrer}`) : null,
      userAgent: userAgent ?? null,
    };
    return isRecorded(identity) ? { ...hit, identity } : hit;
  }

  /** `text` is the line, shown where it is bad. */
  return (request: LoggedRequest, line: number, text: string): Row => {
    const target = targetOf(request);
    const leftOut = (reason: LeftOutReason): Row => ({ kind: "left out", line, reason });
    if (!METHOD.test(request.method) || (target.path === "" && request.target !== "*")) return leftOut("not_a_request");
    if (Number.isNaN(request.atMs)) return badRow(line, "bad_date", text);
    if (checkedMs(request.atMs, nowMs) === "date_out_of_range") return badRow(line, "date_out_of_range", text);
    if (Number.isNaN(request.status)) return badRow(line, "missing_value", text);
    const own = request.userAgent === undefined ? request : { ...request, userAgent: detached(request.userAgent) };
    const crawler = crawlerOf(own.userAgent ?? "");
    if (crawler !== null) {
      const address = connectedFrom(own);
      return { kind: "crawl", line, atMs: own.atMs, name: crawler, status: own.status, address, path: target.path };
    }
    const reason = reasonToLeaveOut(own, target.path);
    return reason === null ? hitOf(own, target, line) : leftOut(reason);
  };
}

export type RequestReader = ReturnType<typeof createRequestReader>;
