/** Decides what the attributes of the script's tag mean, and which tag counts when a tag manager ran the script: the first that names a site. */

import { documentProperty } from "./document-property.ts";
import { EVENT_PATH } from "./names.ts";

/** Yes-or-no attributes, as `dataset` spells them. */
export type Flag = "includeLocal" | "honorDnt" | "hash" | "outbound" | "downloads";

export type Settings = {
  /** Empty when no tag names a site; then nothing is sent. */
  readonly site: string;
  readonly api: string;
  readonly excluded: readonly RegExp[];
  readonly download: RegExp;
  readonly flag: (name: Flag) => boolean;
};

const DOWNLOAD_EXTENSIONS =
  "pdf|csv|txt|rtf|docx?|xlsx?|pptx?|od[pst]|epub|zip|rar|7z|t?gz|tar|dmg|pkg|exe|msi|deb|rpm|apk|iso|mp[34]|wav|mov|avi|mkv|webm";

/** `*` stands for any characters, slashes too; a closing slash makes no difference. Addresses have spaces and letters beyond ASCII escaped. */
export const pathPattern = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[^!-~]+/g, encodeURI)
      .replace(/[^*\w]/g, "\\$&")
      .replace(/\*/g, ".*")}/?$`,
  );

/** What counts of a tag: its attributes as `dataset` spells them, and where the script came from. */
export type Tag = { readonly dataset: { readonly [name: string]: string | undefined }; readonly src: string };

const namesSite = (tag: unknown): tag is HTMLScriptElement => tag instanceof HTMLScriptElement && !!tag.dataset.domain;

/** Only scripts of HTML count, not those of SVG, which have no `src`. */
export const ownTag = (): Tag =>
  [documentProperty("currentScript"), ...documentProperty("querySelectorAll").call(document, "script[data-domain]")].find(namesSite) || {
    dataset: {},
    src: "",
  };

export const settingsFrom = ({ dataset, src }: Tag): Settings => ({
  site: dataset.domain || "",
  // A script with no address of its own belongs to the page's origin.
  api: dataset.api || new URL(src || location.href).origin + EVENT_PATH,
  excluded: ((dataset.exclude || "").match(/[^\s,]+/g) || []).map(pathPattern),
  // Extensions may be separated by anything and may begin with a dot.
  download: new RegExp(`\\.\\b(${(dataset.downloadExt || "").replace(/\W+/g, "|") || DOWNLOAD_EXTENSIONS})$`, "i"),
  // An attribute without a value is a yes, as in HTML itself.
  flag: (name) => name in dataset && dataset[name] !== "false",
});
