/**
 * Paths and hosts: the one spelling in which they are stored and compared, and the readable one that people see
 * (docs/http-api.md, "Stored values"). What is typed in a filter, goal, step or exclusion is normalized like the URL of an event, so that
 * `/café`, `/caf%C3%A9` and `/caf%c3%a9/` are one page. What is readable normalizes to the spelling that it was made of.
 *
 * A path may have a query: the parameters that a site counts as part of its pages, such as `/viewtopic.php?t=1`.
 */
import { wellFormed } from "./text.ts";

/** Nearly all paths: no character that has another spelling, and no segment `.` or `..`. */
const PLAIN_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[!$&-.0-;=@-Z[\]_a-z|~]*)+$/;

/** Percent-encodings, and characters that are encoded in a path. Newer URL parsers encode `^`, older ones do not. */
const ENCODING_OR_ENCODED = /%[\dA-Fa-f]{2}|[^!$%&-;=?@-Z[\]_a-z|~]/gu;

/** Their encoding is another spelling of the same character (RFC 3986, 2.3). */
const UNRESERVED = /^[\w.~-]$/;

const STRAY_PERCENT = /%(?![\da-f]{2})/i;

const SLASH = 47;

/**
 * Part of a path: hexadecimal digits in capitals, unreserved characters decoded, others encoded (RFC 3986, 6.2.2). Beside a "%" that begins
 * no encoding nothing is decoded, because the two could become one.
 */
export function normalizePathPart(part: string): string {
  if (part.search(ENCODING_OR_ENCODED) === -1) return part;
  const decodes = !STRAY_PERCENT.test(part);
  return wellFormed(part).replace(ENCODING_OR_ENCODED, (found) => {
    if (found.length !== 3 || !found.startsWith("%")) return encodeURIComponent(found);
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return decodes && UNRESERVED.test(character) ? character : found.toUpperCase();
  });
}

function withoutDotSegments(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") kept.length = Math.max(1, kept.length - 1);
    else if (segment !== ".") kept.push(segment);
  }
  return kept.length > 1 ? kept.join("/") : "/";
}

/** A pattern of folders, which without its slash would be one of all pages. */
const ANY_FOLDER = /^\/?\*+\/+$/;

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === SLASH) end--;
  return ANY_FOLDER.test(path) ? path : path.slice(0, end);
}

const NOT_IN_QUERY = /[%&+#=]/g;

const queryText = (text: string): string => normalizePathPart(wellFormed(text).replaceAll(NOT_IN_QUERY, encodeURIComponent));

/** The query of a path, with its `?`: parameters in the order of their names, empty ones left out, unless they are a wildcard. */
export const pathQuery = (parameters: Iterable<readonly [name: string, value: string]>): string =>
  [...parameters]
    .filter(([name, value]) => value !== "" || name.includes("*"))
    .sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))
    .map(([name, value], i) => `${i === 0 ? "?" : "&"}${queryText(name)}${value === "" ? "" : `=${queryText(value)}`}`)
    .join("");

/**
 * A path, or a pattern with the wildcard `*`, in the spelling in which paths are stored: normalized as above, with slashes for
 * backslashes, without segments `.` and `..`, and without trailing slashes except for the root.
 */
export function normalizePath(path: string): string {
  if (PLAIN_PATH.test(path)) return withoutTrailingSlashes(path);
  const queryAt = path.indexOf("?");
  const part = normalizePathPart((queryAt === -1 ? path : path.slice(0, queryAt)).replaceAll("\\", "/"));
  const own = withoutTrailingSlashes(part.startsWith("/") && part.includes("/.") ? withoutDotSegments(part) : part);
  return queryAt === -1 ? own : own + pathQuery(new URLSearchParams(path.slice(queryAt + 1)));
}

/** The path with one slash for several in a row. */
export const mergeSlashes = (path: string): string => path.replaceAll(/\/{2,}/g, "/");

