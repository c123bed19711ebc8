/** A column of an export while it waits to be written: each number in as few bytes as all of the column fit in. */
import { floatsOf } from "../../engine/duckdb/int64-words.ts";

/** Numbers as they are worked with. */
export type Numbers = Int32Array | Float64Array;

export class PackedNumbers {
  /** What was taken off each number. */
  readonly #least: number;
  /** The rest of each; null where all are the same. */
  readonly #rest: Uint8Array | Uint16Array | Uint32Array | Numbers | null;
  readonly #length: number;
  readonly #isLong: boolean;

  /** The numbers are exact up to 2^53, which holds times, amounts of money and numbers of texts. */
  constructor(numbers: Int32Array | BigInt64Array) {
    const values = numbers instanceof BigInt64Array ? floatsOf(numbers) : numbers;
    const [least, greatest] = boundsOf(values);
    this.#isLong = values instanceof Float64Array;
    this.#length = values.length;
    // Numbers of texts begin near 0 wherever few bytes hold them, and to leave them as they are is quicker.
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

/** The least and the greatest; both 0 where there are none. */
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
