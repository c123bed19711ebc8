/** CRC-32 against published values, against zlib and against single-bit changes. */
import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { skippedFor } from "../../support/skipped.ts";
import { crc32 } from "../../../src/storage/checksum.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** From the standard's check value and from zlib's own tests. */
const VECTORS: readonly (readonly [text: string, checksum: number])[] = [
  ["", 0],
  ["a", 0xe8b7be43],
  ["abc", 0x352441c2],
  ["123456789", 0xcbf43926],
  ["message digest", 0x20159d7f],
  ["The quick brown fox jumps over the lazy dog", 0x414fa339],
  ["\0", 0xd202ef8d],
  ["\0".repeat(32), 0x190a55ad],
  ["\u{1f600}", 0x054db544],
];

describe("the CRC-32 checksum", () => {
  it.each(VECTORS)("equals the published value for %j", (text, checksum) => {
    const bytes = bytesOf(text);
    expect(crc32(bytes, 0, bytes.length)).toBe(checksum);
  });

  it("equals the published value for 32 bytes of ones", () => {
    expect(crc32(new Uint8Array(32).fill(0xff), 0, 32)).toBe(0xff6cab0b);
  });

  it("covers only the bytes between start and end", () => {
    const bytes = bytesOf("xx123456789yy");
    expect(crc32(bytes, 2, 11)).toBe(0xcbf43926);
    expect(crc32(bytes, 5, 5)).toBe(0);
  });

  it("is never negative", () => {
    for (let byte = 0; byte < 256; byte++) expect(crc32(Uint8Array.of(byte), 0, 1)).toBeGreaterThanOrEqual(0);
  });

  it("differs for every single flipped bit", () => {
    const bytes = bytesOf("A journal line of a few words");
    const whole = crc32(bytes, 0, bytes.length);
    const seen = new Set([whole]);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = bytes.slice();
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      seen.add(crc32(changed, 0, changed.length));
    }
    expect(seen.size).toBe(bytes.length * 8 + 1);
  });

  it("equals zlib's crc32 for any bytes", skippedFor(typeof zlibCrc32 === "function" ? null : "This Node has no zlib.crc32."), () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => crc32(bytes, 0, bytes.length) === zlibCrc32(bytes)));
  });
});
