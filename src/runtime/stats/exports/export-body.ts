/** The bytes of an export: built piece by piece in memory, bounded, and handed out as one body. */
import { invalidInput } from "../../errors.ts";
import { EXPORT_BYTES_MAX } from "../../limits.ts";

const MEBIBYTE = 1024 * 1024;

export class ExportBody {
  readonly #encoder = new TextEncoder();
  readonly #bytesMax: number;
  /** In order; the first may have been handed out. */
  #chunks: Uint8Array[] = [];
  #byteLength = 0;

  constructor(bytesMax = EXPORT_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Adds a piece; 400 when it grows beyond what an export may take. */
  add(text: string): void {
    const chunk = this.#encoder.encode(text);
    this.#byteLength += chunk.length;
    if (this.#byteLength > this.#bytesMax) {
      throw invalidInput(
        `The export would exceed ${this.#bytesMax / MEBIBYTE} MiB; ask for fewer days, a filter or a smaller "limit"`,
      );
    }
    this.#chunks.push(chunk);
  }

  /** The pieces one after the other, each let go of when it is taken. To be called once. */
  stream(): ReadableStream<Uint8Array> {
    const chunks = this.#chunks.reverse();
    this.#chunks = [];
    return new ReadableStream({
      pull(controller) {
        const chunk = chunks.pop();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
      cancel() {
        chunks.length = 0;
      },
    });
  }
}
