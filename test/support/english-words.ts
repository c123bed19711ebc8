/** Runs before each test file: modules of the dashboard read the words when they are loaded. */
import { enLater } from "../../dashboard/words/en-later.ts";
import { en } from "../../dashboard/words/en.ts";
import { words } from "../../dashboard/words/words.ts";

Object.assign(words, en, enLater);
