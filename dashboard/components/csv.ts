/** CSV that spreadsheets take for text only, also those that expect `;` between cells: every cell quoted, none of them a formula. */

/** What a spreadsheet may take for the beginning of a formula. */
const FORMULA_START = /^(?=[=+\-@\t\r])/;

/** The same within a value: programs that split at `;` or tabs take only the first quotes of a line for quotes, and then others within. */
const INNER_FORMULA_START = /[;\t\r\n](?="*[=+\-@\t\r])/g;

const inert = (text: string): string => text.replace(INNER_FORMULA_START, "$&'").replace(FORMULA_START, "'");

const cell = (value: string | number): string => `"${typeof value === "string" ? inert(value).replaceAll('"', '""') : value}"`;

/** Lines end in CR LF (RFC 4180), the last one too. */
export const csvOf = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");

export const CSV_TYPE = "text/csv;charset=utf-8";
