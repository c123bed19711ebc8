/** Reads values from result rows, and the arithmetic that all reports share. */
import type { SqlRow } from "./sql.ts";

/** A count; 0 without a row. */
export const numberIn = (row: SqlRow | undefined, name: string): number => Number(row?.[name] ?? 0);

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
