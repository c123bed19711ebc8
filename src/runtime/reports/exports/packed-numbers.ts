/** A numeric column of an export in compact form: minus its minimum, in the smallest integer type that holds all values. */
import { floatsOf } from "../../engine/duckdb/int64-words.ts";

/** Unpacked numbers. */
export type Numbers = Int32Array | Float64Array;

export class PackedNumbers {
  /** The minimum, which was subtracted from each number. */
  readonly #least: number;
  /** The differences to the minimum; null if all numbers are equal. */
  readonly #rest: Uint8Array | Uint16Array | Uint32Array | Numbers | null;
  readonly #length: number;
  readonly #isLong: boolean;

  /** Numbers are exact up to 2^53, which covers timestamps, amounts of money and text codes. */
  constructor(numbers: Int32Array | BigInt64Array) {
    const values = numbers instanceof BigInt64Array ? floatsOf(numbers) : numbers;
    const [least, greatest] = boundsOf(values);
    this.#isLong = values instanceof Float64Array;
    this.#length = values.length;
    // Text codes that fit into few bytes are near 0, and leaving them unchanged is faster.
    this.#least = this.#isLong || least === greatest ? least : 0;
    if (this.#isLong && least !== 0) for (let row = 0; row < values.length; row++) values[row] = (values[row] ?? 0) - least;
    this.#rest = least === greatest ? null : packed(values, least - this.#least, greatest - this.#least);
  }

  unpacked(): Numbers {
    const numbers = this.#isLong ? new Float64Array(this.#length) : new Int32Array(this.#length);
    if (!this.#rest) return numbers.fill(this.#least);
    numbers.set(this.#rest);
    if (this.#least !== 0) for (let row = 0; row < numbers.length; row++) numbers[row] = (numbers[row] ?? 0) + this.#least;
    return numbers;
  }

  get bytes(): number {
    return this.#rest?.byteLength ?? 0;
  }
}

/** Minimum and maximum; both 0 for an empty column. */
function boundsOf(values: Numbers): [least: number, greatest: number] {
  let [least, greatest] = [values[0] ?? 0, values[0] ?? 0];
  for (let row = 1; row < values.length; row++) {
    const value = values[row] ?? 0;
    if (value < least) least = value;
    else if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

function packed(values: Numbers, least: number, greatest: number) {
  if (least < 0) return values;
  if (greatest < 2 ** 8) return new Uint8Array(values);
  if (greatest < 2 ** 16) return new Uint16Array(values);
  if (greatest < 2 ** 32) return new Uint32Array(values);
  return values;
}
