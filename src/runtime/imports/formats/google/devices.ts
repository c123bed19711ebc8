/** Devices, browsers and systems as Google Analytics names them, in the names that our own parser of User-Agents records. */
import { browserNameFrom, osNameFrom, osVersionFrom, versionFrom } from "../../../ingest/device.ts";

const NO_VALUE = /^(?:\(.*\)|<Other>|)$/;

export function systemOfName(name: string): string | null {
  if (NO_VALUE.test(name)) return null;
  return name === "Macintosh" ? "macOS" : osNameFrom(name);
}

interface System {
  readonly os: string | null;
  readonly osVersion: string | null;
}

/** Name and version of a system such as "Windows 10", "Chrome OS x86_64 15633.69.0" or "iOS 17.4.1". */
export function splitSystem(text: string): System {
  const [, name = text, version = ""] = /^(.*?)(?: (?:x86_64|aarch64|armv7l))? (\d[\w.]*|XP|Vista)$/.exec(text) ?? [];
  return system(name, version);
}

/** `version` may begin with the name: "Windows 10". */
export function system(name: string, version: string): System {
  const os = systemOfName(name.trim());
  if (os === null || NO_VALUE.test(version)) return { os, osVersion: null };
  const own = version.startsWith(name) ? version.slice(name.length).trim() : version;
  return { os, osVersion: osVersionFrom(own, os) };
}

const BROWSERS: Readonly<Record<string, string>> = {
  "Android Webview": "Android WebView",
  "Safari (in-app)": "iOS WebView",
};

export const browserOfName = (name: string): string | null => (NO_VALUE.test(name) ? null : (BROWSERS[name] ?? browserNameFrom(name)));

export const browserVersionOf = (version: string): string | null => versionFrom(version);
