/** CSV (RFC 4180) in which no spreadsheet finds a formula, whatever it splits cells at. */

/** How a cell begins that spreadsheets evaluate. */
const FORMULA_START = /^(?=[=+\-@\t\r])/;

/**
 * The same inside a value: a program that splits at `;` or tabs takes only quotes at the start of a line for quotes, and so
 * sees cells where there are none.
 */
const INNER_FORMULA_START = /[;\t\r\n](?="*[=+\-@\t\r])/g;

const withoutFormulas = (text: string): string => text.replace(INNER_FORMULA_START, "$&'").replace(FORMULA_START, "'");

const cell = (value: string | number): string => `"${typeof value === "string" ? withoutFormulas(value).replaceAll('"', '""') : value}"`;

/** Every cell is quoted, every line ends in CR LF. */
export const csvOf = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
