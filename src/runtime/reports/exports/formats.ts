/** The file formats of exports and of breakdowns as CSV (docs/http-api.md, "Export"). */
import { csvNumber, csvText } from "../../../shared/csv.ts";
import { Decimal } from "../../base/decimal.ts";
import { oneOf } from "../../query/parameters.ts";

/** CSV and JSON differ in these only. */
export interface ExportFormat {
  readonly extension: string;
  readonly contentType: string;
  opening(columns: readonly string[]): string;
  /** Text around the values of a row: one string before each value and one after the last. */
  frame(columns: readonly string[]): readonly string[];
  readonly separator: string;
  readonly closing: string;
  /** Stands for a value that was not recorded. */
  readonly unrecorded: string;
  text(value: string): string;
  /** Takes the digits of a decimal number, so that it stays exact. */
  number(digits: string): string;
  /** Takes a serialized JSON object. */
  json(value: string): string;
}

/** A header line of unquoted column names, then a line for each row. Every line ends in a line feed. */
export const csvFormat: ExportFormat = {
  extension: "csv",
  contentType: "text/csv; charset=utf-8",
  opening: (columns) => `${columns.join(",")}\n`,
  frame: (columns) => ["", ...columns.slice(1).map(() => ","), "\n"],
  separator: "",
  closing: "",
  unrecorded: '""',
  text: csvText,
  number: csvNumber,
  json: csvText,
};

export const jsonFormat: ExportFormat = {
  extension: "json",
  contentType: "application/json",
  opening: () => "[",
  frame: (columns) => [...columns.map((name, i) => `${i === 0 ? "{" : ","}${JSON.stringify(name)}:`), "}"],
  separator: ",\n",
  closing: "]",
  unrecorded: "null",
  text: (value) => JSON.stringify(value),
  number: (digits) => digits,
  json: (value) => value,
};

/** A JSON object on each line. */
export const jsonLinesFormat: ExportFormat = {
  ...jsonFormat,
  extension: "jsonl",
  contentType: "application/jsonl",
  opening: () => "",
  frame: (columns) => [...jsonFormat.frame(columns).slice(0, -1), "}\n"],
  separator: "",
  closing: "",
};

type Cell = string | number | Decimal | undefined;

type CsvRow = Readonly<Record<string, Cell | Readonly<Record<string, Cell>>>>;

/** A field, or a field of the object in one. */
export type CsvColumn = string | readonly [object: string, field: string];

const nameOf = (column: CsvColumn): string => (typeof column === "string" ? column : column.join("_"));

function cellOf(row: CsvRow, column: CsvColumn): string {
  const [name, field] = typeof column === "string" ? [column] : column;
  const found = row[name];
  const value = typeof found === "object" && !(found instanceof Decimal) ? found[field ?? ""] : found;
  if (value instanceof Decimal) return csvNumber(value.digits);
  return typeof value === "number" ? csvNumber(String(value)) : csvText(value ?? "");
}

/** A parameter of files. */
export const BOM_PARAMETER = oneOf("`true`: a CSV file begins with a byte-order mark, by which spreadsheets tell UTF-8.", [
  "false",
  "true",
]);

/** A report as CSV. Fields of an object in a row are columns of their own. */
export const csvOfRows = (columns: readonly CsvColumn[], rows: readonly CsvRow[]): string =>
  csvFormat.opening(columns.map(nameOf)) + rows.map((row) => `${columns.map((column) => cellOf(row, column)).join(",")}\n`).join("");
