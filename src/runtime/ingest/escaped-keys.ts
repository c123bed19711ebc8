/**
 * `JSON.parse` with keys as they were sent. Since V8 13.6 (Node 24), it may take an escaped key for another that has a backslash in its
 * place, if an object of that shape was parsed before (https://github.com/nodejs/node/issues/63785): one client could rename another's.
 */

export type JsonObject = { [key: string]: Json };
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** Any text with a backslash in a key matches, and some with one in a string of an array. */
const ESCAPED_KEY = /[{,]\s*"[^"\\]*\\/;

/** The strings of valid JSON. A string followed by a colon is a key. */
const STRINGS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/** Throws a SyntaxError as `JSON.parse` does. */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (!text.includes("\\") || !ESCAPED_KEY.test(text)) return value;
  const keys: string[] = [];
  const numbered = text.replace(STRINGS, (token: string, key: string, colon: string | undefined) => {
    if (colon === undefined) return token;
    // A letter in front, because an object sorts keys that are numbers.
    return `"k${keys.push(JSON.parse(key) as string) - 1}":`;
  });
  return withKeys(JSON.parse(numbered) as Json, keys);
}

/** The value with its keys back, without recursion: a body may be nested deeper than the stack allows. `__proto__` is dropped. */
function withKeys(root: Json, keys: readonly string[]): Json {
  const whole = { root };
  const pending: (Json[] | JsonObject)[] = [whole];
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    for (const [at, child] of Object.entries(container)) {
      if (typeof child !== "object" || child === null) continue;
      const named = Array.isArray(child) ? child : renamed(child, keys);
      (container as JsonObject)[at] = named;
      pending.push(named);
    }
  }
  return whole.root;
}

function renamed(numbered: JsonObject, keys: readonly string[]): JsonObject {
  const object: JsonObject = {};
  for (const [number, value] of Object.entries(numbered)) {
    const key = keys[Number(number.slice(1))] ?? "";
    if (key !== "__proto__") object[key] = value;
  }
  return object;
}
