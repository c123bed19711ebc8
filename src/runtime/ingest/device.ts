/** Browser, system and device type of an event: client hints first, then the User-Agent, then the screen width. */
import UAParser from "ua-parser-js";
import { LruMap } from "../../storage/lru-map.ts";
import { USER_AGENT_CHARS_MAX, USER_AGENTS_CACHED_MAX } from "../base/config/limits.ts";
import { isbot } from "isbot";
import { botNameOf } from "../bots/known-bots.ts";
import { BROWSER_PATTERNS, DEVICE_PATTERNS, isDisguisedIpad, mailServiceOf } from "./browser-patterns.ts";

/** Name of the User-Agent parser or the hint, in lower case -> recorded name. Other names stay as they are. */
const BROWSER_NAMES: ReadonlyMap<string, string> = new Map([
  ["avast secure browser", "Avast Secure Browser"],
  ["chrome headless", "Chrome Headless"],
  ["chrome webview", "Android WebView"],
  ["coccoc", "Coc Coc"],
  ["google chrome", "Chrome"],
  ["gsa", "Google App"],
  ["headlesschrome", "Chrome Headless"],
  ["huaweibrowser", "Huawei Browser"],
  ["ie", "Internet Explorer"],
  ["iemobile", "Internet Explorer"],
  ["microsoft edge", "Edge"],
  ["microsoft edge webview2", "Edge WebView2"],
  ["miuibrowser", "MIUI Browser"],
  ["mobile safari", "Safari"],
  ["opera mobi", "Opera"],
  ["opera tablet", "Opera"],
  ["operamobile", "Opera"],
  ["qqbrowser", "QQ Browser"],
  ["samsungbrowser", "Samsung Internet"],
  ["ucbrowser", "UC Browser"],
  ["weibo", "Weibo"],
  ["xiaomi browser", "MIUI Browser"],
  ["yabrowser", "Yandex"],
  ["yandex browser", "Yandex"],
]);

const OS_NAMES: ReadonlyMap<string, string> = new Map([
  ["android-x86", "Android"],
  ["chrome os", "ChromeOS"],
  ["openharmony", "HarmonyOS"],
  ["kaios", "KaiOS"],
  ["chromium os", "ChromeOS"],
  ["linux", "Linux"],
  ["mac os", "macOS"],
  ["mac os x", "macOS"],
  ["macos", "macOS"],
  // Hints, and the browsers of most distributions, say "Linux" for all of these: separate names would only split the counts.
  ...(
    "arch, centos, debian, deepin, elementary os, fedora, gentoo, gnu, kubuntu, linpus, linspire, lubuntu, mageia, " +
    "mandriva, manjaro, mint, opensuse, pclinuxos, raspbian, red hat, redhat, sabayon, slackware, suse, ubuntu, " +
    "vectorlinux, xubuntu, zenwalk"
  )
    .split(", ")
    .map((name): [string, string] => [name, "Linux"]),
]);

/** Systems with versions that are words: Windows XP, Xbox One, Nintendo Switch. */
const OS_WITH_WORD_VERSIONS: ReadonlySet<string> = new Set(["Nintendo", "Windows", "Xbox"]);

const VERSION_WORD = /^[A-Za-z][A-Za-z0-9 .]{0,19}$/;

// Longer numbers are not versions.
const VERSION_NUMBER = /^(\d{1,9})(?!\d)(?:\.(\d{1,9})(?!\d))?/;

export const browserNameFrom = (name: string): string => BROWSER_NAMES.get(name.toLowerCase()) ?? name;

export const osNameFrom = (name: string): string => OS_NAMES.get(name.toLowerCase()) ?? name;

/**
 * Major and minor version, the latter only when it is not zero: `124.0.6367.60` -> `124`, `17.4.1` -> `17.4`. More parts would
 * split breakdowns into rows of a few visitors each. `null` when the text does not start with a number.
 */
export function versionFrom(version: string): string | null {
  const [, major, minor] = VERSION_NUMBER.exec(version) ?? [];
  if (major === undefined) return null;
  return minor === undefined || Number(minor) === 0 ? major : `${major}.${minor}`;
}

/**
 * The version of an operating system; `os` is its recorded name. Linux has none: what follows it in a User-Agent is the CPU architecture.
 */
