/** Parses the props string of an event. Numbers stay as they are written, because a JavaScript number would change long ones. */
import { UNKNOWN } from "./string-dictionary.ts";

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

const isSpace = (character: number): boolean => character === 0x20 || (character >= 0x09 && character <= 0x0d);

/** A position in a string of valid JSON. Each method moves it behind what it reads. */
class JsonCursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The code of the next character that is not white space; NaN at the end. */
  peek(): number {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++;
    return this.#text.charCodeAt(this.#at);
  }

  skip(): void {
    this.#at++;
  }

  /** The value of the string that begins here. */
  string(): string {
    const begin = this.#at;
    this.#skipString();
    return JSON.parse(this.#text.slice(begin, this.#at)) as string;
  }

  #skipString(): void {
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const character = this.#text.charCodeAt(this.#at);
      if (character === BACKSLASH) this.#at++;
      else if (character === QUOTE) break;
    }
    this.#at++;
  }

  /** The array that begins here, as it is written. */
  list(): string {
    const begin = this.#at;
    let depth = 0;
    do {
      const character = this.#text.charCodeAt(this.#at);
      if (character === OPEN_LIST) depth++;
      else if (character === CLOSE_LIST) depth--;
      if (character === QUOTE) this.#skipString();
      else this.#at++;
    } while (depth > 0 && this.#at < this.#text.length);
    return this.#text.slice(begin, this.#at);
  }

  /** The number, `true`, `false` or `null` that begins here, as it is written. */
  literal(): string {
    const begin = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text.charCodeAt(this.#at);
      if (character === COMMA || character === CLOSE_OBJECT || isSpace(character)) break;
    }
    return this.#text.slice(begin, this.#at);
  }
}

function collect(cursor: JsonCursor, prefix: string, found: Map<string, string>): void {
  cursor.skip();
  while (cursor.peek() === QUOTE) {
    const key = prefix + cursor.string();
    cursor.peek();
    cursor.skip();
    const first = cursor.peek();
    if (first === OPEN_OBJECT) collect(cursor, `${key}.`, found);
    else {
      const value = first === QUOTE ? cursor.string() : first === OPEN_LIST ? cursor.list() : cursor.literal();
      if (value !== (first === QUOTE ? UNKNOWN : "null")) found.set(key, value);
    }
    if (cursor.peek() === COMMA) cursor.skip();
    cursor.peek();
  }
  cursor.skip();
}

/**
 * Keys and values of a props string, which is a JSON object. Nested keys are joined with dots. Values are strings, with numbers and
 * arrays as they are written. A null has no entry, and neither has the text `(unknown)`, which counts as not recorded in columns, too.
 */
export function parseProps(props: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const cursor = new JsonCursor(props);
  if (cursor.peek() === OPEN_OBJECT) collect(cursor, "", found);
  return found;
}
