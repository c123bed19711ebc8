/** Custom properties: parsed from JSON when a report reads them, and given to the engine as rows. */
import { compiledTest, searchTest, stepsPerChar } from "../../query/text-matching.ts";
import { EngineFullError, type PropertiesWanted } from "../engine.ts";
import { type Entry, StringDictionary } from "./dictionaries.ts";
import { UNRECORDED } from "../../../shared/filters.ts";

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
      if (value !== (first === QUOTE ? UNRECORDED : "null")) found.set(key, value);
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

/** Characters parsed before other work of the thread runs: a few milliseconds. */
const BATCH_CHARS = 500_000;

const ROW_BYTES = 8;

/** Rows of the relations `properties` and `property_texts`. */
export interface PropertyRows {
  readonly props: Int32Array;
  readonly codes: Int32Array;
  /** The strings of the codes from 1 on. */
  readonly strings: readonly string[];
}

interface PropertyReader {
  /** Steps of the search for each character, at most; 0 without one: what is read then is bounded by the wanted bytes. */
  readonly weight: number;
  /**
   * Adds the rows of these props strings. Rejects with `EngineFullError` if there are more than the wanted bytes, and as `next` does,
   * which lets other work run.
   */
  read(entries: Iterable<Entry>, next: () => Promise<void>): Promise<void>;
  readonly rows: PropertyRows;
}

export function createPropertyReader(wanted: PropertiesWanted): PropertyReader {
  const props: number[] = [];
  const codes: number[] = [];
  const strings = new StringDictionary();
  const search = wanted.search === undefined ? null : searchTest(wanted.search);
  const isFound = search ? compiledTest(search) : () => true;
  const add = (propsCode: number, text: string) => {
    if (!isFound(text)) return;
    props.push(propsCode);
    codes.push(strings.codeOf(text));
    if (strings.bytes + props.length * ROW_BYTES > wanted.bytesMax)
      throw new EngineFullError("the distinct properties of the range do not fit into the memory of a query");
  };
  return {
    weight: search ? stepsPerChar(search) : 0,
    async read(entries, next) {
      let charsLeft = BATCH_CHARS;
      for (const [json, propsCode] of entries) {
        const properties = parseProps(json);
        if (wanted.key === null) for (const key of properties.keys()) add(propsCode, key);
        else {
          const value = properties.get(wanted.key);
          if (value !== undefined) add(propsCode, value);
        }
        charsLeft -= json.length;
        if (charsLeft > 0) continue;
        charsLeft = BATCH_CHARS;
        await next();
      }
    },
    get rows() {
      return { props: Int32Array.from(props), codes: Int32Array.from(codes), strings: strings.added().strings };
    },
  };
}
