/** Which browser, system and kind of device a visit came from. This file owns `ua-parser-js`. */
import UAParser from "ua-parser-js";
import { USER_AGENT_CHARS_MAX } from "../config/limits.ts";
import { browserNameFrom, osNameFrom, osVersionFrom, versionFrom } from "./platform-names.ts";

/** The values of `Sec-CH-UA`, `Sec-CH-UA-Platform` and `Sec-CH-UA-Mobile`. */
export interface ClientHintHeaders {
  readonly brands: string | null;
  readonly platform: string | null;
  readonly mobile: string | null;
}

/** `null` stands for a hint that was not sent or says nothing. */
export interface ClientHints {
  readonly browser: string | null;
  readonly browserVersion: string | null;
  readonly os: string | null;
  readonly mobile: boolean | null;
}

export const NO_CLIENT_HINTS: ClientHints = { browser: null, browserVersion: null, os: null, mobile: null };

/** Brands that name an engine or a shell which many browsers and apps are built of. */
const SHELL_BRANDS: ReadonlySet<string> = new Set(["Android WebView", "Chromium"]);

/** `null` stands for "not known". */
export interface UserAgentFacts {
  readonly browser: string | null;
  /** `124`, or `17.4` when the minor number is not zero. */
  readonly browserVersion: string | null;
  readonly os: string | null;
  readonly osVersion: string | null;
  /** `desktop`, `mobile`, `tablet`, `tv`, `console`, `wearable` or `embedded`. */
  readonly deviceType: string | null;
}

const NOTHING_KNOWN: UserAgentFacts = { browser: null, browserVersion: null, os: null, osVersion: null, deviceType: null };

/** Real User-Agents have up to about 30 words. The parser takes milliseconds over long runs of short ones. */
const USER_AGENT_WORDS_MAX = 48;

/** What patterns of the parser begin with that look for two things more behind it; real User-Agents have two of them at most. */
const PATTERN_STARTS = /droid|trident/gi;
const PATTERN_STARTS_MAX = 8;

/**
 * The parser's patterns backtrack over what a client writes. What bounds their cost is the length of the text, the number of its
 * words, the repetitions above, and these patterns: two of the parser's own would take a second, over what follows `NAVER(` and
 * `Archos`. These are tried first and match wherever those could, so that they are never reached. The dearest User-Agent that a
 * search over all patterns found takes a millisecond; that of a browser takes 0.02 ms.
 */
const LINEAR_PATTERNS = {
  browser: [[/(naver)\((?:[^)]{0,64}?(\d{1,9}\.[\w.]{1,32}))?/i], ["name", "version"]],
  device: [[/archos ?(?:5(?: b|\))|gamepad|(?:[\w ]{0,32}[t1789]|hello) ?\d)/i], [["type", "tablet"]], [/archos/i], [["type", "mobile"]]],
};

/** Systems that run on desks: the parser reports no device for these. */
const DESKTOP_SYSTEMS: ReadonlySet<string> = new Set([
  "ChromeOS",
  "FreeBSD",
  "Haiku",
  "Linux",
  "macOS",
  "NetBSD",
  "OpenBSD",
  "OpenSolaris",
  "Solaris",
  "Windows",
]);

/** Kinds of device that a hint cannot contradict: it only tells mobile from not mobile. */
const SPECIAL_DEVICES: ReadonlySet<string> = new Set(["tv", "console", "wearable", "embedded"]);

/** What User-Agents of plain Chrome and of apps' web views are parsed to; a hint says which of them it is. */
const SHELL_BROWSERS: ReadonlySet<string> = new Set([...SHELL_BRANDS, "Android Browser", "Chrome"]);

const MOBILE_WIDTH_END = 768;
const TABLET_WIDTH_END = 1024;

interface Brand {
  readonly name: string;
  readonly version: string | null;
}

// Headers in the wild have fewer than 150 characters; the limit keeps hostile ones cheap.
const HEADER_CHARS_MAX = 512;

