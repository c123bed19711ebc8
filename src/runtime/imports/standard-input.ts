/** Standard input as a file of an import: it is recognized by its beginning, and read once. */
import { IMPORT_OPENING_BYTES } from "../base/config/limits.ts";
import { type SourceFile, UnreadableFile } from "./format.ts";

/** Bytes that are kept, so that the file can be opened again while no more were read: an opening needs one byte more than its maximum. */
const KEPT_BYTES = IMPORT_OPENING_BYTES + 1;

/** Can be opened again as long as nobody has read further than an opening does. */
export function standardInput(stream: AsyncIterable<Uint8Array>, path = "standard input"): SourceFile {
  const chunks = stream[Symbol.asyncIterator]();
  const kept: Uint8Array[] = [];
  let bytes = 0;
  let hasEnded = false;

  /** null at the end. */
  async function next(): Promise<Uint8Array | null> {
    const result: IteratorResult<Uint8Array, unknown> = hasEnded ? { done: true, value: null } : await chunks.next();
    if (result.done === true) {
      hasEnded = true;
      return null;
    }
    // What is kept cannot be complete any more, and is not needed.
    if (bytes >= KEPT_BYTES) kept.length = 0;
    else kept.push(result.value);
    bytes += result.value.length;
    return result.value;
  }

  async function* open(): AsyncGenerator<Uint8Array> {
    if (kept.length === 0 && bytes > 0) throw new UnreadableFile(`${path} can be read only once. Store it in a file first.`);
    // Not the iterator of the stream itself: leaving a loop over that would close it.
    for (let i = 0; ; i++) {
      const chunk = kept[i] ?? (await next());
      if (chunk === null) return;
      yield chunk;
    }
  }

  return { path, bytes: null, open, randomAccess: null };
}
