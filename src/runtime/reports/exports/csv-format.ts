/** CSV with every value quoted and no value that a spreadsheet reads as a formula (docs/http-api.md, "Export"). */
import type { ExportFormat } from "./export-format.ts";

/** Characters that start a formula in spreadsheets. */
const FORMULA_START = /^[=+\-@\t\r]/;

/** Quotes a value and doubles its quotes (RFC 4180). */
export const quoted = (value: string): string => `"${value.includes('"') ? value.replaceAll('"', '""') : value}"`;

/** A quoted value, with an apostrophe in front if a spreadsheet would read it as a formula. */
export const csvField = (value: string): string => quoted(FORMULA_START.test(value) ? `'${value}` : value);

/** A header line of bare column names, then a line for each row. Lines end in a line feed, the last one too. */
export const csvFormat: ExportFormat = {
  extension: "csv",
  contentType: "text/csv; charset=utf-8",
  opening: (columns) => `${columns.join(",")}\n`,
  frame: (columns) => ["", ...columns.slice(1).map(() => ","), "\n"],
  separator: "",
  closing: "",
  unrecorded: '""',
  text: csvField,
  number: csvField,
  json: csvField,
};
