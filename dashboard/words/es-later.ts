/** Spanish words of dialogs, settings and other pages, which load with the first of them. Addresses the reader as "tú"; infinitives on buttons. Quotation marks are « ». */
import type { enLater } from "./en-later.ts";
import type { Translation } from "./language.ts";

export const esLater = {} satisfies Translation<typeof enLater, "one" | "many" | "other">;
