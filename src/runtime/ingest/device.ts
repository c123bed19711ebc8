/** Browser, system and device type of an event: client hints first, then the User-Agent, then the screen width. */
import { ENGINE_BRANDS, type ClientHints } from "./client-hints.ts";
import type { DeviceInfo } from "./user-agent.ts";

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

/** The device of a User-Agent, corrected by the hints sent with it and completed by the screen width. */
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
