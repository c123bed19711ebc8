/** The address of the page as it is sent, and which addresses are one page (docs/tracking.md, "What counts as a page view"). */
import { attributes, flag } from "./settings.ts";

/** Campaign parameters and the usual click ids, of platforms that the service does not know as well. `&` may be written as in HTML. */
const CAMPAIGN = /[?&](amp;)*(utm_|\w*(cl(k|ick)?id|[gw]braid|li_fat_id)=)[^&]*/g;

/**
 * The page's URL without its fragment. With `data-hash`, a fragment that is a path continues the path, because the service stores only the
 * path: `/app#/about` becomes `/app/about`, and its query joins the page's own. With `data-hash="all"` that holds for any fragment, except
 * for one with `key=value`, which may be a secret like `#access_token=…`. Of all others, only a campaign is kept.
 */
export const pageUrl = (): string => {
  const { href, hash, search } = location;
  const page = href.split(/[?#]/)[0] as string;
  const [found, slash, path, query = ""] = hash.match(/^#!?(\/?)([^?#&=]*)(\?[^#]*)?(#|$)/) || [];
  const isPath = found && (attributes.hash === "all" || (slash && flag("hash")));
  const added = isPath ? query : (hash.replace("#", "?").match(CAMPAIGN) || []).join("");
  return (isPath && path ? page.replace(/\/?$/, "/") + path : page) + search + added.replace(/^./, search ? "&" : "?");
};

/**
 * Equal for two URLs of one page: a campaign that is removed and a trailing slash are no navigation, and with `data-query="ignore"` the
 * query is none either.
 */
export const pageKey = (): string =>
  pageUrl()
    .replace(attributes.query === "ignore" ? /\?.*/ : CAMPAIGN, "")
    .replace(/\/?([?&]|$)/, "?");