/** Control, bidirectional and invisible characters, blanks other than the space, and what is not a character. */
const UNREADABLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** ASCII characters that a path has encoded, and that it would have encoded again. */
const READABLE_ASCII = /["<>^`{} ]/;

const ENCODINGS = /(?:%[\dA-F]{2})+/g;

/** UTF-8: bytes of the character that begins with this byte; 0 for a byte that begins none. */
const bytesFrom = (lead: number): number => (lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0);

function decodedCharacter(encodings: string): string | null {
  try {
    const character = decodeURIComponent(encodings);
    const isReadable = character > "\x7f" ? !UNREADABLE.test(character) : READABLE_ASCII.test(character);
    return isReadable ? character : null;
  } catch {
    return null;
  }
}

function readableRun(run: string): string {
  let readable = "";
  for (let at = 0; at < run.length;) {
    const length = 3 * Math.max(1, bytesFrom(Number.parseInt(run.slice(at + 1, at + 3), 16)));
    const character = decodedCharacter(run.slice(at, at + length));
    const taken = character === null ? 3 : length;
    readable += character ?? run.slice(at, at + taken);
    at += taken;
  }
  return readable;
}

/** A space that begins or ends a text, or follows another one, would not be seen. */
const LOST_SPACE = /^ | $|(?<= ) /g;

/**
 * A path as people read it: `/café` for `/caf%C3%A9`. Control, bidirectional and invisible characters, reserved ones and what is not UTF-8
 * stay encoded.
 */
export const readablePath = (path: string): string =>
  PLAIN_PATH.test(path) ? path : normalizePathPart(path).replace(ENCODINGS, readableRun).replaceAll(LOST_SPACE, "%20");

/** Nearly all hosts; the last label of an IPv4 address begins with a digit. */
const PLAIN_HOST = /^(?:[a-z\d-]+\.)+[a-z][a-z\d-]*$/;

/** DNS names have at most 253 characters. Converting an internationalized one takes quadratic time. */
const HOST_CHARS_MAX = 320;

/** The parsed host; null for what cannot be one. */
function parsedHost(host: string): string | null {
  if (host.length > HOST_CHARS_MAX || /[/\\?#@]/.test(host)) return null;
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return null;
  }
}

/** A host in the spelling in which hosts are stored: lower case, ASCII, without port and without the dot that may end a full name. */
export const normalizeHost = (host: string): string =>
  PLAIN_HOST.test(host) ? host : (parsedHost(host) ?? host.toLowerCase()).replace(/(?<=[^.])\.+$/, "");

/** Part of a host, or a pattern with the wildcard `*`: labels in other letters than ASCII are converted if they are whole. */
export const normalizeHostPart = (part: string): string =>
  part
    .toLowerCase()
    .split(".")
    .map((label) => (/^[\0-\x7f]*$/.test(label) || label.includes("*") ? label : (parsedHost(label) ?? label)))
    .join(".");

/** Punycode (RFC 3492, section 5). */
const [BASE, T_MIN, T_MAX, SKEW, DAMP, FIRST_BIAS, FIRST_CODE] = [36, 1, 26, 38, 700, 72, 128] as const;

function biasOf(delta: number, count: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / count);
  let bias = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; bias += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return bias + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

/** RFC 3492, section 6.2. null for what is no punycode. */
function decodePunycode(text: string): string | null {
  const delimiterAt = text.lastIndexOf("-");
  const codes = Array.from(text.slice(0, Math.max(0, delimiterAt)), (character) => character.charCodeAt(0));
  let [code, bias, place]: number[] = [FIRST_CODE, FIRST_BIAS, 0];
  for (let at = delimiterAt + 1; at < text.length;) {
    const before = place as number;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = Number.parseInt(text[at++] ?? "", BASE);
      if (Number.isNaN(digit)) return null;
      // Letters are 0 to 25 and digits 26 to 35, the other way round than in base 36.
      const value = digit < 10 ? digit + 26 : digit - 10;
      place = (place as number) + value * weight;
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - (bias as number)));
      if (value < threshold) break;
      weight *= BASE - threshold;
    }
    const count = codes.length + 1;
    bias = biasOf((place as number) - before, count, before === 0);
    code = (code as number) + Math.floor((place as number) / count);
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) return null;
    place = (place as number) % count;
    codes.splice(place++, 0, code);
  }
  return String.fromCodePoint(...codes);
}

/** Letters that are written together in one language. Others in one label pass themselves off as letters of another script. */
const SCRIPTS = [
  /^[\p{Script=Latin}\p{Nd}-]+$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Latin}\p{Nd}ー-]+$/u,
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Latin}\p{Nd}-]+$/u,
  /^[\p{Script=Han}\p{Script=Bopomofo}\p{Script=Latin}\p{Nd}-]+$/u,
  ...["Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati", "Gurmukhi", "Hebrew"]
    .concat(["Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thai"])
    .map((script) => new RegExp(`^[\\p{Script=${script}}\\p{Nd}-]+$`, "u")),
];

/** Cyrillic and Greek words of these letters alone look Latin. */
const LOOKS_LATIN = /^[асԁеһіјӏорԛѕԝхуъЬҽпгѵѡοναικρτυωx\d-]+$/u;

function readableLabel(label: string): string {
  if (!label.startsWith("xn--")) return label;
  const decoded = decodePunycode(label.slice("xn--".length));
  const isShown = decoded !== null && SCRIPTS.some((script) => script.test(decoded)) && !LOOKS_LATIN.test(decoded);
  return isShown && !UNREADABLE.test(decoded) && parsedHost(decoded) === label ? decoded : label;
}

/** A host as people read it: `bücher.example` for `xn--bcher-kva.example`. Labels that could be taken for others stay in punycode. */
export const readableHost = (host: string): string => (host.includes("xn--") ? host.split(".").map(readableLabel).join(".") : host);
