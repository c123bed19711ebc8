/** A growable UTF-8 buffer: copying many short byte ranges is several times as fast as joining strings. */

/** Shorter ranges are copied faster byte by byte. */
const LONG_RANGE_BYTES = 64;

export class ByteWriter {
  readonly #encoder = new TextEncoder();
  #bytes: Uint8Array;
  #length = 0;

  /** `roomBytes` is the initial capacity; it grows as needed. */
  constructor(roomBytes: number) {
    this.#bytes = new Uint8Array(roomBytes);
  }

  /** Bytes written since the last `take`. */
  get length(): number {
    return this.#length;
  }

  /** Appends a text as UTF-8. */
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
