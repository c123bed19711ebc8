/** A file of an import, as its containers and the formats read it. */

/** Bytes at any place of a file: the directory of a ZIP and the footer of Parquet are at the end. */
export interface RandomAccess {
  readonly size: number;
  /** The bytes from `from` up to `to`, which is at most `size`. */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** A file of the import: given by itself, in a folder or in an archive. */
export interface SourceFile {
  /** Separated by "/", with the names of the archives it is in: `export.zip/imported_pages.csv`. */
  readonly path: string;
  /** Its decompressed size, as far as the container says; null if unknown. Not to be trusted. */
  readonly bytes: number | null;
  /** Streams the decompressed bytes; may be called again. A damaged or oversized file fails with an `UnreadableFile`. */
  open(): AsyncIterable<Uint8Array>;
  /** null where the file is compressed. */
  readonly randomAccess: RandomAccess | null;
}

/** What is called after each piece of work: it lets other work have its turn, and rejects to end the reading. */
export type Breathe = () => Promise<void>;

/** A file that cannot be read, or not to its end. The message says why, and what to do. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** The beginning of a file, by which formats recognize it. */
export interface Opening {
  readonly file: SourceFile;
  /** The first `IMPORT_OPENING_BYTES` bytes, fewer among many files, or all of a shorter file. */
  readonly head: Uint8Array;
  readonly encoding: Encoding;
  /** `head` decoded, without a byte-order mark. Its last line may be cut: `isWhole` says whether this is the whole file. */
  readonly text: string;
  readonly isWhole: boolean;
}
