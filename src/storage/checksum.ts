/** CRC-32 (ISO 3309, as in gzip and PNG), four bytes a step: detects torn or damaged journal lines and Parquet files. */

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

/** The checksum of `bytes[start..end)` as an unsigned 32-bit number. */
export function crc32(bytes: Uint8Array, start: number, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = ~0;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    const bits = crc ^ view.getInt32(i, true);
    crc = at(FIRST, bits) ^ at(SECOND, bits >>> 8) ^ at(THIRD, bits >>> 16) ^ at(LAST, bits >>> 24);
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ at(LAST, crc ^ view.getUint8(i));
  return ~crc >>> 0;
}
