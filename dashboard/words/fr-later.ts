/** French words of dialogs, settings and other pages, which load with the first of them. Addresses the reader as "vous"; infinitives on buttons. A no-break space stands before : ; ! ? and inside « ». */
import type { enLater } from "./en-later.ts";
import type { Translation } from "./language.ts";

export const frLater = {} satisfies Translation<typeof enLater, "one" | "many" | "other">;
