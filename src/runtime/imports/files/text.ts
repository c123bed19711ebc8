/** Text of a file: its encoding, and its lines as an editor counts them, in bounded memory whatever the file contains. */
import { IMPORT_BAD_VALUE_CHARS_MAX, IMPORT_LINE_BYTES_MAX, IMPORT_OPENING_BYTES } from "../../base/config/limits.ts";
import { decoded1252, decodedText } from "./encoding.ts";
import type { BadRow, BadRowReason } from "../rows.ts";
import type { Encoding, Opening, SourceFile } from "./file.ts";
import { headOf } from "./source-files.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8");
const encoder = new TextEncoder();

function encodingOf(head: Uint8Array): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : "utf-8";
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The file's beginning. */
export async function openingOf(file: SourceFile, bytesMax = IMPORT_OPENING_BYTES): Promise<Opening> {
  // One byte more shows whether the file ends there.
  const start = await headOf(file, bytesMax + 1);
  const head = start.subarray(0, bytesMax);
  const isWhole = start.length <= bytesMax;
  const encoding = encodingOf(head);
  return { file, head, encoding, isWhole, text: textOf(head, encoding, isWhole) };
}

/** A character may be cut at the end. */
function textOf(head: Uint8Array, encoding: Encoding, isWhole: boolean): string {
  const bytes = withoutBom(head);
  if (encoding !== "utf-8") return new TextDecoder(encoding).decode(head);
  if (isWhole) return decodedText(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return decoded1252(bytes);
  }
}

const withoutBom = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** The bytes of the file in UTF-8 if it is UTF-16, and otherwise as they are. */
async function* utf8Chunks({ file, encoding }: Pick<Opening, "file" | "encoding">): AsyncGenerator<Uint8Array> {
  if (encoding === "utf-8") return yield* file.open();
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  // Not so much at once that text and bytes take many times the chunk.
  for await (const chunk of file.open()) {
    for (let at = 0; at < chunk.length; at += IMPORT_OPENING_BYTES)
      yield encoder.encode(decoder.decode(chunk.subarray(at, at + IMPORT_OPENING_BYTES), { stream: true }));
  }
  yield encoder.encode(decoder.decode());
}

export interface Line {
  /** The first one is 1. */
  readonly line: number;
  /** The line without its end, cut if `isTooLong`. */
  readonly text: string;
  /** Longer than `IMPORT_LINE_BYTES_MAX`. */
  readonly isTooLong: boolean;
}

/** Bytes of a UTF-16 unit in UTF-8, at most. */
const BYTES_PER_UNIT_MAX = 3;

/** Longer than any address: of this much more than is shown, none is cut before it is found. */
const ADDRESS_CHARS_MAX = 64;

/** Characters by which the beginning of a line that is too long is known. */
const CUT_CHARS = IMPORT_BAD_VALUE_CHARS_MAX + ADDRESS_CHARS_MAX;

const isTooLong = (text: string): boolean =>
  text.length * BYTES_PER_UNIT_MAX > IMPORT_LINE_BYTES_MAX && encoder.encode(text).length > IMPORT_LINE_BYTES_MAX;

/** Cuts chunks into lines, whatever the chunks: they are decoded in blocks of whole lines. */
export class LineSplitter {
  readonly #lineEnd: number;
  /** The beginning of the line that has not ended yet. What exceeds the longest line is only counted. */
  #held = new Uint8Array(IMPORT_OPENING_BYTES);
  #bytes = 0;
  #line: number;

  constructor(lineEnd = LINE_FEED, firstLine = 1) {
    this.#lineEnd = lineEnd;
    this.#line = firstLine;
  }

