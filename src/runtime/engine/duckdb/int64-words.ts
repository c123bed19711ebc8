/** Numbers of 64 bits read as they lie in memory, because a big integer made of each costs more than all that is done with it. */

const WORD = 2 ** 32;

type LongNumbers = BigInt64Array | BigUint64Array;

/** Both halves of each, the lower first: little-endian, as memory is wherever WebAssembly runs. */
export const wordsOf = ({ buffer, byteOffset, length }: LongNumbers): Int32Array => new Int32Array(buffer, byteOffset, length * 2);

/** As floats, which hold times exactly. */
export function floatsOf(numbers: LongNumbers): Float64Array {
  const words = wordsOf(numbers);
  const floats = new Float64Array(numbers.length);
  for (let i = 0; i < floats.length; i++) floats[i] = (words[2 * i + 1] ?? 0) * WORD + ((words[2 * i] ?? 0) >>> 0);
  return floats;
}
