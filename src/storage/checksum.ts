/** CRC-32 (ISO 3309, as in gzip and PNG): tells a journal line that was torn or damaged from a whole one. */

const POLYNOMIAL = 0xedb88320;

/** What a byte does to the checksum. */
const ALONE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** What a byte does that one more byte comes after than in the table before. */
const oneFurther = (table: Uint32Array): Uint32Array => table.map((crc) => (crc >>> 8) ^ (ALONE[crc & 0xff] ?? 0));

const BEFORE_ONE = oneFurther(ALONE);
const BEFORE_TWO = oneFurther(BEFORE_ONE);
const BEFORE_THREE = oneFurther(BEFORE_TWO);

/** The checksum of `bytes[start..end)` as an unsigned 32-bit number. Four bytes at a time: every accepted event goes through here. */
export function crc32(bytes: Uint8Array, start: number, end: number): number {
  let crc = 0xffffffff;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    crc ^= (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8) | ((bytes[i + 2] ?? 0) << 16) | ((bytes[i + 3] ?? 0) << 24);
    crc =
      (BEFORE_THREE[crc & 0xff] ?? 0) ^
      (BEFORE_TWO[(crc >>> 8) & 0xff] ?? 0) ^
      (BEFORE_ONE[(crc >>> 16) & 0xff] ?? 0) ^
      (ALONE[crc >>> 24] ?? 0);
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ (ALONE[(crc ^ (bytes[i] ?? 0)) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
