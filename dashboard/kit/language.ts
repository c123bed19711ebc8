/** The menu of languages. The browser stores the choice, `before-paint.ts` reads it. */
import { store } from "../api/stored.ts";
import { language, LANGUAGE_NAMES, LANGUAGES, type Language } from "../words/language.ts";
import type { MenuItem } from "./menu.tsx";

/** `before-paint.ts` repeats it. */
const STORAGE_KEY = "sandpiper.language";

function chooseLanguage(chosen: Language): void {
  store("local", STORAGE_KEY, chosen);
  location.reload();
}

export const languageItems = (): MenuItem[] =>
  LANGUAGES.map((name) => ({ label: LANGUAGE_NAMES[name], isChosen: language === name, onChoose: () => chooseLanguage(name) }));
