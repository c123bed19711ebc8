/** Reads values from result rows, and the arithmetic that all reports share. */
import type { SqlRow, SqlValue } from "./sql.ts";

/** A count; 0 without a row. */
export const numberIn = (row: SqlRow | undefined, name: string): number => Number(row?.[name] ?? 0);

/** Adds up columns of rows by key. Texts are integers beyond 64 bits. */
export function sumsBy<Key>(keyOf: (row: SqlRow) => Key, rows: readonly SqlRow[], columns: readonly string[]): ReadonlyMap<Key, SqlRow> {
  const sums = new Map<Key, Record<string, SqlValue>>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = sums.get(key) ?? {};
    sums.set(key, sum);
    for (const name of columns) {
      const added = row[name];
      sum[name] = typeof added === "string" ? String(BigInt(sum[name] ?? 0) + BigInt(added)) : numberIn(sum, name) + numberIn(row, name);
    }
  }
  return sums;
}

/** Rows of counts, added up by column. */
export const sumOfRows = (rows: readonly SqlRow[]): SqlRow => {
  const sums: Record<string, number> = {};
  for (const row of rows) for (const name of Object.keys(row)) sums[name] = (sums[name] ?? 0) + numberIn(row, name);
  return sums;
};

export const textIn = (row: SqlRow, name: string): string => String(row[name]);

/** Rates and averages over nothing are 0 (docs/http-api.md, "Numbers"). */
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Rows by the value of an integer column. */
export const rowsBy = (name: string, rows: readonly SqlRow[]): ReadonlyMap<number, SqlRow> =>
  new Map(rows.map((row) => [numberIn(row, name), row]));
