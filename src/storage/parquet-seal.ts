/**
 * How a Parquet file says of itself that it is whole: checksums of all its other bytes, in an entry of its footer.
 * A decoder that believes damaged bytes gives wrong figures or asks for more memory than there is.
 */
import { crc32 } from "./checksum.ts";

const KEY = "sandpiper.crc32";

/** Two CRC-32 in hexadecimal: of what comes before this value, and of what comes after it. */
const VALUE_CHARS = 16;

/** Between an entry's key and its value stand the value's type and its length. */
const VALUE_HEADER_BYTES = 2;

const keyBytes = new TextEncoder().encode(KEY);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The footer's entry, to be written into a file that is sealed afterwards. */
export const SEAL_ENTRY = { key: KEY, value: "0".repeat(VALUE_CHARS) };

/** Where the value lies, or -1. The footer is at the end, and the entry at the footer's. */
function valueOffset(bytes: Uint8Array): number {
  for (let at = bytes.length - keyBytes.length - VALUE_HEADER_BYTES - VALUE_CHARS; at >= 0; at--) {
    if (keyBytes.every((byte, i) => bytes[at + i] === byte)) return at + keyBytes.length + VALUE_HEADER_BYTES;
  }
  return -1;
}

const hex = (checksum: number): string => checksum.toString(16).padStart(VALUE_CHARS / 2, "0");

const sealOf = (bytes: Uint8Array, offset: number): string =>
  hex(crc32(bytes, 0, offset)) + hex(crc32(bytes, offset + VALUE_CHARS, bytes.length));

/** Fills the entry in. */
export function seal(bytes: Uint8Array): void {
  const offset = valueOffset(bytes);
  if (offset === -1) throw new Error("a Parquet file was written without room for its checksum");
  encoder.encodeInto(sealOf(bytes, offset), bytes.subarray(offset));
}

/** Throws unless the file is as it was sealed. */
export function checkSeal(bytes: Uint8Array): void {
  const offset = valueOffset(bytes);
  if (offset === -1) throw new Error("the file has no checksum: it is cut short, or another program wrote it");
  const found = decoder.decode(bytes.subarray(offset, offset + VALUE_CHARS));
  if (found !== sealOf(bytes, offset)) throw new Error("the file is damaged: its checksum is another");
}
