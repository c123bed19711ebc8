/** Reads properties of the document despite DOM clobbering: elements in the page whose names hide them. */

type ReadProperties = Pick<Document, "currentScript" | "hidden" | "prerendering" | "querySelectorAll" | "referrer">;

/**
 * The document's own property. A named element such as `<img name="referrer">`, a collection of them or a frame takes
 * precedence (`LegacyOverrideBuiltIns` in Web IDL). Those are objects, so for an object the property is read from the
 * document's prototype.
 */
export const documentProperty = <Name extends keyof ReadProperties>(name: Name): ReadProperties[Name] =>
  typeof document[name] === "object" ? (Reflect.get(Document.prototype, name, document) as ReadProperties[Name]) : document[name];