export function osVersionFrom(version: string, os: string): string | null {
  if (os === "Linux") return null;
  if (OS_WITH_WORD_VERSIONS.has(os) && VERSION_WORD.test(version)) return version;
  return versionFrom(version);
}

/** `Sec-CH-UA`, `Sec-CH-UA-Platform` and `Sec-CH-UA-Mobile` (User-Agent Client Hints, WICG). */
type ClientHintHeaders = Readonly<Record<"brands" | "platform" | "mobile", string | null>>;

/** `null` means that the hint was not sent or says nothing. */
export interface ClientHints {
  readonly browser: string | null;
  readonly browserVersion: string | null;
  /** The major version of Chromium, which all browsers built on it name as well. */
  readonly engineVersion: string | null;
  readonly os: string | null;
  readonly mobile: boolean | null;
}

export const NO_CLIENT_HINTS: ClientHints = { browser: null, browserVersion: null, engineVersion: null, os: null, mobile: null };

/** Brands of an engine or a web view, which many browsers and apps are built on. */
const ENGINE_BRANDS: ReadonlySet<string> = new Set(["Android WebView", "Chromium"]);

type Brand = { readonly name: string; readonly version: string | null };

// Real headers have fewer than 150 characters; the limit bounds the cost of hostile ones.
const HEADER_CHARS_MAX = 512;

