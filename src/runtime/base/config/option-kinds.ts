/** The kinds of option values: how each is read from TOML or from an environment variable, and what it allows. */
import type { SiteId } from "../../../storage/event.ts";
import { TimeZone } from "../../../storage/time-zone.ts";
import { SITE_ID_CHARS_MAX, URL_HOST_CHARS_MAX } from "./limits.ts";
import { isSiteId } from "./names.ts";

/** A checked value, or what was found in its place: `got` completes "…, got …". */
type Checked<Value> = { readonly value: Value } | { readonly got: string };

interface OptionKind<Value> {
  /** Completes "… must be …", e.g. `an integer from 0 to 65535`. */
  readonly expected: string;
  /** True when no message may quote the value. */
  readonly secret: boolean;
  /** The TOML value that an environment variable stands for. Text that stands for none is returned as it is, for `check` to refuse. */
  valueFromText(text: string): unknown;
  check(value: unknown): Checked<Value>;
}

export type Platform = "node" | "workerd";

export interface Option<Value> {
  readonly kind: OptionKind<Value>;
  readonly default: Value;
  readonly defaultOnWorkerd?: Value;
  /** Replaces, in the documentation, a default that does not explain itself. */
  readonly defaultInWords?: string;
  /** One or two sentences of Markdown. */
  readonly description: string;
  readonly platform: Platform | "both";
}

/** Infers `Value` from the kind alone, so that a default of another type does not compile. */
export const option = <Value>(
  kind: OptionKind<Value>,
  byDefault: NoInfer<Value>,
  description: string,
  more: Partial<Pick<Option<NoInfer<Value>>, "defaultOnWorkerd" | "defaultInWords" | "platform">> = {},
): Option<Value> => ({ platform: "both", ...more, kind, default: byDefault, description });

const REDACTED = "[redacted]";

/** The text is a private field, which JSON, template strings, console output and structured clones never reach. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. Call it where the secret is used, and do not store the result. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  /** Used by Node's `util.inspect`, and so by `console.log`. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}

/** Longest string value, in UTF-16 units: more than any path or token needs. */
export const STRING_LENGTH_MAX = 4096;

/** Maximum characters of a refused value in a message. */
const QUOTED_LENGTH_MAX = 80;

/** Maximum refused entries of a list in a message. */
const QUOTED_ENTRIES_MAX = 5;

const TRUE_WORDS = ["true", "1", "yes", "on"];
const FALSE_WORDS = ["false", "0", "no", "off"];

