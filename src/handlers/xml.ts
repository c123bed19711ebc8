/** Texts in XML documents. */

/** Control, bidirectional and invisible characters, and all that XML 1.0 forbids: none may end, reorder or hide a text. */
const UNREADABLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** A text that is fit to be content, and the value of an attribute. */
export const xmlText = (text: string): string =>
  text.replaceAll(UNREADABLE, "").replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
