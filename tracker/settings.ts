/** The attributes of the script tag, and which tag they are read from: the running script's, or the first that names a site. */

import { documentProperty } from "./page.ts";
import { EVENT_PATH } from "./names.ts";

/** Boolean attributes, as `dataset` spells them. */
type Flag = "includeLocal" | "honorDnt" | "hash" | "outbound" | "downloads";

export type Settings = {
  /** Empty if no tag names a site; then nothing is sent. */
  readonly site: string;
  readonly api: string;
  readonly excluded: readonly RegExp[];
  readonly download: RegExp;
  readonly flag: (name: Flag) => boolean;
};

const DOWNLOAD_EXTENSIONS =
  "pdf|csv|txt|rtf|docx?|xlsx?|pptx?|od[pst]|epub|zip|rar|7z|t?gz|tar|dmg|pkg|exe|msi|deb|rpm|apk|iso|mp[34]|wav|mov|avi|mkv|webm";

/** `*` matches any characters, slashes included; a trailing slash is optional. Like a URL's path, the pattern is percent-encoded. */
export const pathPattern = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[^!-~]+/g, encodeURI)
      .replace(/[^*\w]/g, "\\$&")
      .replace(/\*/g, ".*")}/?$`,
  );

type Tag = { readonly dataset: { readonly [name: string]: string | undefined }; readonly src: string };

const namesSite = (tag: unknown): tag is HTMLScriptElement => tag instanceof HTMLScriptElement && !!tag.dataset.domain;

/** HTML scripts only: those of SVG have no `src`. A tag manager runs the script without a `currentScript`. */
export const ownTag = (): Tag =>
  [documentProperty("currentScript"), ...documentProperty("querySelectorAll").call(document, "script[data-domain]")].find(namesSite) || {
    dataset: {},
    src: "",
  };

export const settingsFrom = ({ dataset, src }: Tag): Settings => ({
  site: dataset.domain || "",
  // An inline script sends to the page's origin.
  api: dataset.api || new URL(src || location.href).origin + EVENT_PATH,
  excluded: ((dataset.exclude || "").match(/[^\s,]+/g) || []).map(pathPattern),
  // Extensions may have any separator and a leading dot.
  download: new RegExp(`\\.\\b(${(dataset.downloadExt || "").replace(/\W+/g, "|") || DOWNLOAD_EXTENSIONS})$`, "i"),
  // An attribute without a value is true, as in HTML.
  flag: (name) => name in dataset && dataset[name] !== "false",
});
