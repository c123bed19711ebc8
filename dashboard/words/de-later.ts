/** German words of dialogs, settings and other pages, which load with the first of them. Formal ("Sie") where the reader is addressed; infinitives on buttons. Quotation marks are „…“. */
import type { enLater } from "./en-later.ts";
import type { Translation } from "./language.ts";

export const deLater = {} satisfies Translation<typeof enLater, "one" | "other">;
