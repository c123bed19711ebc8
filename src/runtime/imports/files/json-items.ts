/** Objects in JSON: one a line, one after the other, or the items of an array that is too long to be parsed at once. */
import { IMPORT_OBJECT_CHARS_MAX } from "../../base/config/limits.ts";
import type { BadRow, Row } from "../rows.ts";
import type { Opening } from "./file.ts";
import { badRow, linesOf, textOfFile } from "./text.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

interface JsonItem {
  /** The number of its first line. */
  readonly line: number;
  readonly object: JsonObject;
}

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

function itemFrom(line: number, text: string): JsonItem | BadRow {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { line, object: value };
  } catch {
    // The same as for a value that is no object.
  }
  return badRow(line, "not_json", text);
}

const QUOTE = 34;
const BACKSLASH = 92;
const LINE_FEED = 10;
const isOpening = (code: number): boolean => code === 123 || code === 91;
const isClosing = (code: number): boolean => code === 125 || code === 93;

/** Cuts text into the outermost objects, or those in the outermost array. What stands between them is skipped. */
class ItemSplitter {
  /** 1 within an array of items. */
  #itemDepth: 0 | 1 | null = null;
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  #line = 1;
  #itemLine = 1;
  /** The beginning of an item that has not ended yet; nothing of one that is too long. */
  #pieces: string[] = [];
  #chars = 0;

  push(text: string): (JsonItem | BadRow)[] {
    const items: (JsonItem | BadRow)[] = [];
    /** Where the item begins in this piece. */
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED) this.#line++;
      if (this.#inText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) this.#inText = false;
      } else if (code === QUOTE) this.#inText = true;
      else if (isOpening(code)) {
        this.#itemDepth ??= code === 91 ? 1 : 0;
        if (this.#depth === this.#itemDepth) {
          start = at;
          this.#itemLine = this.#line;
        }
        this.#depth++;
      } else if (isClosing(code) && this.#depth > 0) {
        this.#depth--;
        if (this.#depth !== this.#itemDepth) continue;
        this.#hold(text.slice(start, at + 1));
        items.push(this.#finished());
      }
    }
    if (this.#isInItem()) this.#hold(text.slice(start));
    return items;
  }

  /** What is left of an item without an end. */
  finish(): BadRow[] {
    return this.#isInItem() ? [badRow(this.#itemLine, "not_json", this.#pieces.join(""))] : [];
  }

  #isInItem(): boolean {
    return this.#itemDepth !== null && this.#depth > this.#itemDepth;
  }

  #hold(piece: string): void {
    this.#chars += piece.length;
    if (this.#chars <= IMPORT_OBJECT_CHARS_MAX) this.#pieces.push(piece);
    else this.#pieces = [this.#pieces[0] ?? piece.slice(0, IMPORT_OBJECT_CHARS_MAX)];
  }

  #finished(): JsonItem | BadRow {
    const text = this.#pieces.join("");
    const item = this.#chars > IMPORT_OBJECT_CHARS_MAX ? badRow(this.#itemLine, "line_too_long", text) : itemFrom(this.#itemLine, text);
    this.#pieces = [];
    this.#chars = 0;
    return item;
  }
}

function isJsonLine(text: string): boolean {
  const line = text.slice(0, /[\r\n]/.exec(text)?.index);
  return line.startsWith("{") && "object" in itemFrom(1, line);
}

/** The first object of a file, if its opening holds a whole one. */
export function firstItemOf({ text }: Opening): JsonObject | null {
  const item = new ItemSplitter().push(text).find((found) => "object" in found);
  return item && "object" in item ? item.object : null;
}

/** The objects of a file, in batches. In JSON lines, a broken line costs no other. */
export async function* jsonItems(opening: Opening): AsyncGenerator<readonly (JsonItem | BadRow)[]> {
  if (isJsonLine(opening.text)) {
    for await (const lines of linesOf(opening)) {
      yield lines
        .filter(({ text }) => text.trim() !== "")
        .map(({ line, text, isTooLong }) => (isTooLong ? badRow(line, "line_too_long", text) : itemFrom(line, text)));
    }
    return;
  }
  const splitter = new ItemSplitter();
  for await (const text of textOfFile(opening)) {
    const items = splitter.push(text);
    if (items.length > 0) yield items;
  }
  yield splitter.finish();
}

/** Reads the file object by object. */
export async function* readJson(
  opening: Opening,
  rowsFrom: (object: JsonObject, line: number) => readonly Row[],
): AsyncGenerator<readonly Row[]> {
  for await (const items of jsonItems(opening))
    yield items.flatMap((item) => ("object" in item ? rowsFrom(item.object, item.line) : [item]));
}

/** A value as CSV would have it: "" for what is absent. */
export function textIn(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
