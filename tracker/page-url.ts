/** The page's URL and referrer as they are recorded: the URL without its fragment, the referrer only from another origin. */

import { documentProperty } from "./document-property.ts";

/**
 * The page's URL without its fragment. With `hash` the fragment continues the path, because the service stores only the
 * path: `/app#/about` becomes `/app/about`. A query in the fragment joins the page's own; whatever follows an `=` or `&`
 * outside a query may be a secret like `#access_token=…` and is dropped.
 */
export const pageUrl = (hash: boolean): string =>
  (hash
    ? location.href.replace(
        // Anchored, so that a URL with many "?" is not tried from each of them.
        /^([^?#]*?)\/?(\?[^#]*)?#!?\/?(?![!/&=#]|$)([^?&=#]*)(\?.*)?.*/,
        (_, base, search = "", path, query = "") => `${base}/${path}${search}${search ? query.replace("?", "&") : query}`,
      )
    : location.href
  ).replace(/#.*/, "");

/** Empty when the visitor came from this origin. */
export const externalReferrer = (): string => {
  const referrer = documentProperty("referrer");
  return referrer.startsWith(`${location.origin}/`) ? "" : referrer;
};
