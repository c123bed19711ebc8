/** Logs of nginx in a format of their own, given as the text of its `log_format`. */
import { IMPORT_LOG_FORMAT_CHARS_MAX } from "../../../base/config/limits.ts";
import { invalidInput } from "../../../base/errors.ts";
import { lineByLine, type Layout, type ParsedLine, requestLineOf } from "./layout.ts";
import { unescaped } from "./quoted.ts";
import { commonTimeOf, isoTimeOf, unixTimeOf } from "./times.ts";

type Escaping = "default" | "json" | "none";

/** A variable, and the text up to the next one; "" for the last one at the end of the line. */
interface Part {
  readonly variable: string;
  readonly literal: string;
}

/** Variables together in one value, for nothing separates them. */
const PATH_AND_QUERY = "path_and_query";
const HOST_AND_TARGET = "host_and_target";

const ADJACENT: readonly (readonly [RegExp, string])[] = [
  [/\$(?:document_)?uri\$is_args\$(?:args|query_string)(?!\w)/g, `\${${PATH_AND_QUERY}}`],
  [/\$(?:http_)?host\$request_uri(?!\w)/g, `\${${HOST_AND_TARGET}}`],
];

/** Variables with the address of the connection, the one to take first. */
const ADDRESS = ["remote_addr", "realip_remote_addr"];

const VARIABLE = /\$(?:\{(\w+)\}|(\w+))/;

/** A whole directive, or its strings, or the bare format. */
const DIRECTIVE = /^\s*log_format\s+\S+\s+(?:escape=(default|json|none)\s+)?/;

const STRINGS = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g;

/** What nginx makes of a character after a backslash. */
const unescapedInString = (written: string, character: string): string =>
  ({ t: "\t", n: "\n", r: "\r", "'": "'", '"': '"', "\\": "\\" })[character] ?? written;

function formatIn(text: string): { readonly format: string; readonly escaping: Escaping } {
  const directive = DIRECTIVE.exec(text);
  const rest = (directive === null ? text : text.slice(directive[0].length)).trim();
  const isQuoted = /^(?:'(?:[^'\\]|\\.)*'\s*)+;?$/.test(rest) || (directive !== null && /^["']/.test(rest));
  const format = isQuoted
    ? [...rest.matchAll(STRINGS)].map(([, single, double]) => (single ?? double ?? "").replaceAll(/\\(.)/g, unescapedInString)).join("")
    : rest;
  return { format, escaping: (directive?.[1] ?? "default") as Escaping };
}

interface Template {
  /** The text before the first variable. */
  readonly start: string;
  readonly parts: readonly Part[];
  readonly escaping: Escaping;
}

function compile(text: string): Template {
  if (text.length > IMPORT_LOG_FORMAT_CHARS_MAX) {
    throw invalidInput(`The log_format must have at most ${IMPORT_LOG_FORMAT_CHARS_MAX} characters`);
  }
  const { format, escaping } = formatIn(text);
  const [start = "", ...rest] = ADJACENT.reduce((joined, [pattern, name]) => joined.replaceAll(pattern, name), format).split(VARIABLE);
  const parts: Part[] = [];
  for (let i = 0; i < rest.length; i += 3) parts.push({ variable: rest[i] ?? rest[i + 1] ?? "", literal: rest[i + 2] ?? "" });
  for (const [i, { variable, literal }] of parts.entries()) {
    if (literal === "" && i < parts.length - 1) {
      throw invalidInput(
        `The log_format has nothing between $${variable} and $${parts[i + 1]?.variable}, so their values cannot be told apart`,
      );
    }
  }
  const has = (...names: string[]): boolean => parts.some(({ variable }) => names.includes(variable));
  const missing = [
    ...(has("time_local", "time_iso8601", "msec") ? [] : ["a time ($time_local, $time_iso8601 or $msec)"]),
    ...(has("request", "request_uri", "uri", "document_uri", PATH_AND_QUERY, HOST_AND_TARGET) ? [] : ["the page ($request)"]),
    ...(has("status") ? [] : ["$status"]),
  ];
  if (missing.length > 0) throw invalidInput(`The log_format needs ${missing.join(" and ")}`);
  return { start, parts, escaping };
}

/** Values that may contain the blank that follows them, the likeliest first. Others have none, or end with a quotation mark. */
const FREE = [
  /^request$/,
  /^http_user_agent$/,
  /^(?:http_.*|remote_user|request_uri|uri|document_uri|args|query_string|path_and_query|host_and_target)$/,
];

/** The place of the value that may have any characters; -1 if there is none. */
function freePlace(parts: readonly Part[]): number {
  const isOpen = ({ literal }: Part): boolean => literal !== "" && !literal.startsWith('"');
  for (const pattern of FREE) {
    const place = parts.findIndex((part) => pattern.test(part.variable) && isOpen(part));
    if (place !== -1) return place;
  }
  return -1;
}

/** Values that the server chooses, or that have no blanks whatever a client sends. */
const OF_SERVER =
  /^(?:remote_(?:addr|port)|realip_remote_\w+|time_\w+|msec|status|(?:body_)?bytes_sent|request_(?:id|length|method|time)|server_(?:addr|name|port|protocol)|host|hostname|scheme|https|connection\w*|upstream_(?:addr|status|\w+_time)|ssl_(?:protocol|cipher)|pipe|pid)$/;

