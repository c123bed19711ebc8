/** Which custom properties are kept: those of a JSON object, in the one form in which they are stored. */
import { wellFormed } from "./code-points.ts";
import { mayLoseDigits, protectNumbers, unprotectNumbers } from "./json-numbers.ts";

/** Without an escape and without this name, a text that parses is clean. The name itself may be written with escapes. */
const SUSPICIOUS = /\\u|__proto__/;

type JsonObject = { [key: string]: Json };
type Json = null | boolean | number | string | Json[] | JsonObject;

/**
 * The properties as `JSON.stringify` writes them, but numbers that a JavaScript number cannot hold are left as they were sent;
 * `null` when `text` is not the JSON of an object. Keys called `__proto__` are dropped at any depth, lone surrogates become
 * U+FFFD. The result is kept as it is when it is parsed once more.
 */
export function parseProps(text: string | null): string | null {
  const value = text === null ? null : parseJson(text);
  if (text === null || !isObject(value)) return null;
  if (mayLoseDigits(text)) return unprotectNumbers(storedForm(JSON.parse(protectNumbers(text)) as JsonObject, text));
  return storedForm(value, text);
}

function storedForm(value: JsonObject, text: string): string {
  if (SUSPICIOUS.test(text)) clean(value);
  return JSON.stringify(value);
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Contract 4.1: what is no JSON object is dropped, and so is what is no JSON.
    return null;
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Cleans in place, with a list of what is left to do: a body can nest deeper than the stack is sure to reach. */
function clean(root: JsonObject): void {
  const pending: (Json[] | JsonObject)[] = [root];
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    const cleaned = Array.isArray(container) ? cleanArray(container) : cleanObject(container);
    for (const value of cleaned) {
      if (typeof value === "object" && value !== null) pending.push(value);
    }
  }
}

/** Both return the values that they leave. */
function cleanArray(array: Json[]): Json[] {
  for (const [index, value] of array.entries()) array[index] = cleanText(value);
  return array;
}

function cleanObject(object: JsonObject): Json[] {
  for (const [key, value] of Object.entries(object)) {
    // Taken out and put back, so that keys which become the same end as one and the order is that of the text.
    delete object[key];
    if (key !== "__proto__") object[wellFormed(key)] = cleanText(value);
  }
  return Object.values(object);
}

const cleanText = (value: Json): Json => (typeof value === "string" ? wellFormed(value) : value);
