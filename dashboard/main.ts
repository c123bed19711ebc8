/** Entry point: loads the words first, because constants of the page hold them. */
import { loadFirstWords } from "./words/words.ts";

void loadFirstWords().then(() => import("./app.tsx"));
