/** The languages of the page, and the types of their words. `before-paint.ts` chooses one and writes it to `<html lang>`. */
export const LANGUAGES = ["en", "de", "fr", "es"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each in its own language, so that its readers find it. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch", fr: "Français", es: "Español" };

const ofDocument = typeof document === "undefined" ? null : document.documentElement.lang;

export const language: Language = LANGUAGES.find((name) => name === ofDocument) ?? "en";

/** Words with a form for each plural category of the language. */
export interface Plural {
  readonly one: string;
  readonly other: string;
}

/** The words of another language: the keys of English, and its own plural categories. */
export type Translation<T, Category extends string> = {
  readonly [Key in keyof T]: T[Key] extends string
    ? string
    : T[Key] extends Plural
      ? Readonly<Record<Category, string>>
      : Translation<T[Key], Category>;
};
