/** Reads a page's HTML and headers for the installation check: its script tag, and obstacles that keep the browser from using it. */
import { SCRIPT_PATHS } from "../../shared/names.ts";
import { URL_CHARS_MAX } from "../base/config/limits.ts";
import { EVENT_PATH, isSiteId } from "../base/config/names.ts";
import { resolveUrl } from "../ingest/urls.ts";
import { ContentSecurityPolicy } from "./content-security-policy.ts";
import { tagsIn, type Tag } from "./html-tags.ts";
import type { FetchedPage } from "./page-fetch.ts";

/**
 * `found`: a tag with this script. `other_address`: a tag with a script of this name elsewhere. `mentioned`: no tag, but the
 * address is in the page, as where a framework adds the tag in the browser. `absent`: none of these.
 */
export const SCRIPT_FINDINGS = ["found", "other_address", "mentioned", "absent"] as const;

/** `policy`: the Content Security Policy. `mixed_content`: an https page does not load it over http. */
export const BLOCKERS = ["policy", "mixed_content"] as const;

type Blocker = (typeof BLOCKERS)[number];

export interface HtmlFindings {
  readonly script: (typeof SCRIPT_FINDINGS)[number];
  /** The sites that the tag names, separated by commas; null without one. */
  readonly dataDomain: string | null;
  readonly usesTagManager: boolean;
  readonly scriptBlockedBy: Blocker | null;
  readonly eventsBlockedBy: Blocker | null;
}

interface InstalledScript {
  readonly scriptUrl: URL;
  /** Paths at which sites proxy the script, under their own names (`script_paths`). */
  readonly proxiedPaths: readonly string[];
}

interface ScriptTag {
  readonly url: URL;
  readonly attributes: Tag["attributes"];
  readonly finding: "found" | "other_address";
}

const TAG_MANAGER = "googletagmanager.com/";

/** A path of the service, which may be below a path of its host, like the script. */
const beside = ({ pathname }: URL, path: string): string => pathname.slice(0, pathname.lastIndexOf("/")) + path;

function findingOf({ pathname, host }: URL, { scriptUrl, proxiedPaths }: InstalledScript): ScriptTag["finding"] | null {
  const isBeside = [...SCRIPT_PATHS, ...proxiedPaths].some((path) => pathname === beside(scriptUrl, path));
  if (proxiedPaths.includes(pathname) || (isBeside && host === scriptUrl.host)) return "found";
  return isBeside || SCRIPT_PATHS.some((path) => pathname === path) ? "other_address" : null;
}

/** A tag of the script, if `tag` is one. A script of the same name elsewhere counts only if it names a site: others use the same name. */
function scriptTagFrom({ name, attributes }: Tag, base: URL, installed: InstalledScript): ScriptTag | null {
  const src = attributes.get("src");
  if (name !== "script" || src === undefined) return null;
  const url = resolve(src, base);
  const finding = url && findingOf(url, installed);
  if (!url || !finding || (finding === "other_address" && !attributes.has("data-domain"))) return null;
  return { url, attributes, finding };
}

/** A long reference also counts as invalid: as the base of many others, it would take quadratic time. */
const resolve = (reference: string, base: URL): URL | null => (reference.length > URL_CHARS_MAX ? null : resolveUrl(reference, base));

/** Prefers the first tag of this instance, else the first tag. */
function scan(html: string, page: URL, installed: InstalledScript) {
  let base: URL | null = null;
  let scriptTag: ScriptTag | null = null;
  const policies: string[] = [];
  for (const tag of tagsIn(html)) {
    const { name, attributes } = tag;
    if (name === "base" && attributes.has("href")) base ??= resolve(attributes.get("href") ?? "", page) ?? page;
    if (name === "meta" && attributes.get("http-equiv")?.toLowerCase() === "content-security-policy")
      policies.push(attributes.get("content") ?? "");
    const found = scriptTagFrom(tag, base ?? page, installed);
    if (found && (scriptTag === null || (scriptTag.finding !== "found" && found.finding === "found"))) scriptTag = found;
  }
  return { scriptTag, policies };
}

const isMixedContent = (url: URL, page: URL): boolean => page.protocol === "https:" && url.protocol === "http:";

/** The URL to which the tag sends events: `data-api`, else the path of events at the script's origin. */
function eventUrlOf(tag: ScriptTag | null, page: URL, scriptUrl: URL): URL {
  const api = tag?.attributes.get("data-api");
  const path = beside(scriptUrl, EVENT_PATH);
  return (api ? resolve(api, page) : null) ?? new URL(path, tag?.finding === "found" ? tag.url : scriptUrl);
}

function sitesNamedBy(tag: ScriptTag | null): string | null {
  const named = tag?.attributes.get("data-domain") ?? "";
  return (
    named
      .split(/[\s,]+/)
      .filter(isSiteId)
      .join(",") || null
  );
}

/** Checks the page at `page`, the target of all redirects. */
export function findingsIn({ html, policy }: FetchedPage, page: URL, installed: InstalledScript): HtmlFindings {
  const { scriptUrl } = installed;
  const { scriptTag, policies } = scan(html, page, installed);
  const csp = new ContentSecurityPolicy([...(policy === "" ? [] : [policy]), ...policies]);
  const url = scriptTag?.url ?? scriptUrl;
  const wanted = { url, page, nonce: scriptTag?.attributes.get("nonce") ?? null, isAdded: scriptTag === null };
  const events = { ...wanted, url: eventUrlOf(scriptTag, page, scriptUrl) };
  const blocker = (isAllowed: boolean, target: URL): Blocker | null =>
    isMixedContent(target, page) ? "mixed_content" : isAllowed ? null : "policy";
  return {
    script: scriptTag?.finding ?? (html.includes(scriptUrl.host + scriptUrl.pathname) ? "mentioned" : "absent"),
    dataDomain: sitesNamedBy(scriptTag),
    usesTagManager: html.includes(TAG_MANAGER),
    scriptBlockedBy: blocker(csp.allowsScript(wanted), url),
    eventsBlockedBy: blocker(csp.allowsEvents(events), events.url),
  };
}
