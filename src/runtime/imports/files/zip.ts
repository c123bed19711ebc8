/**
 * The directory of a ZIP (APPNOTE 6.3.10), with ZIP64. Entries are found by it and never by the headers before them, which lack the sizes of
 * streamed entries.
 */
import { IMPORT_DIRECTORY_BYTES_MAX, IMPORT_FILES_MAX, IMPORT_READ_BYTES } from "../../base/config/limits.ts";
import { inflated, verified } from "./decompression.ts";
import { type RandomAccess, UnreadableFile } from "./file.ts";
import { decodedText } from "./encoding.ts";

const LOCAL_HEADER = 0x04034b50;
const DIRECTORY_HEADER = 0x02014b50;
const DIRECTORY_END = 0x06054b50;
const DIRECTORY_END_64 = 0x06064b50;
const DIRECTORY_END_64_LOCATOR = 0x07064b50;

const LOCAL_HEADER_BYTES = 30;
const DIRECTORY_HEADER_BYTES = 46;
const DIRECTORY_END_BYTES = 22;
const DIRECTORY_END_64_BYTES = 56;
const LOCATOR_BYTES = 20;
const COMMENT_BYTES_MAX = 0xffff;

const IS_ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

/** Stands for a number in the ZIP64 field. */
const IN_FIELD_64 = 0xffffffff;
const FIELD_64 = 1;

export interface ZipEntry {
  /** The name in the archive: separators and tricks are judged by whoever uses it. */
  readonly name: string;
  readonly bytes: number;
  /** Why it cannot be read, as a sentence; null if it can. */
  readonly obstacle: string | null;
  open(): AsyncIterable<Uint8Array>;
  /** null unless the entry is stored without compression. */
  randomAccess(): Promise<RandomAccess | null>;
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Offsets beyond 2^53 are those of no file. */
const uint64 = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

/** Streams a part of a file. */
export async function* slices(file: RandomAccess, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += IMPORT_READ_BYTES) yield await file.read(at, Math.min(to, at + IMPORT_READ_BYTES));
}

interface Directory {
  readonly entries: number;
  readonly bytes: number;
  /** Where it begins. */
  readonly start: number;
  /** Bytes in front of the archive, such as a program that unpacks it, which its offsets do not count. */
  readonly before: number;
}

const damaged = (path: string, what: string): UnreadableFile =>
  new UnreadableFile(`${path} is not a whole ZIP: ${what}. Download or pack it again.`);

async function directoryOf(path: string, archive: RandomAccess): Promise<Directory> {
  const { size } = archive;
  const tailStart = Math.max(0, size - DIRECTORY_END_BYTES - COMMENT_BYTES_MAX);
  const tail = viewOf(await archive.read(tailStart, size));
  let end = tail.byteLength - DIRECTORY_END_BYTES;
  // The comment after it may contain the signature, but not one that says the comment's length.
  while (
    end >= 0 &&
    !(tail.getUint32(end, true) === DIRECTORY_END && tail.getUint16(end + 20, true) === tail.byteLength - end - DIRECTORY_END_BYTES)
  )
    end--;
  if (end < 0) throw damaged(path, "its directory is missing");
  const small = { entries: tail.getUint16(end + 10, true), bytes: tail.getUint32(end + 12, true), offset: tail.getUint32(end + 16, true) };
  const isSplit = tail.getUint16(end + 4, true) !== tail.getUint16(end + 6, true);
  if (isSplit) throw new UnreadableFile(`${path} is one part of a split ZIP. Join the parts, or unpack them.`);
  const locatorAt = tailStart + end - LOCATOR_BYTES;
  const locator = locatorAt >= 0 ? viewOf(await archive.read(locatorAt, locatorAt + LOCATOR_BYTES)) : null;
  if (locator?.getUint32(0, true) !== DIRECTORY_END_64_LOCATOR) {
    const start = tailStart + end - small.bytes;
    return { entries: small.entries, bytes: small.bytes, start, before: start - small.offset };
  }
  const at = uint64(locator, 8);
  if (at + DIRECTORY_END_64_BYTES > size) throw damaged(path, "its ZIP64 directory is missing");
  const large = viewOf(await archive.read(at, at + DIRECTORY_END_64_BYTES));
  if (large.getUint32(0, true) !== DIRECTORY_END_64) throw damaged(path, "its ZIP64 directory is missing");
  return { entries: uint64(large, 32), bytes: uint64(large, 40), start: uint64(large, 48), before: 0 };
}

/** The sizes and the offset that did not fit into the header, in this order. */
function fieldOf64(extra: DataView): DataView | null {
  for (let at = 0; at + 4 <= extra.byteLength;) {
    const length = extra.getUint16(at + 2, true);
    if (at + 4 + length > extra.byteLength) return null;
    if (extra.getUint16(at, true) === FIELD_64) return new DataView(extra.buffer, extra.byteOffset + at + 4, length);
    at += 4 + length;
  }
  return null;
}