/** Whether no client can write something that is read as the address of its connection. */
function isAddressSure({ parts, escaping }: Template): boolean {
  const [at = -1] = ADDRESS.map((address) => parts.findIndex(({ variable }) => variable === address)).filter((place) => place !== -1);
  const free = freePlace(parts);
  const isFromLeft = free === -1 || at < free;
  // From the right, a quotation mark that is escaped for JSON is not told apart.
  const endsWithQuotes = ({ literal }: Part): boolean =>
    literal.startsWith('"') && (escaping === "default" || (escaping === "json" && isFromLeft));
  const passed = isFromLeft ? parts.slice(0, Math.max(at, 0)) : parts.slice(at + 1);
  return passed.every((part) => OF_SERVER.test(part.variable) || endsWithQuotes(part));
}

/** The values by variable; null for a line of another format. */
type Match = (line: string) => ReadonlyMap<string, string> | null;

const BACKSLASH = 92;

/** Where the literal begins that ends the value from `from`. A quotation mark in JSON may be escaped, a list has a blank after each comma. */
function literalAt(line: string, { literal }: Part, from: number, escaping: Escaping): number {
  let at = line.indexOf(literal, from);
  for (; at !== -1; at = line.indexOf(literal, at + 1)) {
    if (literal.startsWith(" ") && line.charCodeAt(at - 1) === 44) continue;
    if (escaping !== "json" || !literal.startsWith('"')) break;
    let slashes = at;
    while (slashes > from && line.charCodeAt(slashes - 1) === BACKSLASH) slashes--;
    if ((at - slashes) % 2 === 0) break;
  }
  return at;
}

/** Takes the values before the free one from the left and those behind it from the right. */
function matcherOf({ start, parts, escaping }: Template): Match {
  const free = freePlace(parts);
  const [left, right] = free === -1 ? [parts, []] : [parts.slice(0, free), parts.slice(free + 1)];
  return (line) => {
    if (!line.startsWith(start)) return null;
    const values = new Map<string, string>();
    let from = start.length;
    for (const part of left) {
      const end = part.literal === "" ? line.length : literalAt(line, part, from, escaping);
      if (end === -1) return null;
      values.set(part.variable, line.slice(from, end));
      from = end + part.literal.length;
    }
    if (free === -1) return values;
    let end = line.length;
    for (const part of right.toReversed()) {
      if (!line.startsWith(part.literal, end - part.literal.length)) return null;
      end -= part.literal.length;
      const before = (parts[parts.indexOf(part) - 1] as Part).literal;
      const at = line.lastIndexOf(before, end - before.length);
      if (at < from) return null;
      values.set(part.variable, line.slice(at + before.length, end));
      end = at + before.length;
    }
    const own = parts[free] as Part;
    if (!line.startsWith(own.literal, end - own.literal.length) || end - own.literal.length < from) return null;
    values.set(own.variable, line.slice(from, end - own.literal.length));
    return values;
  };
}

function unescapedJson(text: string): string {
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

const UNESCAPE = { default: unescaped, json: unescapedJson, none: (text: string) => text };

/** invalid_input for a format without what a page view needs. */
export function nginxLayout(logFormat: string): Layout {
  const template = compile(logFormat);
  const match = matcherOf(template);
  const addressIsSure = isAddressSure(template);
  const unescape = UNESCAPE[template.escaping];

  function read(line: string): ParsedLine {
    const values = match(line);
    if (values === null) return "not_a_log_line";
    const valueOf = (...names: string[]): string | undefined => {
      const name = names.find((known) => values.has(known));
      return name === undefined ? undefined : unescape(values.get(name) ?? "");
    };
    const msec = valueOf("msec");
    const atMs = msec === undefined ? isoTimeOf(valueOf("time_iso8601") ?? "") : unixTimeOf(Number(msec));
    const [request, hostAndTarget, query] = [valueOf("request"), valueOf(HOST_AND_TARGET), valueOf("args", "query_string")];
    const slash = hostAndTarget?.indexOf("/") ?? -1;
    const path = valueOf("request_uri", PATH_AND_QUERY) ?? hostAndTarget?.slice(slash) ?? valueOf("uri", "document_uri");
    const hasQuery = query !== undefined && query !== "-" && query !== "" && path?.includes("?") === false;
    const requestLine =
      request === undefined
        ? { method: valueOf("request_method") ?? "GET", target: hasQuery ? `${path}?${query}` : (path ?? "") }
        : requestLineOf(request);
    return {
      atMs: Number.isNaN(atMs) ? commonTimeOf(valueOf("time_local") ?? "") : atMs,
      client: valueOf(...ADDRESS) ?? "",
      ...(!addressIsSure && { connection: null }),
      forwardedFor: valueOf(
        "http_x_forwarded_for",
        "http_cf_connecting_ip",
        "http_x_real_ip",
        "http_true_client_ip",
        "proxy_protocol_addr",
      ),
      ...requestLine,
      host: valueOf("host", "http_host", "server_name") ?? hostAndTarget?.slice(0, slash),
      status: Number(valueOf("status")),
      referrer: valueOf("http_referer"),
      userAgent: valueOf("http_user_agent"),
      contentType: valueOf("sent_http_content_type"),
      purpose: valueOf("http_sec_purpose", "http_purpose", "http_x_moz"),
      identity: valueOf("request_id"),
    };
  }

  return lineByLine("nginx-log", "nginx log (custom format)", read);
}
