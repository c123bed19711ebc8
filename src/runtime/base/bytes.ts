/** Byte strings: SHA-256, comparison in constant time, hexadecimal, and 64-bit integers as words. An owner of hash-wasm. */
import { createSHA256 } from "hash-wasm";

/** The 32 bytes of a text's hash. Synchronous. */
export type Sha256 = (text: string) => Uint8Array;

export async function createSha256(): Promise<Sha256> {
  const hash = await createSHA256();
  return (text) => hash.init().update(text).digest("binary");
}

/** The hash of bytes that come in pieces. */
export interface Hasher {
  add(bytes: Uint8Array): void;
  /** The hash in hexadecimal digits. */
  end(): string;
}

export async function createHasher(): Promise<Hasher> {
  const hash = (await createSHA256()).init();
  return { add: (bytes) => void hash.update(bytes), end: () => hash.digest("hex") };
}

/** True if two byte strings are equal. Compares every byte, so the time reveals nothing but a difference in length. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Parses an even number of hexadecimal digits. */
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

/** Reading 64-bit integers as words is many times faster than a BigInt per value. */
const WORD = 2 ** 32;

type Int64Array = BigInt64Array | BigUint64Array;

/** The two words of each integer, the lower first: WebAssembly memory is little-endian. */
export const wordsOf = ({ buffer, byteOffset, length }: Int64Array): Int32Array => new Int32Array(buffer, byteOffset, length * 2);

/** The integers as floats. Exact for timestamps in milliseconds, which are below 2^53. */
export function floatsOf(integers: Int64Array): Float64Array {
  const words = wordsOf(integers);
  const floats = new Float64Array(integers.length);
  for (let i = 0; i < floats.length; i++) floats[i] = (words[2 * i + 1] ?? 0) * WORD + ((words[2 * i] ?? 0) >>> 0);
  return floats;
}

/** The inverse of `floatsOf`. */
export function integersOf(floats: Float64Array): BigInt64Array {
  const words = new Int32Array(2 * floats.length);
  for (let i = 0; i < floats.length; i++) {
    const value = floats[i] ?? 0;
    const high = Math.floor(value / WORD);
    words[2 * i] = value - high * WORD;
    words[2 * i + 1] = high;
  }
  return new BigInt64Array(words.buffer);
}
