/** The stored custom properties, and their form (docs/http-api.md, "Custom properties"). */
import { wellFormed } from "../../shared/text.ts";

type JsonObject = { [key: string]: Json };
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** Any text with a backslash in a key matches, and some with one in a string of an array. */
const ESCAPED_KEY = /[{,]\s*"[^"\\]*\\/;

/** The strings of valid JSON. A string followed by a colon is a key. */
const STRINGS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/**
 * `JSON.parse` with keys as they were sent. Since V8 13.6 (Node 24), it may take an escaped key for another that has a backslash in its
 * place, if an object of that shape was parsed before (https://github.com/nodejs/node/issues/63785): one client could rename another's.
 *
 * Throws a SyntaxError as `JSON.parse` does.
 */
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

/** Only text that matches can hold such a number: 15 significant digits and two-digit exponents are always exact. */
const MAY_LOSE_DIGITS = /[\d.]{16}|[eE][+-]?\d{3}/;

/** The strings and numbers of valid JSON. A string followed by a colon is a key. */
const TOKENS = /"(?:[^"\\]+|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/g;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** First character of every string value while long numbers are strings: tells strings and numbers apart. */
const STRING_MARK = "s";
const NUMBER_MARK = "n";

/**
 * `json` with each number that would lose digits in `JSON.parse` as a string. Every string value gets a mark, for `unprotectNumbers`.
 */
function protectNumbers(json: string): string {
  return json.replace(TOKENS, (token: string, colon: string | undefined) => {
    if (colon !== undefined) return token;
    if (token.startsWith('"')) return `"${STRING_MARK}${token.slice(1)}`;
    return isExact(token) ? token : `"${NUMBER_MARK}${token}"`;
  });
}

/** Reverts `protectNumbers`, also after the JSON was parsed and serialised again. */
function unprotectNumbers(json: string): string {
  return json.replace(TOKENS, (token: string, colon: string | undefined) => {
    if (colon !== undefined || !token.startsWith('"')) return token;
    return token[1] === NUMBER_MARK ? token.slice(2, -1) : `"${token.slice(2)}`;
  });
}

/** True if `JSON.stringify` writes a number of the same value, possibly in another notation. */
function isExact(literal: string): boolean {
  const number = Number(literal);
  return Number.isFinite(number) && decimalOf(literal) === decimalOf(String(number));
}

/** A canonical form: equal for two literals if and only if they have the same value. */
function decimalOf(literal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(literal) ?? [];
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === "0") start++;
  if (start === end) return "0";
  while (digits[end - 1] === "0") end--;
  const scale = Number(exponent) - fraction.length + digits.length - end;
  return `${sign}${digits.slice(start, end)}e${scale}`;
}

/** JSON without either needs no cleaning. A lone surrogate, and the name itself, may be written with escapes. */
const SUSPICIOUS = /\\u|__proto__/;

/**
 * The properties as `JSON.stringify` writes them, except that numbers too long for JavaScript stay as they were sent; `null`
 * when `text` is not a JSON object. Keys called `__proto__` are dropped at any depth, lone surrogates become U+FFFD.
 * Idempotent.
 */
export function parseProps(text: string | null): string | null {
  const value = text === null ? null : parsed(text);
  if (text === null || !isObject(value)) return null;
  if (MAY_LOSE_DIGITS.test(text)) return unprotectNumbers(storedForm(parseJson(protectNumbers(text)) as JsonObject, text));
  return storedForm(value, text);
}

function storedForm(value: JsonObject, text: string): string {
  if (SUSPICIOUS.test(text)) clean(value);
  return JSON.stringify(value);
}

function parsed(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    // Invalid JSON is dropped like JSON that is not an object.
    return null;
  }
}

const isObject = (value: Json): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** Cleans in place, without recursion: a body may be nested deeper than the stack allows. */
function clean(root: JsonObject): void {
  const pending: (Json[] | JsonObject)[] = [root];
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    const cleaned = Array.isArray(container) ? cleanArray(container) : cleanObject(container);
    for (const value of cleaned) {
      if (typeof value === "object" && value !== null) pending.push(value);
    }
  }
}

/** Both return the remaining values. */
function cleanArray(array: Json[]): Json[] {
  for (const [index, value] of array.entries()) array[index] = cleanText(value);
  return array;
}

function cleanObject(object: JsonObject): Json[] {
  for (const [key, value] of Object.entries(object)) {
    // Removed and added again: keys that become equal merge, and the order stays that of the text.
    delete object[key];
    if (key !== "__proto__") object[wellFormed(key)] = cleanText(value);
  }
  return Object.values(object);
}

const cleanText = (value: Json): Json => (typeof value === "string" ? wellFormed(value) : value);
