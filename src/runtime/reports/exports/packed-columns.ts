/** The columns of a raw export in memory: packed numbers, texts by code, and the buffer into which rows are written. */
import { NOT_RECORDED } from "../../duckdb/tables/dictionaries.ts";
import type { TextsOf } from "../../query/plan.ts";
import type { ExportReservation } from "./export-memory.ts";
import { floatsOf } from "../../base/bytes.ts";
import { type EpochMs, MINUTE_MS } from "../../../storage/event.ts";

/** Entries of a page of codes or texts, a power of two. */
const TEXTS_PER_PAGE = 4096;
const PAGE_BITS = Math.log2(TEXTS_PER_PAGE);
const SLOT_MASK = TEXTS_PER_PAGE - 1;

/** Placeholder of a code that occurs, until `fetch` assigns its position. */
const MARK = 1;

interface TextPage {
  readonly bytes: Uint8Array;
  /** The offset of each text in `bytes`, and the end of the last. */
  readonly starts: Int32Array;
}

export class ExportTexts {
  readonly #write: (text: string) => string;
  readonly #memory: ExportReservation;
  /**
   * Positions of texts by code, from 1, in ascending order of codes; 0 for none. Sparse: pages without marked codes do not exist,
   * because the codes of a few events may be spread over millions.
   */
  readonly #positions: Int32Array[] = [];
  readonly #pages: TextPage[] = [];

  constructor(write: (text: string) => string, memory: ExportReservation) {
    this.#write = write;
    this.#memory = memory;
  }

  mark(codes: Int32Array): void {
    for (const code of codes) this.#positionsOf(code)[code & SLOT_MASK] = MARK;
  }

  /** The positions in the code's page, which is created if it is new. */
  #positionsOf(code: number): Int32Array {
    const page = code >> PAGE_BITS;
    const known = this.#positions[page];
    if (known) return known;
    const positions = new Int32Array(TEXTS_PER_PAGE);
    this.#memory.add(positions.byteLength);
    this.#positions[page] = positions;
    return positions;
  }

  /** Rejects with an `AppError` if the export exceeds its memory limit. */
  async fetch(textsOf: TextsOf): Promise<void> {
    const [firstPositions] = this.#positions;
    if (firstPositions) firstPositions[NOT_RECORDED] = 0;
    let position = 0;
    for (const codes of this.#markedInPages()) {
      for (const code of codes) this.#positionsOf(code)[code & SLOT_MASK] = ++position;
      const page = await this.#fetchPage(textsOf, codes);
      this.#memory.add(page.bytes.byteLength + page.starts.byteLength);
      this.#pages.push(page);
    }
  }

  *#markedInPages(): Iterable<readonly number[]> {
    let codes: number[] = [];
    for (const [page, positions] of this.#positions.entries()) {
      if (!positions) continue;
      for (let slot = 0; slot < TEXTS_PER_PAGE; slot++) {
        if (positions[slot] === 0) continue;
        codes.push((page << PAGE_BITS) | slot);
        if (codes.length < TEXTS_PER_PAGE) continue;
        yield codes;
        codes = [];
      }
    }
    if (codes.length > 0) yield codes;
  }

  async #fetchPage(textsOf: TextsOf, codes: readonly number[]): Promise<TextPage> {
    const found = await textsOf(codes);
    const writer = new ByteWriter(TEXTS_PER_PAGE * 64);
    const starts = new Int32Array(codes.length + 1);
    codes.forEach((code, i) => {
      const text = found.get(code);
      if (text === undefined) throw new Error(`code ${code} has no text`);
      writer.text(this.#write(text));
      starts[i + 1] = writer.length;
    });
    return { bytes: writer.take(), starts };
  }

  /** Copies the text of a code; false if the value was not recorded. */
  copyTo(writer: ByteWriter, code: number): boolean {
    const position = (this.#positions[code >> PAGE_BITS]?.[code & SLOT_MASK] ?? 0) - 1;
    const page = this.#pages[Math.floor(position / TEXTS_PER_PAGE)];
    if (!page) return false;
    const slot = position % TEXTS_PER_PAGE;
    writer.copy(page.bytes, page.starts[slot] ?? 0, page.starts[slot + 1] ?? 0);
    return true;
  }
}

/** Shorter ranges are copied faster byte by byte. */
const LONG_RANGE_BYTES = 64;

/** A growable UTF-8 buffer: copying many short byte ranges is several times as fast as joining strings. */
export class ByteWriter {
  readonly #encoder = new TextEncoder();
  #bytes: Uint8Array;
  #length = 0;

  constructor(roomBytes: number) {
    this.#bytes = new Uint8Array(roomBytes);
  }

  get length(): number {
    return this.#length;
  }

