/** CSV for spreadsheets, in which none finds a formula, whatever it splits cells at. */
import { csvNumber, csvText } from "../../src/shared/csv.ts";

/**
 * A program that splits at `;` or tabs takes only quotes at the start of a line for quotes, and so sees cells inside of values: none of
 * them may begin like a formula either.
 */
const INNER_FORMULA_START = /[;\t\r\n](?="*[=+\-@\t\r])/g;

const cell = (value: string | number): string =>
  typeof value === "number" ? csvNumber(String(value)) : csvText(value.replace(INNER_FORMULA_START, "$&'"));

/** Every line ends in CR LF. */
export const csvOf = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
