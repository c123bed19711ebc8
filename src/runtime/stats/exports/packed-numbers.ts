/** A column of an export while it waits to be written: each number in as few bytes as all of the column fit in. */
import { floatsOf } from "../../engine/words.ts";

type Packed = Uint8Array | Uint16Array | Uint32Array | Float64Array;

export class PackedNumbers {
  readonly #least: number;
  /** What is to be added to the least, by row; null where all are the same. */
  readonly #above: Packed | null;

  /** The numbers are exact up to 2^53, which holds times, amounts of money and numbers of texts. */
  constructor(numbers: Int32Array | BigInt64Array) {
    const values = numbers instanceof BigInt64Array ? floatsOf(numbers) : numbers;
    let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) {
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
    this.#least = values.length === 0 ? 0 : least;
    this.#above = greatest <= least ? null : packedFor(greatest - least, values.length);
    const above = this.#above;
    if (above) for (let row = 0; row < above.length; row++) above[row] = (values[row] ?? 0) - least;
  }

  at(row: number): number {
    return this.#least + (this.#above?.[row] ?? 0);
  }

  get bytes(): number {
    return this.#above?.byteLength ?? 0;
  }
}

function packedFor(greatest: number, length: number): Packed {
  if (greatest < 2 ** 8) return new Uint8Array(length);
  if (greatest < 2 ** 16) return new Uint16Array(length);
  if (greatest < 2 ** 32) return new Uint32Array(length);
  return new Float64Array(length);
}
