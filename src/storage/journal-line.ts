/** The line format of the journal, one event a line: `<crc32> <event text>\n`. */
import { crc32 } from "./checksum.ts";
import type { StoredEvent } from "./event.ts";
import { eventOf, type EventText } from "./event-text.ts";

/** Eight hexadecimal digits and a space. */
const CHECKSUM_CHARS = 9;
const NEWLINE = 10;

/** Longest UTF-8 encoding of one UTF-16 unit. */
const UTF8_BYTES_PER_UNIT_MAX = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

const checksumText = (bytes: Uint8Array, start: number, end: number): string => crc32(bytes, start, end).toString(16).padStart(8, "0");

/** The lines of the events, ready to be appended. */
export function encodeJournalLines(texts: readonly EventText[]): Uint8Array {
  const room = texts.reduce((sum, text) => sum + text.length * UTF8_BYTES_PER_UNIT_MAX + CHECKSUM_CHARS + 1, 0);
  const bytes = new Uint8Array(room);
  let at = 0;
  for (const text of texts) {
    const start = at + CHECKSUM_CHARS;
    const end = start + encoder.encodeInto(text, bytes.subarray(start)).written;
    encoder.encodeInto(`${checksumText(bytes, start, end)} `, bytes.subarray(at));
    bytes[end] = NEWLINE;
    at = end + 1;
  }
  return bytes.subarray(0, at);
}

export interface DecodedJournal {
  readonly events: StoredEvent[];
  /** Bytes after the last intact line: an append that a crash interrupted, never acknowledged. */
  readonly tornBytes: number;
  /** Damaged lines before an intact one: not the result of an interrupted append. */
  readonly damagedLines: number;
}

function decodeLine(bytes: Uint8Array, start: number, end: number): StoredEvent | null {
  const jsonStart = start + CHECKSUM_CHARS;
  if (end <= jsonStart) return null;
  try {
    const checksum = decoder.decode(bytes.subarray(start, jsonStart - 1));
    if (checksum !== checksumText(bytes, jsonStart, end)) return null;
    return eventOf(decoder.decode(bytes.subarray(jsonStart, end)));
  } catch {
    return null;
  }
}

/** Decodes a segment. A damaged last line counts as torn, any other as damaged; all intact lines are returned. */
export function decodeJournalLines(bytes: Uint8Array): DecodedJournal {
  const events: StoredEvent[] = [];
  let damagedLines = 0;
  let wholeUpTo = 0;
  let badSinceWhole = 0;
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const event = newline === -1 ? null : decodeLine(bytes, start, end);
    start = end + 1;
    if (!event) {
      badSinceWhole++;
      continue;
    }
    events.push(event);
    damagedLines += badSinceWhole;
    badSinceWhole = 0;
    wholeUpTo = start;
  }
  if (badSinceWhole > 1) damagedLines += badSinceWhole - 1;
  return { events, damagedLines, tornBytes: bytes.length - wholeUpTo };
}
