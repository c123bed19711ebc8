/** A table as columns, which threads exchange faster than rows. */

/** Columns by name, all of the same length: integers, or texts without null. Integers of a `Float64Array` are below 2^53. */
export type Columns = Readonly<Record<string, Int32Array | BigInt64Array | Float64Array | readonly string[]>>;

export const rowCountOf = (columns: Columns): number => Object.values(columns)[0]?.length ?? 0;

/** Approximate memory of a text without its characters, and of an object. */
const TEXT_BYTES = 32;
const OBJECT_BYTES = 200;

/** Approximate size in memory, with all texts. */
export function memoryOf(columns: Columns): number {
  let bytes = OBJECT_BYTES;
  for (const values of Object.values(columns)) {
    if (Array.isArray(values)) for (const text of values) bytes += TEXT_BYTES + String(text).length;
    else bytes += 8 * values.length;
  }
  return bytes;
}

/** A table without texts. */
export type NumberColumns = Readonly<Record<string, Int32Array | BigInt64Array>>;

/** The rows as objects. */
export const rowsOf = (columns: Columns): Record<string, number | bigint | string>[] =>
  Array.from({ length: rowCountOf(columns) }, (_, row) =>
    Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[row] ?? 0])),
  );
