/** Values inside of a JSON text of any size, one after the other: the text is never in memory as a whole. */
import { IMPORT_LINE_BYTES_MAX } from "../../base/config/limits.ts";
import { UnreadableFile } from "./file.ts";

/** Keys from the root on; `ELEMENT` for each element of an array. */
export type JsonPath = readonly string[];

export const ELEMENT = "*";

export interface JsonValue {
  readonly path: JsonPath;
  /** The line on which the value begins. */
  readonly line: number;
  /** undefined for what is not JSON, or longer than `IMPORT_LINE_BYTES_MAX`. */
  readonly value: unknown;
  /** The text of a value; cut if it is too long. */
  readonly text: string;
  readonly isTooLong: boolean;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58] as const;
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [123, 125, 91, 93] as const;
const LINE_FEED = 10;
const BYTE_ORDER_MARK = 0xfeff;

const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === BYTE_ORDER_MARK;

type Container = { readonly end: number; readonly path: JsonPath };

/**
 * Yields the values of those objects and arrays that `opens` names; each other one is a value. Several texts may follow one another.
 * Memory is bounded by the longest value. Lenient about commas and colons, strict about brackets.
 */
export class JsonSplitter {
  readonly #opens: (path: JsonPath) => boolean;
  readonly #containers: Container[] = [];
  /** The key whose value comes next; null before a key. */
  #key: string | null = null;
  #line = 1;

  // The value or key that has begun: its text so far, and where in it the scan is.
  #begun: "key" | "value" | null = null;
  #text = "";
  #isTooLong = false;
  #firstLine = 1;
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  constructor(opens: (path: JsonPath) => boolean) {
    this.#opens = opens;
  }

  /** The values that end in this piece. Throws `UnreadableFile` if the text cannot be JSON. */
  push(piece: string): JsonValue[] {
    const values: JsonValue[] = [];
    for (let at = 0; at < piece.length;) at = this.#begun === null ? this.#between(piece, at, values) : this.#within(piece, at, values);
    return values;
  }

  /** The last value, if nothing follows it. */
  end(): JsonValue[] {
    const values: JsonValue[] = [];
    // A number ends with what follows it.
    if (this.#begun === "value" && this.#depth === 0 && !this.#isString) this.#finish(values);
    if (this.#begun !== null || this.#containers.length > 0)
      throw new UnreadableFile(`The JSON ends in the middle, on line ${this.#line}.`);
    return values;
  }

  get #path(): JsonPath {
    const container = this.#containers.at(-1);
    if (container === undefined) return [];
    return [...container.path, container.end === BRACKET_END ? ELEMENT : (this.#key ?? "")];
  }

  #between(piece: string, at: number, values: JsonValue[]): number {
    const code = piece.charCodeAt(at);
    if (code === LINE_FEED) this.#line++;
    if (isBlank(code) || code === COMMA || code === COLON) return at + 1;
    const container = this.#containers.at(-1);
    if (code === BRACE_END || code === BRACKET_END) {
      if (container?.end !== code) throw new UnreadableFile(`The JSON is damaged: a bracket is out of place on line ${this.#line}.`);
      this.#containers.pop();
      this.#key = null;
      return at + 1;
    }
    const isKey = container?.end === BRACE_END && this.#key === null;
    if (isKey && code !== QUOTE) throw new UnreadableFile(`The JSON is damaged: a name is missing on line ${this.#line}.`);
    if (!isKey && (code === BRACE || code === BRACKET)) {
      const path = this.#path;
      if (this.#opens(path)) {
        this.#containers.push({ end: code === BRACE ? BRACE_END : BRACKET_END, path });
        this.#key = null;
        return at + 1;
      }
    }
    this.#begun = isKey ? "key" : "value";
    this.#firstLine = this.#line;
    return this.#within(piece, at, values);
  }

  /** Goes on to the end of the value, or of the piece. */
  #within(piece: string, from: number, values: JsonValue[]): number {
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (code === LINE_FEED) this.#line++;
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) {
          this.#isString = false;
          if (this.#depth === 0) return this.#ending(piece, from, at + 1, values);
        }
      } else if (code === QUOTE) this.#isString = true;
      else if (code === BRACE || code === BRACKET) this.#depth++;
      else if (code === BRACE_END || code === BRACKET_END) {
        // The end of the container ends a number in it.
        if (this.#depth === 0) return this.#ending(piece, from, at, values);
        if (--this.#depth === 0) return this.#ending(piece, from, at + 1, values);
      } else if (this.#depth === 0 && (code === COMMA || isBlank(code))) {
        if (code === LINE_FEED) this.#line--;
        return this.#ending(piece, from, at, values);
      }
    }
    this.#keep(piece.slice(from));
    return piece.length;
  }

  #ending(piece: string, from: number, end: number, values: JsonValue[]): number {
    this.#keep(piece.slice(from, end));
    this.#finish(values);
    return end;
  }

  #keep(text: string): void {
    if (this.#text.length + text.length > IMPORT_LINE_BYTES_MAX) this.#isTooLong = true;
    this.#text += this.#isTooLong ? text.slice(0, Math.max(0, IMPORT_LINE_BYTES_MAX - this.#text.length)) : text;
  }

  #finish(values: JsonValue[]): void {
    const value = this.#isTooLong ? undefined : parsed(this.#text);
    if (this.#begun === "key") this.#key = typeof value === "string" ? value : "";
    else {
      values.push({ path: this.#path, line: this.#firstLine, value, text: this.#text, isTooLong: this.#isTooLong });
      this.#key = null;
    }
    this.#begun = null;
    this.#text = "";
    this.#isTooLong = false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A value that no JSON text has.
    return undefined;
  }
}
