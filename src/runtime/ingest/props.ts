/** The stored custom properties, and their form (docs/http-api.md, "Custom properties"). */
import { wellFormed } from "../../shared/text.ts";
import { parseJson, type Json, type JsonObject } from "./escaped-keys.ts";
import { mayLoseDigits, protectNumbers, unprotectNumbers } from "./json-numbers.ts";

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
  if (mayLoseDigits(text)) return unprotectNumbers(storedForm(parseJson(protectNumbers(text)) as JsonObject, text));
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

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
