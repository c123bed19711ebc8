/** What a value of each kind of option looks like, written as a TOML value or as text in the environment. */

import type { SiteId } from "../../storage/event.ts";
import { exceedsBytes } from "../ingest/code-points.ts";
import { isSiteId } from "../ingest/site-id.ts";
import { SITE_ID_CHARS_MAX } from "./limits.ts";
import { Secret } from "./secret.ts";
import { parseUrl } from "../ingest/parse-url.ts";

/** `found` completes "found …" in the message that refuses a value. */
export type Checked<Value> = { readonly value: Value } | { readonly found: string };

export interface OptionKind<Value> {
  /** Completes "allowed: …". */
  readonly allowed: string;
  /** True when no message may quote the value. */
  readonly secret: boolean;
  /** The TOML value that a text stands for. A text that stands for none stays a text, for `check` to refuse. */
  valueFromText(text: string): unknown;
  check(value: unknown): Checked<Value>;
}

/** Longest text value, in UTF-16 units: more than any path or token needs, and a bound all the same. */
const TEXT_LENGTH_MAX = 4096;

/** How much of a refused value a message quotes. */
const QUOTED_LENGTH_MAX = 80;

/** How many refused entries of a list a message quotes. */
const QUOTED_ENTRIES_MAX = 5;

const TRUE_WORDS = ["true", "1", "yes", "on"];
const FALSE_WORDS = ["false", "0", "no", "off"];