  /** The lines that end in the chunk. */
  push(chunk: Uint8Array): Line[] {
    const end = chunk.lastIndexOf(this.#lineEnd);
    if (end === -1) {
      this.#hold(chunk);
      return [];
    }
    // Cut where the held line ends, if it is too long to be joined with the rest.
    const firstEnd = this.#bytes > IMPORT_LINE_BYTES_MAX ? chunk.indexOf(this.#lineEnd) : -1;
    const lines = firstEnd === -1 ? [] : this.finish();
    if (firstEnd < end) lines.push(...this.#linesIn(this.#joined(chunk.subarray(firstEnd + 1, end))));
    this.#hold(chunk.subarray(end + 1));
    return lines;
  }

  /** The line that has not ended yet, if there is one. */
  finish(): Line[] {
    if (this.#bytes === 0) return [];
    if (this.#bytes <= IMPORT_LINE_BYTES_MAX) return this.#linesIn(this.#joined(new Uint8Array()));
    this.#bytes = 0;
    return [this.#cut(this.#held)];
  }

  /** Copied, because the chunk may be large. */
  #hold(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, Math.max(0, IMPORT_LINE_BYTES_MAX - this.#bytes));
    if (kept.length > 0) {
      if (this.#bytes + kept.length > this.#held.length) {
        const grown = new Uint8Array(Math.min(IMPORT_LINE_BYTES_MAX, 2 * (this.#bytes + kept.length)));
        grown.set(this.#held);
        this.#held = grown;
      }
      this.#held.set(kept, this.#bytes);
    }
    this.#bytes += bytes.length;
  }

  #joined(end: Uint8Array): Uint8Array {
    if (this.#bytes === 0) return end;
    const block = new Uint8Array(this.#bytes + end.length);
    block.set(this.#held.subarray(0, this.#bytes));
    block.set(end, this.#bytes);
    this.#bytes = 0;
    return block;
  }

  #cut(start: Uint8Array): Line {
    const text = lenientUtf8.decode(start.subarray(0, CUT_CHARS * BYTES_PER_UNIT_MAX)).slice(0, CUT_CHARS);
    return { line: this.#line++, text, isTooLong: true };
  }

  #linesIn(block: Uint8Array): Line[] {
    try {
      return this.#linesOfText(utf8.decode(block));
    } catch {
      return this.#linesOfBytes(block);
    }
  }

  #linesOfText(block: string): Line[] {
    const lines: Line[] = [];
    for (const text of block.split(String.fromCharCode(this.#lineEnd))) {
      lines.push(isTooLong(text) ? this.#cut(encoder.encode(text.slice(0, CUT_CHARS))) : this.#whole(text));
    }
    return lines;
  }

  /** Slower, for blocks with a line that is not UTF-8. */
  #linesOfBytes(block: Uint8Array): Line[] {
    const lines: Line[] = [];
    for (let from = 0; from <= block.length;) {
      const found = block.indexOf(this.#lineEnd, from);
      const end = found === -1 ? block.length : found;
      const bytes = block.subarray(from, end);
      lines.push(bytes.length > IMPORT_LINE_BYTES_MAX ? this.#cut(bytes) : this.#whole(decodedText(bytes)));
      from = end + 1;
    }
    return lines;
  }

  #whole(text: string): Line {
    const line = this.#line++;
    const own = line === 1 ? text.replace(BOM_OF_EITHER, "") : text;
    return { line, text: own.endsWith("\r") ? own.slice(0, -1) : own, isTooLong: false };
  }
}

/** The mark as it is in UTF-8, and in a file that is otherwise windows-1252. */
const BOM_OF_EITHER = /^(?:\ufeff|ï»¿)/;

/** The lines of a file, in batches. They end with LF or CRLF, or all with CR, as in files of old Macs. */
export async function* linesOf(opening: Opening): AsyncGenerator<readonly Line[]> {
  const hasFeeds = opening.text.includes("\n");
  const splitter = new LineSplitter(!hasFeeds && opening.text.includes("\r") ? CARRIAGE_RETURN : LINE_FEED);
  for await (const chunk of utf8Chunks(opening)) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const last = splitter.finish();
  if (last.length > 0) yield last;
}

/** The text of a file, in pieces that end anywhere; for formats that are Unicode by definition. */
export async function* textOfFile({ file, encoding }: Opening): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of file.open()) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

/** IPv4 addresses, and IPv6 addresses that are written in full or with "::". Times such as `10:00:01` are neither. */
const ADDRESS =
  /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|(?<![\da-f:])(?=[\da-f:]{0,45}::|(?:[\da-f]{1,4}:){7})[\da-f:]{2,45}(?:\.\d{1,3}){0,3}/gi;

const NOT_PRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text in one line, as it may be printed: control and bidirectional characters could rewrite the terminal that shows it. */
export const printable = (text: string): string => text.replaceAll(NOT_PRINTABLE, (character) => (character === "\t" ? " " : "\uFFFD"));

/** A value to show to people: manifests are stored, and addresses of visitors are not. */
const shownValue = (value: string): string =>
  printable(value.slice(0, CUT_CHARS).replaceAll(ADDRESS, "(address)")).slice(0, IMPORT_BAD_VALUE_CHARS_MAX);

/** A row that could not be read. */
export const badRow = (line: number, reason: BadRowReason, value: string, column?: string): BadRow => ({
  kind: "bad",
  line,
  reason,
  value: shownValue(value),
  ...(column === undefined ? {} : { column }),
});
