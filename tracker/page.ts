/** The page around the script: its URL and referrer, whatever its elements hide; and the script's errors, which never become the page's. */
import { PREFIX } from "./names.ts";

// oxlint-disable-next-line no-console -- the one place where the page's author can be told
export const warn = (...details: unknown[]): void => console.warn(PREFIX + ":", ...details);

/** Runs the action. An error of the script never becomes an error of the page: it is logged as a warning, and the result is undefined. */
export const attempt = <Result>(action: () => Result): Result | undefined => {
  try {
    return action();
  } catch (error) {
    warn(error);
    return undefined;
  }
};

type ReadProperties = Pick<Document, "currentScript" | "hidden" | "prerendering" | "querySelectorAll" | "referrer">;

/**
 * The document's own property. A named element such as `<img name="referrer">`, a collection of them or a frame takes
 * precedence (`LegacyOverrideBuiltIns` in Web IDL). Those are objects, so for an object the property is read from the
 * document's prototype.
 */
export const documentProperty = <Name extends keyof ReadProperties>(name: Name): ReadProperties[Name] =>
  typeof document[name] === "object" ? (Reflect.get(Document.prototype, name, document) as ReadProperties[Name]) : document[name];

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
