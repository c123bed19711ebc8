/** The document around the script, whatever its elements hide; and the script's errors, which never become the page's. */
import { PREFIX } from "./names.ts";

// oxlint-disable-next-line no-console -- the one place where the page's author can be told
export const warn = (...details: unknown[]): void => console.warn(PREFIX + ":", ...details);

/** Runs the action. An error of the script never becomes an error of the page: it is logged as a warning, and the result is undefined. */
export const attempt = <Result>(action: () => Result): Result | undefined => {
  try {
    return action();
  } catch (error) {
    return warn(error) as undefined;
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