/** A value as messages show it: escaped and cut, so that it stays one short line. */
export function quote(text: string): string {
  const cut = text.length > QUOTED_LENGTH_MAX ? `${text.slice(0, QUOTED_LENGTH_MAX)}…` : text;
  // JSON leaves some control characters and line separators as they are, and terminals obey them.
  return JSON.stringify(cut).replace(/[\u007f-\u009f\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A kind that is not secret. Text stands for itself unless `valueFromText` reads it. */
const kindOf = <Value>(
  expected: string,
  check: OptionKind<Value>["check"],
  valueFromText: OptionKind<Value>["valueFromText"] = (text) => text,
): OptionKind<Value> => ({ expected, secret: false, valueFromText, check });

const trimmed = (text: string): string => text.trim();

/** A kind of text that is taken as it is. */
const textKind = <Value extends string = string>(
  expected: string,
  isValid: (text: string) => boolean,
  valueFromText?: OptionKind<Value>["valueFromText"],
): OptionKind<Value> =>
  kindOf(expected, (value) => (typeof value === "string" && isValid(value) ? { value: value as Value } : refused(value)), valueFromText);

export const integer = (range: { min: number; max: number }): OptionKind<number> =>
  kindOf(
    `an integer from ${range.min} to ${range.max}`,
    (value) => (Number.isSafeInteger(value) ? inRange(value as number, range) : refused(value)),
    integerFromText,
  );

export const number = (range: { min: number; max: number }): OptionKind<number> =>
  kindOf(
    `a number from ${range.min} to ${range.max}`,
    (value) => (typeof value === "number" && Number.isFinite(value) ? inRange(value, range) : refused(value)),
    (text) => (/^-?(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : text),
  );

export const boolean = kindOf<boolean>("a boolean", (value) => (typeof value === "boolean" ? { value } : refused(value)), booleanFromText);

export const autoOrBoolean = kindOf<"auto" | boolean>(
  "auto or a boolean",
  (value) => {
    if (typeof value === "boolean") return { value };
    return typeof value === "string" && value.trim().toLowerCase() === "auto" ? { value: "auto" } : refused(value);
  },
  booleanFromText,
);

/** One of a closed set of lower-case words, in any case. */
export const choice = <const Word extends string>(words: readonly Word[]): OptionKind<Word> =>
  kindOf(`${words.slice(0, -1).join(", ")} or ${words.at(-1)}`, (value) => {
    const typed = typeof value === "string" ? value.trim().toLowerCase() : undefined;
    const word = words.find((candidate) => candidate === typed);
    return word === undefined ? refused(value) : { value: word };
  });

/** A list of distinct entries; an environment variable separates them by commas. */
export function list<Entry>(entry: OptionKind<Entry>, sizes: { entriesMax: number }): OptionKind<readonly Entry[]> {
  return {
    expected: `a list of at most ${sizes.entriesMax} entries, each ${entry.expected}`,
    secret: entry.secret,
    valueFromText(text) {
      const parts = text.split(",").map((part) => part.trim());
      const given = parts.filter((part) => part !== "");
      // Nothing but commas is a mistake, not an empty list.
      return given.length === 0 && parts.length > 1 ? text : given.map((part) => entry.valueFromText(part));
    },
    check: (value) => {
      if (!Array.isArray(value)) return refused(value);
      if (value.length > sizes.entriesMax) return { got: `${value.length} entries` };
      const entries = new Set<Entry>();
      const faults: string[] = [];
      for (const part of value) {
        const checked = entry.check(part);
        if ("value" in checked) entries.add(checked.value);
        else faults.push(checked.got);
      }
      return faults.length === 0 ? { value: Object.freeze([...entries]) } : { got: firstOf(faults) };
    },
  };
}

export const timeZoneName = textKind(
  "a name of the IANA time zone database, such as Europe/Berlin",
  (text) => TimeZone.named(text) !== null,
  trimmed,
);

/** A path in the file system. Nothing is trimmed, because spaces may be part of a name. */
export const filePath = textKind("a path", isPath);

/** Files of a database. Two, because some databases come as one for IPv4 and one for IPv6. */
interface DatabaseFiles {
  readonly paths: readonly string[];
}

/** A file that is called like one of the words is written with `./` in front. */
const databaseFiles = <Word extends string>(words: readonly Word[]): OptionKind<Word | DatabaseFiles> =>
  kindOf<Word | DatabaseFiles>(
    `${words.join(", ")}, a path, or a list of two paths`,
    (value) => {
      if (Array.isArray(value)) return value.length === 2 && value.every(isPath) ? { value: { paths: value } } : refused(value);
      if (!isPath(value)) return refused(value);
      const word = words.find((known) => known === value.trim().toLowerCase());
      return { value: word ?? { paths: [value] } };
    },
    (text) => (text.includes(",") ? text.split(",").map((path) => path.trim()) : text),
  );

/** The source of the geo database. */
export type GeoipDb = "builtin" | "none" | DatabaseFiles;

export const geoipDatabase: OptionKind<GeoipDb> = databaseFiles(["builtin", "none"]);

/** The source of the network database. */
export type AsnDb = "none" | DatabaseFiles;

export const asnDatabase: OptionKind<AsnDb> = databaseFiles(["none"]);

/** A name that SQL takes without quotes. */
export const identifier = textKind(
  "a name of at most 64 letters, digits and _ that does not begin with a digit",
  (text) => /^[a-z_][a-z0-9_]{0,63}$/i.test(text),
  trimmed,
);

export const userName = textKind(
  "a name of 1 to 128 visible ASCII characters, without :",
  (text) => /^[!-9;-~]{1,128}$/.test(text),
  trimmed,
);

type SecretRule = { charsMin: number; bytesMax?: number; pattern?: RegExp; charsAllowed?: string };

/** A string that no message shows, taken exactly as given. Characters are Unicode code points, bytes those of UTF-8. */
export function secretString(rule: SecretRule): OptionKind<Secret> {
  const { charsMin, bytesMax } = rule;
  const length =
    bytesMax === undefined
      ? `${charsMin} to ${STRING_LENGTH_MAX} characters`
      : `at least ${charsMin} characters and at most ${bytesMax} bytes of UTF-8`;
  return {
    expected: `a string of ${length}${rule.charsAllowed === undefined ? "" : `, ${rule.charsAllowed}`}`,
    secret: true,
    valueFromText: (text) => text,
    check: (value) => {
      const fault = typeof value === "string" ? secretFault(value, rule) : typeName(value);
      return fault === null ? { value: new Secret(value as string) } : { got: `${fault} (not shown)` };
    },
  };
}

function secretFault(text: string, { charsMin, bytesMax, pattern }: SecretRule): string | null {
  const chars = [...text].length;
  if (chars < charsMin) return `a string of ${chars} characters`;
  if (bytesMax !== undefined && new TextEncoder().encode(text).length > bytesMax) return `a string of more than ${bytesMax} bytes`;
  if (chars > STRING_LENGTH_MAX) return `a string of ${chars} characters`;
  return pattern?.test(text) === false ? "a string with another character" : null;
}

function refused(value: unknown): { got: string } {
  if (typeof value === "string") return { got: quote(value) };
  return { got: typeof value === "number" || typeof value === "boolean" ? String(value) : typeName(value) };
}

function inRange(value: number, range: { min: number; max: number }): Checked<number> {
  // Adding zero turns -0, which TOML can write, into 0.
  return value >= range.min && value <= range.max ? { value: value + 0 } : refused(value);
}

function integerFromText(text: string): unknown {
  const value = /^-?\d+$/.test(text.trim()) ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : text;
}

function booleanFromText(text: string): unknown {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.includes(word)) return true;
  return FALSE_WORDS.includes(word) ? false : text;
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= STRING_LENGTH_MAX && !value.includes("\0");
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}

function firstOf(faults: readonly string[]): string {
  const shown = faults.slice(0, QUOTED_ENTRIES_MAX).join(", ");
  return faults.length > QUOTED_ENTRIES_MAX ? `${shown} and ${faults.length - QUOTED_ENTRIES_MAX} more` : shown;
}

// Where the service is reached: hosts, origins, paths, sites and proxies

const URL_PATH_CHARS_MAX = 256;

/** A path of this service, matched as it is written. */
export const urlPath = textKind(
  `a path of at most ${URL_PATH_CHARS_MAX} characters that starts with / and has segments of letters, digits and . _ ~ -`,
  // Clients resolve `.` and `..` before they send a path.
  (path) =>
    path.length <= URL_PATH_CHARS_MAX && /^(\/[\w.~-]+)+$/.test(path) && !path.split("/").some((part) => part === "." || part === ".."),
);

/** The service's path on its host: empty for the root, else like `/stats`. One trailing slash is accepted. */
export const basePath = kindOf<string>(
  `/ or ${urlPath.expected}`,
  (value) => {
    if (typeof value !== "string") return refused(value);
    const path = value.replace(/\/$/, "");
    return path === "" || "value" in urlPath.check(path) ? { value: path } : refused(value);
  },
  trimmed,
);

/** A host name or an address without a port. An IPv6 address loses its brackets, as servers expect. */
export const host = kindOf<string>(
  "a host name or IP address, without scheme and port",
  (value) => {
    if (typeof value !== "string" || value.length > STRING_LENGTH_MAX) return refused(value);
    const bare = /^\[.*\]$/.test(value) ? value.slice(1, -1) : value;
    const isIpv6 = /^[0-9a-f:.]+(%[\w.-]+)?$/i.test(bare) && bare.split(":").length > 2;
    const isNameOrIpv4 = bare === value && /^[\w.-]+$/.test(bare);
    return isIpv6 || isNameOrIpv4 ? { value: bare } : refused(value);
  },
  trimmed,
);

/** A web origin as browsers send it: in lower case, without the scheme's default port. One trailing slash is accepted. */
export const origin = kindOf<string>(
  "http://host or https://host, with :port where needed and no path",
  (value) => {
    const normalised = typeof value === "string" ? originFrom(value) : null;
    return normalised === null ? refused(value) : { value: normalised };
  },
  trimmed,
);

function originFrom(text: string): string | null {
  const hostAndPort = /^https?:\/\/([^\s/\\?#@]+)\/?$/i.exec(text)?.[1];
  if (hostAndPort === undefined || hostAndPort.length > URL_HOST_CHARS_MAX) return null;
  try {
    return new URL(text).origin;
  } catch {
    return null;
  }
}

/**
 * An entry of the ingest allowlist: a site id, which every host name in ASCII form is too. It keeps its case, because site
 * ids differ by case; a comparison with a host has to ignore it.
 */
export const siteIdOrHost = textKind<SiteId>(
  `a site id or host name of at most ${SITE_ID_CHARS_MAX} ASCII letters, digits and . - _ : characters`,
  isSiteId,
);

/** The names of the headers in which a proxy sends the location of a visitor, in lower case. */
export interface GeoHeaders {
  readonly country: string;
  readonly region: string | null;
  readonly city: string | null;
}

/** Written as `country=CF-IPCountry, region=CF-Region, city=CF-IPCity`. */
export const geoHeaders = kindOf<GeoHeaders>(
  "a list of country=<header> and, where wanted, region=<header> and city=<header>",
  (value) => {
    if (!Array.isArray(value) || value.length > 3) return refused(value);
    const headers = new Map<string, string>();
    for (const entry of value) {
      const [, field = "", name = ""] = (typeof entry === "string" && /^(country|region|city) *= *([\w-]{1,64})$/i.exec(entry)) || [];
      if (name === "" || headers.has(field.toLowerCase())) return refused(entry);
      headers.set(field.toLowerCase(), name.toLowerCase());
    }
    const country = headers.get("country");
    if (country === undefined) return { got: "no country" };
    return { value: { country, region: headers.get("region") ?? null, city: headers.get("city") ?? null } };
  },
  (text) => text.split(",").map((part) => part.trim()),
);

/** The number of reverse proxies in front of the service; a boolean stands for one or none. */
export const proxyCount = ({ max }: { max: number }): OptionKind<number> =>
  kindOf(
    `an integer from 0 to ${max} or a boolean (true for 1, false for 0)`,
    (value) => {
      if (typeof value === "boolean") return { value: value ? 1 : 0 };
      return Number.isSafeInteger(value) ? inRange(value as number, { min: 0, max }) : refused(value);
    },
    (text) => {
      const count = integerFromText(text);
      return typeof count === "number" ? count : booleanFromText(text);
    },
  );
