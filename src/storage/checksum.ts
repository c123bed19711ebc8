/** Checksums of journal lines and of Parquet files, which are sealed with one (docs/data-format.md). */

/** The remainder of a byte that is followed by no, one, two and three more bytes ("slicing by 4"). */
const TABLES = Array.from({ length: 4 }, () => new Int32Array(256)) as [Int32Array, Int32Array, Int32Array, Int32Array];
const [LAST, THIRD, SECOND, FIRST] = TABLES;

for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  LAST[byte] = crc;
}
TABLES.forEach((table, i) => {
  const shorter = TABLES[i - 1];
  if (shorter) table.forEach((_, byte) => (table[byte] = (at(shorter, byte) >>> 8) ^ at(LAST, at(shorter, byte))));
});

/** The entry of the lowest byte. */
function at(table: Int32Array, bits: number): number {
  return table[bits & 0xff] as number;
}

/** The checksum of `bytes[start..end)` as an unsigned 32-bit number, continued from that of the bytes `before`. */
export function crc32(bytes: Uint8Array, start: number, end: number, before = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = ~before;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    const bits = crc ^ view.getInt32(i, true);
    crc = at(FIRST, bits) ^ at(SECOND, bits >>> 8) ^ at(THIRD, bits >>> 16) ^ at(LAST, bits >>> 24);
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ at(LAST, crc ^ view.getUint8(i));
  return ~crc >>> 0;
}

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
  for (let start = bytes.length - keyBytes.length - VALUE_HEADER_BYTES - VALUE_CHARS; start >= 0; start--) {
    if (keyBytes.every((byte, i) => bytes[start + i] === byte)) return start + keyBytes.length + VALUE_HEADER_BYTES;
  }
  return -1;
}

const hex = (checksum: number): string => checksum.toString(16).padStart(VALUE_CHARS / 2, "0");

const sealOf = (bytes: Uint8Array, offset: number): string =>
  hex(crc32(bytes, 0, offset)) + hex(crc32(bytes, offset + VALUE_CHARS, bytes.length));

/**
 * Detects damage of a Parquet file: a footer entry contains checksums of all other bytes. Without it a decoder of damaged bytes could return wrong values or allocate too much memory.
 *
 * Writes the checksums into the entry.
 */
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
