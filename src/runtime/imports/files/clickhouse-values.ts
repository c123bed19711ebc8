/** Arrays as ClickHouse writes them into text. */

const ITEM = /\s*'([^'\\]*(?:\\.[^'\\]*)*)'\s*,?/gy;

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", 0: "\0" };

export const unescaped = (text: string): string =>
  text.includes("\\") ? text.replaceAll(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character) : text;

/** The texts of `['a','it\'s']`. */
export const arrayFrom = (text: string): readonly string[] =>
  text.startsWith("['") ? Array.from(text.slice(1).matchAll(ITEM), ([, item = ""]) => unescaped(item)) : [];

/** Properties of two arrays, which ClickHouse keeps in columns named alike. null if there are none. */
export function propsFrom(keys: readonly string[], values: readonly string[]): Readonly<Record<string, string>> | null {
  return keys.length === 0 ? null : Object.fromEntries(keys.map((key, i) => [key, values[i] ?? ""]));
}
