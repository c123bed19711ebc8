/** Cells of CSV (RFC 4180): quoted, and none that a spreadsheet reads as a formula (docs/http-api.md, "Export"). */

const FORMULA_START = /^[=+\-@\t\r]/;

/** A quoted cell for programs: a spreadsheet may run it as a formula. */
export const csvQuoted = (text: string): string => `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;

/** The byte-order mark: without it, spreadsheets read a file in the character set of their language. */
export const BOM = "\ufeff";

/** Prefixes an apostrophe if a spreadsheet would read the text as a formula. */
export const csvText = (text: string): string => csvQuoted(FORMULA_START.test(text) ? `'${text}` : text);

/** Takes digits. A negative number is not a formula, and an apostrophe would make it a text. */
export const csvNumber = (digits: string): string => csvQuoted(digits);
