/** Cells of CSV (RFC 4180): all are quoted, and no text is one that a spreadsheet reads as a formula (docs/http-api.md, "Export"). */

const FORMULA_START = /^[=+\-@\t\r]/;

const quoted = (text: string): string => `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;

/** A text, with an apostrophe in front if a spreadsheet would read it as a formula. */
export const csvText = (text: string): string => quoted(FORMULA_START.test(text) ? `'${text}` : text);

/** A number in digits. A negative one is not a formula, and with an apostrophe in front it would not be a number. */
export const csvNumber = (digits: string): string => quoted(digits);
