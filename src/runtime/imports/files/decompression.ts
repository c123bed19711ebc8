/** Deflate and gzip of any size in bounded memory. Not by Compression Streams: those refuse files of several gzip members. */
import { Gunzip, Inflate } from "fflate";
import { crc32 } from "../../../storage/checksum.ts";
import {
  IMPORT_EXPANSION_BYTES_FREE,
  IMPORT_EXPANSION_MAX,
  IMPORT_FILE_BYTES_MAX,
  IMPORT_INFLATE_BYTES,
  IMPORT_READ_BYTES,
} from "../../base/config/limits.ts";
import { UnreadableFile } from "./file.ts";

/** Size and checksum of bytes that pass by. */
class Digest {
  size = 0;
  crc = 0;

  add(bytes: Uint8Array): void {
    this.size += bytes.length;
    this.crc = crc32(bytes, 0, bytes.length, this.crc);
  }
}

/** Fails for a bomb: its memory is bounded, its time would not be. */
function checkExpansion(path: string, packedBytes: number, bytes: number): void {
  if (bytes > IMPORT_FILE_BYTES_MAX) throw new UnreadableFile(`${path} has more than ${IMPORT_FILE_BYTES_MAX} bytes when decompressed.`);
  if (bytes > IMPORT_EXPANSION_BYTES_FREE && bytes > packedBytes * IMPORT_EXPANSION_MAX)
    throw new UnreadableFile(
      `${path} is more than ${IMPORT_EXPANSION_MAX} times as large when decompressed. Decompress it yourself if you trust it.`,
    );
}

/** One piece, so that readers need not hold thousands of members of a byte each. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** No larger than those of a plain file: a compressed slice may be a million lines. */
function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += IMPORT_READ_BYTES) yield bytes.subarray(at, at + IMPORT_READ_BYTES);
}

interface Decompressor {
  push(packed: Uint8Array, isLast: boolean): void;
}

/** Runs the decompressor that `create` makes over all bytes; it passes what it decompresses to its argument. */
async function* decompressed(
  path: string,
  packed: AsyncIterable<Uint8Array>,
  create: (take: (bytes: Uint8Array) => void) => Decompressor,
): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let [packedBytes, bytes] = [0, 0];
  const decompressor = create((piece) => pieces.push(piece));
  const push = (slice: Uint8Array, isLast: boolean): Uint8Array => {
    pieces = [];
    try {
      decompressor.push(slice, isLast);
    } catch (error) {
      throw new UnreadableFile(`${path} is damaged or cut short: it cannot be decompressed.`, { cause: error });
    }
    packedBytes += slice.length;
    const whole = joined(pieces);
    bytes += whole.length;
    checkExpansion(path, packedBytes, bytes);
    return whole;
  };
  for await (const chunk of packed) {
    for (let at = 0; at < chunk.length; at += IMPORT_INFLATE_BYTES)
      yield* chunksOf(push(chunk.subarray(at, at + IMPORT_INFLATE_BYTES), false));
  }
  yield* chunksOf(push(new Uint8Array(), true));
}

export interface Expected {
  readonly size: number;
  readonly crc: number;
}

/** Passes the bytes on, and fails at the end if they are others than expected. */
export async function* verified(path: string, chunks: AsyncIterable<Uint8Array>, expected: Expected): AsyncGenerator<Uint8Array> {
  const digest = new Digest();
  for await (const chunk of chunks) {
    digest.add(chunk);
    if (digest.size > expected.size) break;
    yield chunk;
  }
  if (digest.size !== expected.size || digest.crc !== expected.crc)
    throw new UnreadableFile(`${path} is damaged: its size or checksum is not the one that the archive says.`);
}

export const inflated = (path: string, packed: AsyncIterable<Uint8Array>, expected: Expected): AsyncIterable<Uint8Array> =>
  verified(
    path,
    decompressed(path, packed, (take) => new Inflate(take)),
    expected,
  );

/** Each member ends with the checksum and the size of its bytes (RFC 1952). */
const GZIP_TRAILER_BYTES = 8;

/** The trailer of the last member is checked: fflate does not notice every cut. */
export async function* gunzipped(path: string, packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let member = new Digest();
  let trailer = new Uint8Array();
  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const chunk of packed) {
      const end = new Uint8Array([...trailer, ...chunk.subarray(-GZIP_TRAILER_BYTES)]);
      trailer = end.slice(-GZIP_TRAILER_BYTES);
      yield chunk;
    }
  }
  yield* decompressed(path, watched(), (take) => {
    const gunzip = new Gunzip((bytes) => {
      member.add(bytes);
      take(bytes);
    });
    gunzip.onmember = () => (member = new Digest());
    return gunzip;
  });
  const view = new DataView(trailer.buffer);
  const isWhole =
    trailer.length === GZIP_TRAILER_BYTES && view.getUint32(0, true) === member.crc && view.getUint32(4, true) === member.size % 2 ** 32;
  if (!isWhole) throw new UnreadableFile(`${path} is damaged or cut short.`);
}
