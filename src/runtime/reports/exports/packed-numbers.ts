/** A compressed numeric column of an export: the differences to a base, in the smallest integer type (frame of reference). */
import { floatsOf } from "../../base/bytes.ts";

/** Unpacked numbers. */
export type Numbers = Int32Array | Float64Array;

export class PackedNumbers {
  /** The number that was subtracted from each value: the minimum, or 0. */
  readonly #base: number;
  /** The differences to `#base`; null if all numbers are equal. */
  readonly #differences: Uint8Array | Uint16Array | Uint32Array | Numbers | null;
  readonly #length: number;
  readonly #isLong: boolean;

  /** Numbers are exact up to 2^53, which is enough for timestamps, revenue in hundredths and text codes. */
  constructor(numbers: Int32Array | BigInt64Array) {
    const values = numbers instanceof BigInt64Array ? floatsOf(numbers) : numbers;
    const [minimum, maximum] = boundsOf(values);
    this.#isLong = values instanceof Float64Array;
    this.#length = values.length;
    // Text codes that fit into few bytes are near 0, and leaving them unchanged is faster.
    this.#base = this.#isLong || minimum === maximum ? minimum : 0;
    if (this.#isLong && minimum !== 0) for (let row = 0; row < values.length; row++) values[row] = (values[row] ?? 0) - minimum;
    this.#differences = minimum === maximum ? null : packed(values, minimum - this.#base, maximum - this.#base);
  }

  unpacked(): Numbers {
    const numbers = this.#isLong ? new Float64Array(this.#length) : new Int32Array(this.#length);
    if (!this.#differences) return numbers.fill(this.#base);
    numbers.set(this.#differences);
    if (this.#base !== 0) for (let row = 0; row < numbers.length; row++) numbers[row] = (numbers[row] ?? 0) + this.#base;
    return numbers;
  }

  /** Size of the differences in memory. */
  get bytes(): number {
    return this.#differences?.byteLength ?? 0;
  }
}

/** Minimum and maximum; both 0 for an empty column. */
function boundsOf(values: Numbers): [minimum: number, maximum: number] {
  let [minimum, maximum] = [values[0] ?? 0, values[0] ?? 0];
  for (let row = 1; row < values.length; row++) {
    const value = values[row] ?? 0;
    if (value < minimum) minimum = value;
    else if (value > maximum) maximum = value;
  }
  return [minimum, maximum];
}

function packed(values: Numbers, minimum: number, maximum: number) {
  if (minimum < 0) return values;
  if (maximum < 2 ** 8) return new Uint8Array(values);
  if (maximum < 2 ** 16) return new Uint16Array(values);
  if (maximum < 2 ** 32) return new Uint32Array(values);
  return values;
}