  text(text: string): void {
    // A UTF-16 code unit takes at most three bytes.
    this.#grow(text.length * 3);
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** Appends the bytes of `source` from `start` up to, but not including, `end`. */
  copy(source: Uint8Array, start: number, end: number): void {
    this.#grow(end - start);
    if (end - start > LONG_RANGE_BYTES) {
      this.#bytes.set(source.subarray(start, end), this.#length);
    } else {
      for (let from = start, to = this.#length; from < end; from++, to++) this.#bytes[to] = source[from] ?? 0;
    }
    this.#length += end - start;
  }

  #grow(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + bytes));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  /** Returns a copy of the bytes written since the last call, and empties the buffer. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }
}

type Numbers = Int32Array | Float64Array;

/** A numeric column as differences to a base, in the smallest integer type (frame of reference). */
export class PackedNumbers {
  /** Subtracted from each value: the minimum, or 0. */
  readonly #base: number;
  readonly #differences: Uint8Array | Uint16Array | Uint32Array | Numbers | null;
  readonly #length: number;
  readonly #isLong: boolean;

  /** Numbers are exact up to 2^53, which is enough for timestamps, revenue in hundredths and text codes. */
  constructor(numbers: Int32Array | BigInt64Array) {
    const values = numbers instanceof BigInt64Array ? floatsOf(numbers) : numbers;
    const [minimum, maximum] = boundsOf(values);
    this.#isLong = values instanceof Float64Array;
    this.#length = values.length;
    // Codes that fit into few bytes are near 0 already; leaving them unchanged is faster.
    this.#base = this.#isLong || minimum === maximum ? minimum : 0;
    if (this.#isLong && minimum !== 0) for (let row = 0; row < values.length; row++) values[row] = (values[row] ?? 0) - minimum;
    this.#differences = minimum === maximum ? null : packed(values, minimum - this.#base, maximum - this.#base);
  }

  unpacked(): Numbers {
    const numbers = this.#isLong ? new Float64Array(this.#length) : new Int32Array(this.#length);
    if (!this.#differences) return numbers.fill(this.#base);
    numbers.set(this.#differences);
    if (this.#base !== 0) for (let row = 0; row < numbers.length; row++) numbers[row] = (numbers[row] ?? 0) + this.#base;
    return numbers;
  }

  get bytes(): number {
    return this.#differences?.byteLength ?? 0;
  }
}

/** Minimum and maximum; both 0 for an empty column. */
function boundsOf(values: Numbers): [minimum: number, maximum: number] {
  let [minimum, maximum] = [values[0] ?? 0, values[0] ?? 0];
  for (let row = 1; row < values.length; row++) {
    const value = values[row] ?? 0;
    if (value < minimum) minimum = value;
    else if (value > maximum) maximum = value;
  }
  return [minimum, maximum];
}

function packed(values: Numbers, minimum: number, maximum: number) {
  if (minimum < 0) return values;
  if (maximum < 2 ** 8) return new Uint8Array(values);
  if (maximum < 2 ** 16) return new Uint16Array(values);
  if (maximum < 2 ** 32) return new Uint32Array(values);
  return values;
}

/** The seconds and milliseconds at the start of a minute, in ISO 8601. */
const MINUTE_START = ":00.000Z";

/** The character code of `0`. */
const ZERO = 48;

/** Formats timestamps. Rows are in order of time, so only the seconds usually change from row to row. */
export class TimeWriter {
  readonly #format: (text: string) => string;
  readonly #encoder = new TextEncoder();
  #minuteMs: EpochMs = Number.NaN;
  #bytes = new Uint8Array(0);
  /** Offset of the seconds in `bytes`. */
  #secondsAt = 0;

  constructor(format: (text: string) => string) {
    this.#format = format;
  }

  /** Writes `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
  write(writer: ByteWriter, timestampMs: EpochMs): void {
    const minuteMs = Math.floor(timestampMs / MINUTE_MS) * MINUTE_MS;
    if (minuteMs !== this.#minuteMs) this.#startMinute(minuteMs);
    const bytes = this.#bytes;
    let remaining = timestampMs - minuteMs;
    // From the right: three digits of milliseconds, then two of seconds.
    for (const place of [5, 4, 3, 1, 0]) {
      bytes[this.#secondsAt + place] = ZERO + (remaining % 10);
      remaining = Math.floor(remaining / 10);
    }
    writer.copy(bytes, 0, bytes.length);
  }

  #startMinute(minuteMs: EpochMs): void {
    const text = this.#format(new Date(minuteMs).toISOString());
    this.#minuteMs = minuteMs;
    this.#bytes = this.#encoder.encode(text);
    this.#secondsAt = text.lastIndexOf(MINUTE_START) + 1;
  }
}
