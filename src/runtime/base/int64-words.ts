/** Reads 64-bit integers as 32-bit words or floats. A BigInt per value would cost more than everything else done with it. */

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
