/** Decides what is told about where the visitor is and came from: never a fragment, and no referrer within the site. */

import { documentProperty } from "./document-property.ts";

/**
 * The page's address without its fragment. With `hash` the fragment is read as the rest of the path, because the
 * service keeps only the path: `/app#/about` becomes `/app/about`. What is no path in it stays out: its query joins
 * the page's, and from an `=` or `&` on it may be a token in the manner of `#access_token=`, which is dropped.
 */
export const pageAddress = (hash: boolean): string =>
  (hash
    ? location.href.replace(
        // From the beginning, or an address of many "?" would be tried from each of them.
        /^([^?#]*?)\/?(\?[^#]*)?#!?\/?(?![!/&=#]|$)([^?&=#]*)(\?.*)?.*/,
        (_, base, search = "", path, query = "") => `${base}/${path}${search}${search ? query.replace("?", "&") : query}`,
      )
    : location.href
  ).replace(/#.*/, "");

/** Where the visitor came from, if that was another origin. */
export const foreignReferrer = (): string => {
  const referrer = documentProperty("referrer");
  return referrer.startsWith(`${location.origin}/`) ? "" : referrer;
};
