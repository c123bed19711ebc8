/** A table with rows for each day, which becomes a CSV file of an archive. */
import { csvQuoted, csvText } from "../../shared/csv.ts";
import { DAY_MS, utcDateOf } from "../../storage/event.ts";
import type { Decimal } from "../base/decimal.ts";
import type { DaysReader } from "./day-queries.ts";

type Cell = string | number | Decimal;

export interface DayRow {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** A cell for each column. */
  readonly cells: readonly Cell[];
}

export interface DayTable {
  /** The name of its file without extension. */
  readonly name: string;
  /** The columns after the date. */
  readonly columns: readonly string[];
  /** The rows of all loaded days, in any order. */
  readonly rows: (reader: DaysReader) => Promise<readonly DayRow[]>;
}

export const headerOf = ({ columns }: DayTable): string => `${["date", ...columns].join(",")}\n`;

/**
 * The lines by date, and then in order of their text, so that the same events give the same file. `guarded`: spreadsheets read no cell as a
 * formula.
 */
export function linesOf(rows: readonly DayRow[], { guarded }: { readonly guarded: boolean }): string {
  const textOf = guarded ? csvText : csvQuoted;
  const written = (cell: Cell): string => (typeof cell === "string" ? textOf(cell) : typeof cell === "number" ? String(cell) : cell.digits);
  return rows
    .map(({ day, cells }) => `${utcDateOf(day * DAY_MS)},${cells.map(written).join(",")}\n`)
    .sort()
    .join("");
}
