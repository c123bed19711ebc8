/** A growing buffer of UTF-8: copying many short byte ranges is several times as fast as joining strings. */

/** Shorter chunks are copied faster byte by byte. */
const LONG_CHUNK_BYTES = 64;

export class ByteWriter {
  readonly #encoder = new TextEncoder();
  #bytes: Uint8Array;
  #length = 0;

  /** `roomBytes` is the initial capacity; it grows as needed. */
  constructor(roomBytes: number) {
    this.#bytes = new Uint8Array(roomBytes);
  }

  get length(): number {
    return this.#length;
  }

  text(text: string): void {
    // No UTF-16 unit takes more than three bytes.
    this.#makeRoom(text.length * 3);
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** The bytes of `source` from `start` to before `end`. */
  copy(source: Uint8Array, start: number, end: number): void {
    this.#makeRoom(end - start);
    if (end - start > LONG_CHUNK_BYTES) {
      this.#bytes.set(source.subarray(start, end), this.#length);
    } else {
      for (let from = start, to = this.#length; from < end; from++, to++) this.#bytes[to] = source[from] ?? 0;
    }
    this.#length += end - start;
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + bytes));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  /** Returns the bytes written since the last call. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }
}
