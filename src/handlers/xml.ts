/** Texts in XML documents. */
import { withHiddenAs } from "../shared/text.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Without hidden characters, all of which but a few XML 1.0 forbids: a text that is fit to be content, and the value of an attribute. */
export const xmlText = (text: string): string => withHiddenAs(text, "").replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
