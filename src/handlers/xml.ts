/** Texts in XML documents. */
import { withHiddenAs } from "../shared/text.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Fit to be content, and the value of an attribute. Hidden characters are left out: XML 1.0 forbids all but a few of them. */
export const xmlText = (text: string): string => withHiddenAs(text, "").replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
