/** Writes a ZIP as a stream, an entry at a time. */
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { ZIP_BYTES_MAX } from "../../shared/limits.ts";

export interface ZipEntry {
  readonly name: string;
  readonly chunks: () => AsyncIterable<Uint8Array>;
  /** Set if to compress it again would take time only. */
  readonly isCompressed?: boolean;
}

const DEFLATE_LEVEL = 6;

/** The footer of a ZIP counts them in two bytes. */
const ENTRIES_MAX = 65_535;

/** Rejects if there are too many entries, or one or the archive is larger than `ZIP_BYTES_MAX`. */
export async function* zipped(entries: readonly ZipEntry[]): AsyncGenerator<Uint8Array> {
  if (entries.length > ENTRIES_MAX)
    throw new Error(`A ZIP can hold ${ENTRIES_MAX} files, not ${entries.length}. Export fewer days or sites`);
  let written: Uint8Array[] = [];
  let bytes = 0;
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    written.push(chunk);
    bytes += chunk.length;
  });
  const take = (): readonly Uint8Array[] => {
    const taken = written;
    written = [];
    return taken;
  };
  const check = (name: string, size: number): void => {
    if (size > ZIP_BYTES_MAX) throw new Error(`${name} is larger than 4 GiB, which a ZIP cannot hold. Export fewer days`);
  };
  for (const { name, chunks, isCompressed } of entries) {
    const entry = isCompressed ? new ZipPassThrough(name) : new ZipDeflate(name, { level: DEFLATE_LEVEL });
    zip.add(entry);
    let size = 0;
    for await (const chunk of chunks()) {
      check(name, (size += chunk.length));
      entry.push(chunk);
      check("The archive", bytes);
      yield* take();
    }
    entry.push(new Uint8Array(), true);
    yield* take();
  }
  zip.end();
  check("The archive", bytes);
  yield* take();
}
