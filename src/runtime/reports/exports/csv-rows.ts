/** The rows of a report as CSV: the fields of an object in a row are columns of their own (docs/http-api.md, "Breakdowns"). */
import { Decimal } from "../../query/decimal.ts";
import { csvField, csvFormat } from "./csv-format.ts";

type Cell = string | number | Decimal | undefined;

/** A row of the JSON form. */
export type CsvRow = Readonly<Record<string, Cell | Readonly<Record<string, Cell>>>>;

/** A field, or a field of the object in one. */
export type CsvColumn = string | readonly [object: string, field: string];

const nameOf = (column: CsvColumn): string => (typeof column === "string" ? column : column.join("_"));

function cellOf(row: CsvRow, column: CsvColumn): string {
  const [name, field] = typeof column === "string" ? [column] : column;
  const found = row[name];
  const value = typeof found === "object" && !(found instanceof Decimal) ? found[field ?? ""] : found;
  return csvField(value instanceof Decimal ? value.digits : String(value ?? ""));
}

export const csvOfRows = (columns: readonly CsvColumn[], rows: readonly CsvRow[]): string =>
  csvFormat.opening(columns.map(nameOf)) + rows.map((row) => `${columns.map((column) => cellOf(row, column)).join(",")}\n`).join("");