/** The next brand of the list, where the last one ends: a search from every quotation mark would take quadratic time. */
const BRAND = /(?:\s*,)?\s*"((?:[^"\\]|\\.)*)"\s*;\s*v="([^"\\]*)"/gy;

const DECOY_START = /^[^A-Za-z]*(?:not|yow)/i;

/** Characters of a structured field's string (RFC 8941), without quotes and backslashes. */
const NAME = /^[!#-[\]-~](?:[ !#-[\]-~]{0,62}[!#-[\]-~])?$/;

/** Never throws: a header that does not parse counts as not sent. */
export function parseClientHints({ brands, platform, mobile }: ClientHintHeaders): ClientHints {
  if (brands === null && platform === null && mobile === null) return NO_CLIENT_HINTS;
  const named = brands === null ? [] : brandsIn(brands);
  const brand = mainBrand(named);
  return {
    browser: brand?.name ?? null,
    browserVersion: brand?.version ?? null,
    engineVersion: named.find(({ name }) => name === "Chromium")?.version ?? null,
    os: platform === null ? null : parsePlatform(platform),
    mobile: mobile === null ? null : parseMobile(mobile),
  };
}

/** Chrome without a window says so in its hints even where its User-Agent does not. */
export const isHeadless = ({ browser }: ClientHints): boolean => browser?.includes("Headless") ?? false;

function brandsIn(header: string): readonly Brand[] {
  const brands: Brand[] = [];
  for (const [, quoted = "", version = ""] of header.slice(0, HEADER_CHARS_MAX).matchAll(BRAND)) {
    const name = quoted.includes("\\") ? quoted.replace(/\\(.)/g, "$1") : quoted;
    if (NAME.test(name) && !isDecoy(name)) brands.push({ name: browserNameFrom(name), version: versionFrom(version) });
  }
  return brands;
}

/** The most specific brand. Browsers shuffle them, so their order means nothing. */
function mainBrand(brands: readonly Brand[]): Brand | null {
  let main: Brand | null = null;
  for (const brand of brands) if (main === null || specificityOf(brand) > specificityOf(main)) main = brand;
  return main;
}

/** Chromium adds a brand like `Not.A/Brand`, with changing punctuation; Yandex adds `Yowser`. */
function isDecoy(name: string): boolean {
  if (!DECOY_START.test(name)) return false;
  const letters = name.replace(/[^A-Za-z]/g, "").toLowerCase();
  return letters === "notabrand" || letters === "notanybrand" || letters === "yowser";
}

/** A browser built on Chrome may list itself, Chrome and Chromium: the brand that the fewest browsers share is the most specific. */
function specificityOf(brand: Brand): number {
  if (ENGINE_BRANDS.has(brand.name)) return 0;
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

/** A larger width is a mistake or a joke. */
const SCREEN_WIDTH_MAX = 99_999;

const MOBILE_WIDTH_END = 768;
const TABLET_WIDTH_END = 1024;

/** Device types that the mobile hint cannot contradict: it only says whether a device is mobile. */
const SPECIAL_DEVICES: ReadonlySet<string> = new Set(["tv", "console", "wearable", "embedded"]);

/** Browsers that the User-Agents of plain Chrome and of web views name; a hint says which browser it really is. */
const ENGINE_BROWSERS: ReadonlySet<string> = new Set([...ENGINE_BRANDS, "Android Browser", "Chrome"]);

/** `width` in whole CSS pixels, from 1 to 99,999; `null` when it rounds to none of these. */
export function parseScreenWidth(width: number | null): number | null {
  if (width === null) return null;
  const pixels = Math.round(width);
  return pixels >= 1 && pixels <= SCREEN_WIDTH_MAX ? pixels : null;
}

export function detectDevice(device: DeviceInfo, hints: ClientHints, screenWidth: number | null): DeviceInfo {
  const os = hints.os ?? device.os;
  const hintNamesBrowser = hints.browser !== null && !isWebViewOfApp(device.browser, hints.browser);
  return {
    browser: hintNamesBrowser ? hints.browser : device.browser,
    browserVersion: hintNamesBrowser ? versionWithHint(device, hints) : device.browserVersion,
    os,
    // Hints carry no system version, and the version of another system would be wrong.
    osVersion: os === device.os ? device.osVersion : null,
    deviceType: deviceTypeFromHint(device, os, hints.mobile) ?? device.deviceType ?? deviceTypeFromWidth(screenWidth),
  };
}

/** A web view sends its own brand as a hint, while the User-Agent names the app. */
function isWebViewOfApp(browser: string | null, brand: string): boolean {
  return ENGINE_BRANDS.has(brand) && browser !== null && !ENGINE_BROWSERS.has(browser);
}

/** The hint's major version, with the minor version of the User-Agent when it names the same browser and major version. */
function versionWithHint(device: DeviceInfo, hints: ClientHints): string | null {
  const isSame = device.browser === hints.browser && device.browserVersion?.startsWith(`${hints.browserVersion}.`);
  return isSame === true ? device.browserVersion : hints.browserVersion;
}

function deviceTypeFromHint(device: DeviceInfo, os: string | null, mobile: boolean | null): string | null {
  if (mobile === null || (device.deviceType !== null && SPECIAL_DEVICES.has(device.deviceType))) return null;
  if (mobile) return "mobile";
  // Tablets say that they are not mobile, and desktops do not run Android.
  return os === "Android" || device.deviceType === "tablet" ? "tablet" : "desktop";
}

function deviceTypeFromWidth(screenWidth: number | null): string | null {
  if (screenWidth === null) return null;
  if (screenWidth < MOBILE_WIDTH_END) return "mobile";
  return screenWidth < TABLET_WIDTH_END ? "tablet" : "desktop";
}

/** `null` means "not known". */
export interface DeviceInfo {
  readonly browser: string | null;
  /** `124`, or `17.4` when the minor number is not zero. */
  readonly browserVersion: string | null;
  readonly os: string | null;
  readonly osVersion: string | null;
  /** `desktop`, `mobile`, `tablet`, `tv`, `console`, `wearable` or `embedded`. */
  readonly deviceType: string | null;
}

const UNKNOWN_DEVICE: DeviceInfo = { browser: null, browserVersion: null, os: null, osVersion: null, deviceType: null };

/** Real User-Agents have up to about 30 words. The parser takes milliseconds for long sequences of short words. */
const USER_AGENT_WORDS_MAX = 48;

/** Words at which patterns of the parser start that search for two more parts behind them; a real User-Agent has at most two. */
const PATTERN_STARTS = /droid|trident/gi;
const PATTERN_STARTS_MAX = 8;

/**
 * The parser's patterns backtrack over text that a client writes. Their cost is bounded by the length of the text, the number of words, the
 * repetitions above, and patterns that run before them. The most expensive User-Agent that a search over all patterns found takes a
 * millisecond; a browser's takes 0.02 ms.
 */
const PATTERNS = { browser: BROWSER_PATTERNS, device: DEVICE_PATTERNS };

/** Systems of desktops and laptops, for which the parser reports no device. */
const DESKTOP_SYSTEMS = /^(?:ChromeOS|FreeBSD|Haiku|Linux|macOS|NetBSD|OpenBSD|OpenSolaris|Solaris|Windows)$/;

/**
 * True if the User-Agent is that of a crawler, headless browser, monitor or HTTP library such as `curl/8.5.0` (docs/http-api.md,
 * "Bots"). A server that posts its visitors' events has to forward their User-Agents. An empty User-Agent is not a bot's:
 * servers and apps that post on purpose often have none, and crawlers that run the tracking script do have one.
 */
export const isBot = (userAgent: string): boolean => isbot(userAgent.slice(0, USER_AGENT_CHARS_MAX));

/** Never throws. Depends on the User-Agent only, so the result can be cached; `detectDevice` adds hints and screen width. */
export function parseUserAgent(userAgent: string): DeviceInfo {
  const text = userAgent.slice(0, USER_AGENT_CHARS_MAX);
  // Without a text, the parser would look for a browser around itself.
  if (text === "" || isHostile(text)) return UNKNOWN_DEVICE;
  const mailService = mailServiceOf(text);
  if (mailService !== null) return { browser: mailService, browserVersion: null, os: null, osVersion: null, deviceType: null };
  const parser = new UAParser(text, PATTERNS);
  const browser = parser.getBrowser();
  const system = parser.getOS();
  const isIpad = isDisguisedIpad(text);
  const os = isIpad ? "iPadOS" : system.name === undefined ? null : osNameFrom(system.name);
  const isWebView = browser.name === "WebKit" && os !== null && APPLE_SYSTEMS.test(os);
  return {
    browser: isWebView ? `${os} WebView` : browser.name === undefined ? null : browserNameFrom(browser.name),
    browserVersion: isWebView || browser.name === undefined ? null : versionFrom(browser.version ?? ""),
    os,
    osVersion: os === null || isIpad || isOfAndroid(os, text) ? null : osVersionFrom(system.version ?? "", os),
    deviceType: isIpad ? "tablet" : deviceTypeFrom(parser.getDevice().type, os),
  };
}

/** Their web views say the engine's name and version only, which are those of no browser. */
const APPLE_SYSTEMS = /^(?:iOS|iPadOS|macOS)$/;

/** HarmonyOS 2 to 4 says "Android 12; HarmonyOS", and not its own version. */
const isOfAndroid = (os: string, userAgent: string): boolean => os === "HarmonyOS" && userAgent.includes("Android");

/** Unlike any real User-Agent, and possibly expensive to parse. */
const isHostile = (text: string): boolean =>
  text.split(" ", USER_AGENT_WORDS_MAX + 1).length > USER_AGENT_WORDS_MAX || (text.match(PATTERN_STARTS)?.length ?? 0) > PATTERN_STARTS_MAX;

function deviceTypeFrom(type: string | undefined, os: string | null): string | null {
  if (type !== undefined) return type === "smarttv" ? "tv" : type;
  return os !== null && DESKTOP_SYSTEMS.test(os) ? "desktop" : null;
}

export interface UserAgentCache {
  isBot(userAgent: string): boolean;
  /** The name of a known bot; empty for others. */
  botNameOf(userAgent: string): string;
  /** Parsed on first use, so that the User-Agent of a dropped bot is never parsed. */
  deviceOf(userAgent: string): DeviceInfo;
  size(): number;
}

interface UserAgentEntry {
  readonly bot: boolean;
  /** null until it is asked for, like the next one. */
  botName: string | null;
  device: DeviceInfo | null;
}

/** Holds at most `entriesMax` User-Agents, and evicts the one that was not used for longest. */
export function createUserAgentCache(entriesMax: number = USER_AGENTS_CACHED_MAX): UserAgentCache {
  const entries = new LruMap<string, UserAgentEntry>({ max: entriesMax });

  function entryOf(userAgent: string): UserAgentEntry {
    const known = entries.get(userAgent);
    if (known !== undefined) return known;
    const entry: UserAgentEntry = { bot: isBot(userAgent), botName: null, device: null };
    // Hardly any real User-Agent is this long, and a header may have 64 KB.
    if (userAgent.length <= USER_AGENT_CHARS_MAX) entries.set(userAgent, entry);
    return entry;
  }

  return {
    isBot: (userAgent) => entryOf(userAgent).bot,
    botNameOf: (userAgent) => {
      const entry = entryOf(userAgent);
      return (entry.botName ??= botNameOf(userAgent.slice(0, USER_AGENT_CHARS_MAX)));
    },
    deviceOf: (userAgent) => {
      const entry = entryOf(userAgent);
      return (entry.device ??= parseUserAgent(userAgent));
    },
    size: () => entries.size,
  };
}
