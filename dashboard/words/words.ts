/**
 * All words of the page, in the reader's language: `words.kit.close`. Loaded before the code that reads them, so constants may hold them.
 * The English files declare the keys; the compiler checks the other languages against them (docs/internals/dashboard.md, "Words").
 */
import type { ComponentChildren } from "preact";
import type { enLater } from "./en-later.ts";
import type { en } from "./en.ts";
import { language, type Language, type Plural } from "./language.ts";

export const words = {} as typeof en & typeof enLater;

/** Words of the first view, and those that load with the first dialog or other page. */
const FILES: Readonly<Record<Language, { readonly first: () => Promise<object>; readonly later: () => Promise<object> }>> = {
  en: { first: async () => (await import("./en.ts")).en, later: async () => (await import("./en-later.ts")).enLater },
  de: { first: async () => (await import("./de.ts")).de, later: async () => (await import("./de-later.ts")).deLater },
  fr: { first: async () => (await import("./fr.ts")).fr, later: async () => (await import("./fr-later.ts")).frLater },
  es: { first: async () => (await import("./es.ts")).es, later: async () => (await import("./es-later.ts")).esLater },
};

const load = async (part: "first" | "later"): Promise<void> => void Object.assign(words, await FILES[language][part]());

export const loadFirstWords = (): Promise<void> => load("first");
export const loadLaterWords = (): Promise<void> => load("later");

type Placeholders<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;
type Tags<T extends string> = T extends `${string}</${infer Name}>${infer Rest}` ? Name | Tags<Rest> : never;

type Values<T extends string> = Readonly<Record<Placeholders<T>, string | number>>;

const numbers = new Intl.NumberFormat(language);

/** Replaces `{name}`. */
export const fill = <T extends string>(template: T, values: Values<T>): string =>
  template.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = (values as Readonly<Record<string, string | number>>)[name] ?? placeholder;
    return typeof value === "number" ? numbers.format(value) : value;
  });

const rules = new Intl.PluralRules(language);

/** The form for a number. It contains the number only as a placeholder, which `fill` replaces. */
export const pluralForm = <P extends Plural>(forms: P, count: number): P["one" | "other"] =>
  (forms as unknown as Record<string, string>)[rules.select(count)] ?? forms.other;

type Parts<T extends string> = Readonly<
  Record<Placeholders<T>, ComponentChildren> & Record<Tags<T>, (text: ComponentChildren) => ComponentChildren>
>;

/** `<name>text</name>` or `{name}` */
const PART = /<(\w+)>(.*?)<\/\1>|\{(\w+)\}/s;

/** Replaces `{name}` by a node, and `<name>text</name>` by what a function makes of the text. */
export function rich<T extends string>(template: T, parts: Parts<T>): ComponentChildren {
  const named = parts as Record<string, ComponentChildren | ((text: ComponentChildren) => ComponentChildren)>;
  const found = PART.exec(template);
  if (found === null) return template;
  const [whole, tag, text = "", placeholder = ""] = found;
  const part = named[tag ?? placeholder];
  const rest = template.slice(found.index + whole.length);
  return [template.slice(0, found.index), typeof part === "function" ? part(rich(text, named)) : part, rich(rest, named)];
}
