/** Decides how the document is read: past elements that a page's visitors may have put in it, whose names hide its properties ("DOM clobbering"). */

/** What is read of the document. */
type Read = Pick<Document, "currentScript" | "hidden" | "prerendering" | "querySelectorAll" | "referrer">;

/**
 * The document's property of this name. A named element such as `<img name="referrer">`, a list of them or a frame comes
 * before it (`LegacyOverrideBuiltIns` of WebIDL). These are objects, so where an object is found the document's own
 * interface is asked.
 */
export const documentProperty = <Name extends keyof Read>(name: Name): Read[Name] =>
  typeof document[name] === "object" ? (Reflect.get(Document.prototype, name, document) as Read[Name]) : document[name];
