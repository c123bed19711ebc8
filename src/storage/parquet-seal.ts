/** Detects damage of a Parquet file: a footer entry contains checksums of all other bytes. Without it a decoder of damaged bytes could return wrong values or allocate too much memory. */
import { crc32 } from "./checksum.ts";

const KEY = "sandpiper.crc32";

/** Two CRC-32 in hexadecimal: of what comes before this value, and of what comes after it. */
const VALUE_CHARS = 16;

/** Bytes between an entry's key and its value: the value's type and its length. */
const VALUE_HEADER_BYTES = 2;

const keyBytes = new TextEncoder().encode(KEY);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The footer entry of a file to be sealed. */
export const SEAL_ENTRY = { key: KEY, value: "0".repeat(VALUE_CHARS) };

/** The offset of the value, or -1. Searched from the end: the entry is the last of the footer. */
function valueOffset(bytes: Uint8Array): number {
  for (let at = bytes.length - keyBytes.length - VALUE_HEADER_BYTES - VALUE_CHARS; at >= 0; at--) {
    if (keyBytes.every((byte, i) => bytes[at + i] === byte)) return at + keyBytes.length + VALUE_HEADER_BYTES;
  }
  return -1;
}

const hex = (checksum: number): string => checksum.toString(16).padStart(VALUE_CHARS / 2, "0");

const sealOf = (bytes: Uint8Array, offset: number): string =>
  hex(crc32(bytes, 0, offset)) + hex(crc32(bytes, offset + VALUE_CHARS, bytes.length));

/** Writes the checksums into the entry. */
export function seal(bytes: Uint8Array): void {
  const offset = valueOffset(bytes);
  if (offset === -1) throw new Error("a Parquet file was written without room for its checksum");
  encoder.encodeInto(sealOf(bytes, offset), bytes.subarray(offset));
}

/** The checksums in a file or in its end; null if there are none. */
export function sealIn(bytes: Uint8Array): string | null {
  const offset = valueOffset(bytes);
  return offset === -1 ? null : decoder.decode(bytes.subarray(offset, offset + VALUE_CHARS));
}

/** Throws unless the file's bytes match its checksums. */
export function checkSeal(bytes: Uint8Array): void {
  const found = sealIn(bytes);
  if (found === null) throw new Error("the file has no checksum: it is cut short, or another program wrote it");
  if (found !== sealOf(bytes, valueOffset(bytes))) throw new Error("the file is damaged: its checksum is another");
}
