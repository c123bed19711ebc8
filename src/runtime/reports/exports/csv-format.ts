/** CSV that spreadsheets take for text only (docs/http-api.md, "Export"): every value quoted, none of them a formula. */
import type { ExportFormat } from "./export-format.ts";

/** What a spreadsheet may take for the beginning of a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;

/** A value in quotes, its own quotes doubled, with an apostrophe in front where it could be taken for a formula. */
export function csvField(value: string): string {
  const inert = FORMULA_START.test(value) ? `'${value}` : value;
  return `"${inert.includes('"') ? inert.replaceAll('"', '""') : inert}"`;
}

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
