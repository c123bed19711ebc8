/** Logs that grow and are rotated: which rows the appended bytes hold, and from where to go on after a restart. */
import { crc32 } from "../../../../storage/checksum.ts";
import { IMPORT_FINGERPRINT_BYTES } from "../../../base/config/limits.ts";
import type { ImportContext } from "../format.ts";
import type { Row } from "../../rows.ts";
import { type Line, LineSplitter } from "../../files/text.ts";
import type { Layout, LineReader } from "./layout.ts";
import { createRequestReader, type RequestReader } from "./request.ts";
import { rowOf } from "./server-logs.ts";

/** Which file it is, whatever its name: a checksum of its first bytes, because a log's name goes to the next one. */
interface Fingerprint {
  readonly bytes: number;
  readonly crc32: number;
}

/** How far a log was read. JSON; contains nothing of its lines but their number, and a header. */
export interface LogPosition {
  /** Bytes of whole lines. */
  readonly offset: number;
  /** The number of the line that begins there. */
  readonly line: number;
  /** What headers have said, such as the names of fields. */
  readonly state: string | null;
  readonly fingerprint: Fingerprint;
}

const START: LogPosition = { offset: 0, line: 1, state: null, fingerprint: { bytes: 0, crc32: 0 } };

const LINE_FEED = 10;

/** Reads one file from its beginning, or from a position in it. A line is read when its line break has been written. */
export class LogFollower {
  readonly #reader: LineReader;
  readonly #readRequest: RequestReader;
  readonly #lines: LineSplitter;
  #position: LogPosition;
  /** Bytes after the position. */
  #pending = 0;
  /** The first bytes of the file; null if they have been read before. */
  #head: Uint8Array | null;

  constructor(layout: Layout, context: ImportContext, position: LogPosition = START) {
    this.#reader = layout.open(position.state);
    this.#readRequest = createRequestReader(context);
    this.#lines = new LineSplitter(LINE_FEED, position.line);
    this.#position = position;
    this.#head = position.offset === 0 ? new Uint8Array() : null;
  }

  /** Stored together with the rows so far. */
  get position(): LogPosition {
    return this.#position;
  }

  /** The rows of the lines that end in these bytes, which follow those before. */
  append(bytes: Uint8Array): Row[] {
    const lines = this.#lines.push(bytes);
    const rows = this.#rowsOf(lines);
    const lineEnd = bytes.lastIndexOf(LINE_FEED) + 1;
    this.#extendHead(bytes);
    if (lineEnd === 0) this.#pending += bytes.length;
    else {
      const offset = this.#position.offset + this.#pending + lineEnd;
      const line = this.#position.line + lines.length;
      this.#position = { offset, line, state: this.#reader.state, fingerprint: this.#fingerprintAt(offset) };
      this.#pending = bytes.length - lineEnd;
    }
    return rows;
  }

  /** The row of a last line without line break, for a file that grows no more. */
  end(): Row[] {
    return this.#rowsOf(this.#lines.finish());
  }

  #rowsOf(lines: readonly Line[]): Row[] {
    return lines.map((line) => rowOf(line, this.#reader, this.#readRequest)).filter((row) => row !== null);
  }

  #extendHead(bytes: Uint8Array): void {
    const head = this.#head;
    if (head === null || head.length >= IMPORT_FINGERPRINT_BYTES) return;
    const added = bytes.subarray(0, IMPORT_FINGERPRINT_BYTES - head.length);
    this.#head = new Uint8Array([...head, ...added]);
  }

  /** Covers bytes before the position only: those behind it may be written again. */
  #fingerprintAt(offset: number): Fingerprint {
    if (this.#head === null) return this.#position.fingerprint;
    const bytes = Math.min(offset, this.#head.length);
    return { bytes, crc32: crc32(this.#head, 0, bytes) };
  }
}

/** A file that may be the log that was followed, or the one after it. */
export interface LogFile {
  readonly path: string;
  readonly size: number;
  /** Its first `IMPORT_FINGERPRINT_BYTES`, or all if there are fewer. */
  readonly head: Uint8Array;
}

/** Whether the file contains all that was read. False for another file of the same name, and for one that was cut. */
export function continues({ offset, fingerprint }: LogPosition, { size, head }: Pick<LogFile, "size" | "head">): boolean {
  return size >= offset && head.length >= fingerprint.bytes && crc32(head, 0, fingerprint.bytes) === fingerprint.crc32;
}

/** A file to read, from this position on. */
export interface LogPart {
  readonly path: string;
  readonly position: LogPosition;
}

/**
 * What to read next. `log` is the file that grows; `rotated` are those that it was renamed or copied to, the newest first. If the log is no
 * longer the one of the position, the rest of that one comes first, then the files after it, then the log from its beginning. `isLost` if
 * none of the files is that of the position: lines may be missing.
 */
export function partsToRead(
  position: LogPosition | null,
  log: LogFile,
  rotated: readonly LogFile[],
): { readonly parts: readonly LogPart[]; readonly isLost: boolean } {
  if (position === null) return { parts: [{ path: log.path, position: START }], isLost: false };
  if (continues(position, log)) return { parts: [{ path: log.path, position }], isLost: false };
  const found = rotated.findIndex((file) => continues(position, file));
  const newer = (found === -1 ? [] : rotated.slice(0, found)).toReversed();
  const parts = [...newer, log].map(({ path }) => ({ path, position: START }));
  const old = rotated[found];
  return old === undefined ? { parts, isLost: true } : { parts: [{ path: old.path, position }, ...parts], isLost: false };
}
