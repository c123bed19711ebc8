/** Runs before each test file: modules of the dashboard read the words and the languages of the browser when they are loaded. */
import { enLater } from "../../dashboard/words/en-later.ts";
import { en } from "../../dashboard/words/en.ts";
import { words } from "../../dashboard/words/words.ts";

Object.assign(words, en, enLater);

Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-GB"], userAgent: "Node.js" }, configurable: true });
