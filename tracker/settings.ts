/** The attributes of the script tag, and which tag they are read from: the running script's, or the first that names a site. */

import { documentProperty } from "./page.ts";
import { EVENT_PATH } from "./names.ts";

/** Attributes that turn something on, as `dataset` spells them. */
type Flag = "includeLocal" | "honorDnt" | "hash" | "frames" | "outbound" | "downloads";

type Attributes = { readonly [name: string]: string | undefined };

type Tag = { readonly dataset: Attributes; readonly src?: string };

// One tracker runs in a page, so these are variables: every one that is passed on would cost bytes.
/** None if no tag names a site; then nothing is sent. */
export let sites: readonly string[];
export let api: string;
export let excluded: readonly RegExp[];
/** Hosts to which links are not outbound: the page's, with and without `www.` like that of a referrer, and others that the site names. */
export let ownHosts: readonly RegExp[];
export let download: RegExp;
export let attributes: Attributes;

/** An attribute without a value is true, as in HTML. */
export const flag = (name: Flag): boolean => name in attributes && attributes[name] !== "false";

const DOWNLOAD_EXTENSIONS =
  "pdf|csv|txt|rtf|(doc|xls|ppt)x?|od[pst]|epub|zip|rar|7z|t?gz|tar|dmg|pkg|exe|msi|deb|rpm|apk|iso|mp[34]|wav|mov|avi|mkv|webm";

/** `*` matches any characters, slashes included; a trailing slash is optional. Like a URL's path, the pattern is percent-encoded. */
const patternOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[^!-~]+/g, encodeURI)
      .replace(/[^*\w]/g, "\\$&")
      .replace(/\*/g, ".*")}/?$`,
  );

const listed = (list = ""): readonly string[] => list.match(/[^\s,]+/g) || [];

/** HTML scripts only: those of SVG have no `src`. A tag manager runs the script without a `currentScript`. */
export const ownTag = (): Tag =>
  (
    [
      documentProperty("currentScript"),
      ...documentProperty("querySelectorAll").call(document, "script[data-domain]"),
    ] as (HTMLScriptElement | null)[]
  ).find((tag) => tag && "src" in tag && tag.dataset.domain) || { dataset: {} };

/** Called before anything else. `exclude` are paths as such, which an attribute cannot always list. */
export const configure = ({ dataset, src }: Tag, exclude = listed(dataset.exclude)): void => {
  attributes = dataset;
  sites = listed(dataset.domain);
  // An inline script sends to the page's origin.
  api = dataset.api || new URL(EVENT_PATH, src || location.href).href;
  excluded = exclude.map(patternOf);
  const host = location.hostname.replace(/^www\./, "");
  ownHosts = listed(`${host},www.${host},${dataset.ownHosts}`).map(patternOf);
  // Extensions may have any separator and a leading dot.
  download = new RegExp(`\\.\\b(${(dataset.downloadExt || "").replace(/\W+/g, "|") || DOWNLOAD_EXTENSIONS})$`, "i");
};
