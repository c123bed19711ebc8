/** CSV for spreadsheets: none of them finds a formula in it, whatever separator it splits cells at. */
import { csvNumber, csvText } from "../../src/shared/csv.ts";

/**
 * Programs that split at `;` or tabs honor quotes only at the start of a line, and so see cells inside values: these must not begin like a
 * formula either.
 */
const INNER_FORMULA_START = /[;\t\r\n](?="*[=+\-@\t\r])/g;

const cell = (value: string | number): string =>
  typeof value === "number" ? csvNumber(String(value)) : csvText(value.replace(INNER_FORMULA_START, "$&'"));

/** Lines end in CR LF. */
export const csvOf = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