function obstacleOf(method: number, flags: number): string | null {
  if (flags & IS_ENCRYPTED) return "It is encrypted: unpack it with its password.";
  if (method !== STORED && method !== DEFLATED) return "It is compressed by a rare method (Windows uses it for large files): unpack it.";
  return null;
}

interface Located {
  readonly entry: ZipEntry;
  readonly start: number;
  readonly packedBytes: number;
}

/** The entries of the archive. Fails with `UnreadableFile` if it is damaged, or made to look larger than it is. */
export async function zipEntries(path: string, archive: RandomAccess): Promise<readonly ZipEntry[]> {
  const directory = await directoryOf(path, archive);
  if (directory.entries > IMPORT_FILES_MAX || directory.bytes > IMPORT_DIRECTORY_BYTES_MAX)
    throw new UnreadableFile(`${path} has more than ${IMPORT_FILES_MAX} files.`);
  if (directory.start < 0 || directory.before < 0 || directory.start + directory.bytes > archive.size)
    throw damaged(path, "its directory lies outside of it");
  const view = viewOf(await archive.read(directory.start, directory.start + directory.bytes));
  const located: Located[] = [];
  for (let at = 0; located.length < directory.entries;) {
    if (at + DIRECTORY_HEADER_BYTES > view.byteLength || view.getUint32(at, true) !== DIRECTORY_HEADER)
      throw damaged(path, "its directory has fewer files than it says");
    const next =
      at + DIRECTORY_HEADER_BYTES + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > view.byteLength) throw damaged(path, "its directory is cut");
    located.push(entryAt(path, archive, view, at, directory));
    at = next;
  }
  checkApart(path, located);
  return located.map(({ entry }) => entry);
}

function entryAt(path: string, archive: RandomAccess, view: DataView, at: number, { before, start: dataEnd }: Directory): Located {
  const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
  const [nameBytes, extraBytes] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)];
  const nameAt = at + DIRECTORY_HEADER_BYTES;
  // Few archivers set the flag for UTF-8 reliably.
  const name = decodedText(new Uint8Array(view.buffer, view.byteOffset + nameAt, nameBytes));
  const field64 = fieldOf64(new DataView(view.buffer, view.byteOffset + nameAt + nameBytes, extraBytes));
  let fieldAt = 0;
  const number = (offset: number): number => {
    const value = view.getUint32(at + offset, true);
    if (value !== IN_FIELD_64 || field64 === null) return value;
    if (fieldAt + 8 > field64.byteLength) throw damaged(path, `the size of ${name} is missing`);
    fieldAt += 8;
    return uint64(field64, fieldAt - 8);
  };
  const bytes = number(24);
  const packedBytes = number(20);
  const start = before + number(42);
  if (start + LOCAL_HEADER_BYTES + packedBytes > dataEnd) throw damaged(path, `${name} lies outside of it`);
  const crc = view.getUint32(at + 16, true);
  const dataStart = async (): Promise<number> => {
    const header = viewOf(await archive.read(start, start + LOCAL_HEADER_BYTES));
    const dataAt = start + LOCAL_HEADER_BYTES + header.getUint16(26, true) + header.getUint16(28, true);
    if (header.getUint32(0, true) !== LOCAL_HEADER || dataAt + packedBytes > dataEnd)
      throw damaged(path, `${name} is not where it should be`);
    return dataAt;
  };
  async function* packed(): AsyncGenerator<Uint8Array> {
    const from = await dataStart();
    yield* slices(archive, from, from + packedBytes);
  }
  const entry: ZipEntry = {
    name,
    bytes,
    obstacle: obstacleOf(method, flags),
    open: () => (method === STORED ? verified : inflated)(`${path}/${name}`, packed(), { size: bytes, crc }),
    async randomAccess() {
      if (method !== STORED || bytes !== packedBytes) return null;
      const from = await dataStart();
      return { size: bytes, read: (first, end) => archive.read(from + first, from + end) };
    },
  };
  return { entry, start, packedBytes };
}

/** Entries that share their bytes make an archive look a million times larger than it is (https://www.bamsoftware.com/hacks/zipbomb/). */
function checkApart(path: string, located: readonly Located[]): void {
  const byStart = located.toSorted((a, b) => a.start - b.start);
  for (const [i, { start, packedBytes }] of byStart.entries()) {
    const next = byStart[i + 1];
    if (next && start + LOCAL_HEADER_BYTES + packedBytes > next.start) throw new UnreadableFile(`${path} is refused: files in it overlap.`);
  }
}