/** A value as messages show it: escaped and cut, so that it stays one short line. */
export function quote(text: string): string {
  const cut = text.length > QUOTED_LENGTH_MAX ? `${text.slice(0, QUOTED_LENGTH_MAX)}…` : text;
  // JSON leaves some control characters and line separators as they are; terminals and logs obey them.
  return JSON.stringify(cut).replace(/[\u007f-\u009f\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function wholeNumber(range: { min: number; max: number }): OptionKind<number> {
  return {
    allowed: `a whole number from ${range.min} to ${range.max}`,
    secret: false,
    valueFromText: wholeNumberFromText,
    check: (value) => (Number.isSafeInteger(value) ? inRange(value as number, range) : refused(value)),
  };
}

/** A number that may have a fraction. */
export function number(range: { min: number; max: number }): OptionKind<number> {
  return {
    allowed: `a number from ${range.min} to ${range.max}`,
    secret: false,
    valueFromText: (text) => (/^-?(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : text),
    check: (value) => (typeof value === "number" && Number.isFinite(value) ? inRange(value, range) : refused(value)),
  };
}

export const boolean: OptionKind<boolean> = {
  allowed: "true or false",
  secret: false,
  valueFromText: booleanFromText,
  check: (value) => (typeof value === "boolean" ? { value } : refused(value)),
};

/** One of a closed set of lower-case words, in any case. */
export function choice<const Word extends string>(words: readonly Word[]): OptionKind<Word> {
  return {
    allowed: wordList(words),
    secret: false,
    valueFromText: (text) => text,
    check: (value) => {
      const typed = typeof value === "string" ? value.trim().toLowerCase() : undefined;
      const word = words.find((candidate) => candidate === typed);
      return word === undefined ? refused(value) : { value: word };
    },
  };
}

/** A list of distinct entries; in a text they are separated by commas. */
export function list<Entry>(entry: OptionKind<Entry>, sizes: { entriesMax: number }): OptionKind<readonly Entry[]> {
  return {
    allowed: `a list of at most ${sizes.entriesMax} entries, each ${entry.allowed}`,
    secret: entry.secret,
    valueFromText(text) {
      const parts = text.split(",").map((part) => part.trim());
      const given = parts.filter((part) => part !== "");
      // Commas with nothing between them are no list that somebody meant to be empty.
      return given.length === 0 && parts.length > 1 ? text : given.map((part) => entry.valueFromText(part));
    },
    check: (value) => {
      if (!Array.isArray(value)) return refused(value);
      if (value.length > sizes.entriesMax) return { found: `${value.length} entries` };
      const entries = new Set<Entry>();
      const faults: string[] = [];
      for (const part of value) {
        const checked = entry.check(part);
        if ("value" in checked) entries.add(checked.value);
        else faults.push(checked.found);
      }
      return faults.length === 0 ? { value: Object.freeze([...entries]) } : { found: firstOf(faults) };
    },
  };
}

/** A path in the file system: nothing is trimmed, because spaces may be meant. */
export const filePath: OptionKind<string> = {
  allowed: "a path",
  secret: false,
  valueFromText: (text) => text,
  check: (value) => (isPath(value) ? { value } : refused(value)),
};

const URL_PATH_CHARS_MAX = 256;

/** A path of this service that is asked for as it is written. */
export const urlPath: OptionKind<string> = {
  allowed: `a path of at most ${URL_PATH_CHARS_MAX} characters that begins with / and has parts of letters, digits and . _ ~ -`,
  secret: false,
  valueFromText: (text) => text,
  check: (value) => {
    const isShaped = typeof value === "string" && value.length <= URL_PATH_CHARS_MAX && /^(\/[\w.~-]+)+$/.test(value);
    // Whoever asks for `.` or `..` asks for another path.
    return isShaped && !value.split("/").some((part) => part === "." || part === "..") ? { value } : refused(value);
  },
};

/** A host name or an address, without a port. An IPv6 address loses its brackets, as servers expect. */
export const host: OptionKind<string> = {
  allowed: "a host name or an IP address, without scheme and port",
  secret: false,
  valueFromText: (text) => text.trim(),
  check: (value) => {
    if (typeof value !== "string" || value.length > TEXT_LENGTH_MAX) return refused(value);
    const bare = /^\[.*\]$/.test(value) ? value.slice(1, -1) : value;
    const isIpv6 = /^[0-9a-f:.]+(%[\w.-]+)?$/i.test(bare) && bare.split(":").length > 2;
    const isNameOrIpv4 = bare === value && /^[\w.-]+$/.test(bare);
    return isIpv6 || isNameOrIpv4 ? { value: bare } : refused(value);
  },
};

/** A web origin, as browsers send it: lower case, without the scheme's own port. A lone last slash is forgiven. */
export const origin: OptionKind<string> = {
  allowed: "http://host or https://host, with :port where needed and no path",
  secret: false,
  valueFromText: (text) => text.trim(),
  check: (value) => {
    const isShaped = typeof value === "string" && /^https?:\/\/[^\s/\\?#@]+\/?$/i.test(value);
    const url = isShaped && value.length <= TEXT_LENGTH_MAX ? parseUrl(value) : null;
    return url ? { value: url.origin } : refused(value);
  },
};

/**
 * An entry of the ingest allowlist. It obeys the rule for site ids (contract 2.5), which every host name in the ASCII
 * form that browsers send obeys too. It keeps the case it is written in, because site ids differ by case: whoever
 * compares it with a host, which has no case, lowers the entry.
 */
export const siteIdOrHost: OptionKind<SiteId> = {
  allowed: `a site id or host name of at most ${SITE_ID_CHARS_MAX} ASCII letters, digits and . - _ : characters`,
  secret: false,
  valueFromText: (text) => text,
  check: (value) => (typeof value === "string" && isSiteId(value) ? { value } : refused(value)),
};

/** How many proxies stand in front; as a boolean, one or none. */
export function proxyCount(sizes: { max: number }): OptionKind<number> {
  return {
    allowed: `a whole number of proxies from 0 to ${sizes.max}, true (1) or false (0)`,
    secret: false,
    valueFromText: (text) => {
      const count = wholeNumberFromText(text);
      return typeof count === "number" ? count : booleanFromText(text);
    },
    check: (value) => {
      if (typeof value === "boolean") return { value: value ? 1 : 0 };
      return Number.isSafeInteger(value) ? inRange(value as number, { min: 0, max: sizes.max }) : refused(value);
    },
  };
}

export const autoOrBoolean: OptionKind<"auto" | boolean> = {
  allowed: "auto, true or false",
  secret: false,
  valueFromText: booleanFromText,
  check: (value) => {
    if (typeof value === "boolean") return { value };
    return typeof value === "string" && value.trim().toLowerCase() === "auto" ? { value: "auto" } : refused(value);
  },
};

/** Where the geo database comes from. A file that is really called `none` is written `./none`. */
export type GeoipDb = "builtin" | "none" | { readonly path: string };

export const geoipDatabase: OptionKind<GeoipDb> = {
  allowed: "builtin, none or a path",
  secret: false,
  valueFromText: (text) => text,
  check: (value) => {
    if (!isPath(value)) return refused(value);
    const word = value.trim().toLowerCase();
    return { value: word === "builtin" || word === "none" ? word : { path: value } };
  },
};

/** A text that no message shows, taken exactly as given. Characters are Unicode code points, bytes those of UTF-8. */
export function secretText(rule: { charsMin: number; bytesMax?: number; pattern?: RegExp; charsAllowed?: string }): OptionKind<Secret> {
  const { charsMin, bytesMax } = rule;
  const length =
    bytesMax === undefined
      ? `${charsMin} to ${TEXT_LENGTH_MAX} characters`
      : `at least ${charsMin} characters and at most ${bytesMax} bytes in UTF-8`;
  return {
    allowed: `a text of ${length}${rule.charsAllowed === undefined ? "" : `, ${rule.charsAllowed}`}`,
    secret: true,
    valueFromText: (text) => text,
    check: (value) => {
      if (typeof value !== "string") return { found: `${typeName(value)} (not shown)` };
      const chars = [...value].length;
      if (chars < charsMin) return { found: `a text of only ${chars} (not shown)` };
      if (bytesMax !== undefined && exceedsBytes(value, bytesMax)) return { found: `a text of more than ${bytesMax} bytes (not shown)` };
      if (chars > TEXT_LENGTH_MAX) return { found: `a text of ${chars} (not shown)` };
      if (rule.pattern?.test(value) === false) return { found: "a text with another character in it (not shown)" };
      return { value: new Secret(value) };
    },
  };
}

const refused = (value: unknown): { found: string } => ({ found: describe(value) });

const inRange = (value: number, range: { min: number; max: number }): Checked<number> =>
  // Adding zero turns -0, which TOML can write, into 0.
  value >= range.min && value <= range.max ? { value: value + 0 } : refused(value);

function wholeNumberFromText(text: string): unknown {
  const value = /^-?\d+$/.test(text.trim()) ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : text;
}

function booleanFromText(text: string): unknown {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.includes(word)) return true;
  return FALSE_WORDS.includes(word) ? false : text;
}

const isPath = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && value.length <= TEXT_LENGTH_MAX && !value.includes("\0");

function describe(value: unknown): string {
  if (typeof value === "string") return quote(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeName(value);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}

const wordList = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

function firstOf(faults: readonly string[]): string {
  const shown = faults.slice(0, QUOTED_ENTRIES_MAX).join(", ");
  return faults.length > QUOTED_ENTRIES_MAX ? `${shown} and ${faults.length - QUOTED_ENTRIES_MAX} more` : shown;
}
