/** Reads bot, browser, system and device from a User-Agent alone. Owns ua-parser-js and isbot. */
import { isbot } from "isbot";
import UAParser from "ua-parser-js";
import { USER_AGENT_CHARS_MAX } from "../base/config/limits.ts";
import { browserNameFrom, osNameFrom, osVersionFrom, versionFrom } from "./platform-names.ts";

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
 * The parser's patterns backtrack over text that a client writes. Their cost is bounded by the length of the text, the number
 * of words, the repetitions above, and these patterns: two of the parser's own would take a second over what follows `NAVER(`
 * and `Archos`. These run first and match wherever those could. The most expensive User-Agent that a search over all patterns
 * found takes a millisecond; a browser's takes 0.02 ms.
 */
const LINEAR_PATTERNS = {
  browser: [[/(naver)\((?:[^)]{0,64}?(\d{1,9}\.[\w.]{1,32}))?/i], ["name", "version"]],
  device: [[/archos ?(?:5(?: b|\))|gamepad|(?:[\w ]{0,32}[t1789]|hello) ?\d)/i], [["type", "tablet"]], [/archos/i], [["type", "mobile"]]],
};

/** Systems of desktops and laptops, for which the parser reports no device. */
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

/**
 * True if the User-Agent is that of a crawler, headless browser, monitor or HTTP library such as `curl/8.5.0` (docs/http-api.md,
 * "Bots"). A server that posts its visitors' events has to forward their User-Agents. An empty User-Agent is not a bot's:
 * servers and apps that post on purpose often have none, and crawlers that run the tracking script do have one.
 */
export function isBot(userAgent: string): boolean {
  return isbot(userAgent.slice(0, USER_AGENT_CHARS_MAX));
}

/** Never throws. Depends on the User-Agent only, so the result can be cached; `detectDevice` adds hints and screen width. */
export function parseUserAgent(userAgent: string): DeviceInfo {
  const text = userAgent.slice(0, USER_AGENT_CHARS_MAX);
  // Without a text, the parser would look for a browser around itself.
  if (text === "" || isHostile(text)) return UNKNOWN_DEVICE;
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

/** Unlike any real User-Agent, and possibly expensive to parse. */
const isHostile = (text: string): boolean =>
  text.split(" ", USER_AGENT_WORDS_MAX + 1).length > USER_AGENT_WORDS_MAX || (text.match(PATTERN_STARTS)?.length ?? 0) > PATTERN_STARTS_MAX;

function deviceTypeFrom(type: string | undefined, os: string | null): string | null {
  if (type !== undefined) return type === "smarttv" ? "tv" : type;
  return os !== null && DESKTOP_SYSTEMS.has(os) ? "desktop" : null;
}