/** The list's next brand, where the last one ends: a search from every quotation mark on would take quadratic time. */
const BRAND = /(?:\s*,)?\s*"((?:[^"\\]|\\.)*)"\s*;\s*v="([^"\\]*)"/gy;

const DECOY_START = /^[^A-Za-z]*(?:not|yow)/i;

// What a structured header's string may hold, without quotes and backslashes.
const NAME = /^[!#-[\]-~](?:[ !#-[\]-~]{0,62}[!#-[\]-~])?$/;

/** The hints. Never throws: a header that does not parse says nothing. */
export function parseClientHints({ brands, platform, mobile }: ClientHintHeaders): ClientHints {
  if (brands === null && platform === null && mobile === null) return NO_CLIENT_HINTS;
  const brand = brands === null ? null : mainBrand(brands);
  return {
    browser: brand?.name ?? null,
    browserVersion: brand?.version ?? null,
    os: platform === null ? null : parsePlatform(platform),
    mobile: mobile === null ? null : parseMobile(mobile),
  };
}

/** The visit's facts. `screenWidth` is what `parseScreenWidth` gives. Never throws. */
export function parseUserAgent(userAgent: string, hints: ClientHints, screenWidth: number | null): UserAgentFacts {
  return factsWithHints(factsFromUserAgent(userAgent), hints, screenWidth);
}

/** What the User-Agent says on its own: the slow part, and the same for every visit with this User-Agent. */
export function factsFromUserAgent(userAgent: string): UserAgentFacts {
  const text = userAgent.slice(0, USER_AGENT_CHARS_MAX);
  // Given nothing, the parser would look for a browser around itself.
  if (text === "" || isAbsurd(text)) return NOTHING_KNOWN;
  const parser = new UAParser(text, LINEAR_PATTERNS);
  const browser = parser.getBrowser();
  const system = parser.getOS();
  const os = system.name === undefined ? null : osNameFrom(system.name);
  return {
    browser: browser.name === undefined ? null : browserNameFrom(browser.name),
    browserVersion: browser.name === undefined ? null : versionFrom(browser.version ?? ""),
    os,
    osVersion: os === null ? null : osVersionFrom(system.version ?? "", os),
    deviceType: deviceTypeFrom(parser.getDevice().type, os),
  };
}

/** Nobody's real User-Agent, and perhaps dear to parse. */
const isAbsurd = (text: string): boolean =>
  text.split(" ", USER_AGENT_WORDS_MAX + 1).length > USER_AGENT_WORDS_MAX || (text.match(PATTERN_STARTS)?.length ?? 0) > PATTERN_STARTS_MAX;

/** `facts` of a User-Agent, corrected by the hints that came with it and completed by the width of the screen. */
export function factsWithHints(facts: UserAgentFacts, hints: ClientHints, screenWidth: number | null): UserAgentFacts {
  const os = hints.os ?? facts.os;
  const hintNamesBrowser = hints.browser !== null && !isWebViewOfApp(facts.browser, hints.browser);
  return {
    browser: hintNamesBrowser ? hints.browser : facts.browser,
    browserVersion: hintNamesBrowser ? versionWithHint(facts, hints) : facts.browserVersion,
    os,
    // Hints carry no version of the system, and that of another system is none.
    osVersion: os === facts.os ? facts.osVersion : null,
    deviceType: deviceTypeFromHint(facts, os, hints.mobile) ?? facts.deviceType ?? deviceTypeFromWidth(screenWidth),
  };
}

/** An app's web view sends the view's brand, while the User-Agent names the app. */
function isWebViewOfApp(browser: string | null, brand: string): boolean {
  return SHELL_BRANDS.has(brand) && browser !== null && !SHELL_BROWSERS.has(browser);
}

/** The hint's version, which is a major number; with the minor one when the User-Agent knows it of the same browser. */
function versionWithHint(facts: UserAgentFacts, hints: ClientHints): string | null {
  const isSame = facts.browser === hints.browser && facts.browserVersion?.startsWith(`${hints.browserVersion}.`);
  return isSame === true ? facts.browserVersion : hints.browserVersion;
}

function deviceTypeFrom(type: string | undefined, os: string | null): string | null {
  if (type !== undefined) return type === "smarttv" ? "tv" : type;
  return os !== null && DESKTOP_SYSTEMS.has(os) ? "desktop" : null;
}

function deviceTypeFromHint(facts: UserAgentFacts, os: string | null, mobile: boolean | null): string | null {
  if (mobile === null || (facts.deviceType !== null && SPECIAL_DEVICES.has(facts.deviceType))) return null;
  if (mobile) return "mobile";
  // Tablets say that they are not mobile, and desks do not run Android.
  return os === "Android" || facts.deviceType === "tablet" ? "tablet" : "desktop";
}

function deviceTypeFromWidth(screenWidth: number | null): string | null {
  if (screenWidth === null) return null;
  if (screenWidth < MOBILE_WIDTH_END) return "mobile";
  return screenWidth < TABLET_WIDTH_END ? "tablet" : "desktop";
}

/** The most telling brand of the list. Its order is shuffled by the browser and means nothing. */
function mainBrand(header: string): Brand | null {
  let main: Brand | null = null;
  for (const [, quoted = "", version = ""] of header.slice(0, HEADER_CHARS_MAX).matchAll(BRAND)) {
    const name = quoted.includes("\\") ? quoted.replace(/\\(.)/g, "$1") : quoted;
    if (!NAME.test(name) || isDecoy(name)) continue;
    const brand = { name: browserNameFrom(name), version: versionFrom(version) };
    if (main === null || weightOf(brand) > weightOf(main)) main = brand;
  }
  return main;
}

/** Chromium puts a brand like `Not.A/Brand` into the list, its punctuation ever changing; Yandex puts `Yowser` beside its own. */
function isDecoy(name: string): boolean {
  if (!DECOY_START.test(name)) return false;
  const letters = name.replace(/[^A-Za-z]/g, "").toLowerCase();
  return letters === "notabrand" || letters === "notanybrand" || letters === "yowser";
}

/** Browsers built on Chrome may name themselves, Chrome and Chromium: the name that fewest share tells the most. */
function weightOf(brand: Brand): number {
  if (SHELL_BRANDS.has(brand.name)) return 0;
  return brand.name === "Chrome" ? 1 : 2;
}

function parsePlatform(header: string): string | null {
  const name = header.trim().replace(/^"(.*)"$/, "$1");
  return NAME.test(name) && name !== "Unknown" ? osNameFrom(name) : null;
}

function parseMobile(header: string): boolean | null {
  const value = header.trim();
  if (value === "?1") return true;
  return value === "?0" ? false : null;
}
