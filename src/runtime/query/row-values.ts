/** Reading numbers and texts out of the engine's rows, and the arithmetic every figure shares. */
import type { SqlRow } from "../engine/engine.ts";

/** A count; 0 where there is no row. */
export const numberIn = (row: SqlRow | undefined, name: string): number => Number(row?.[name] ?? 0);

export const textIn = (row: SqlRow, name: string): string => String(row[name]);

/** Rates and averages over nothing are 0 (decisions, "Statistics"). */
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
