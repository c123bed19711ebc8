/** The rows of a report as CSV: the fields of an object in a row are columns of their own (docs/http-api.md, "Breakdowns"). */
import { Decimal } from "../../query/decimal.ts";
import { csvField, csvFormat, quoted } from "./csv-format.ts";

type Cell = string | number | Decimal | undefined;

/** A row of the JSON form. */
export type CsvRow = Readonly<Record<string, Cell | Readonly<Record<string, Cell>>>>;

/** A field, or a field of the object in one. */
export type CsvColumn = string | readonly [object: string, field: string];

const nameOf = (column: CsvColumn): string => (typeof column === "string" ? column : column.join("_"));

/** A negative number is no formula, and with an apostrophe in front it would be no number. */
function cellOf(row: CsvRow, column: CsvColumn): string {
  const [name, field] = typeof column === "string" ? [column] : column;
  const found = row[name];
  const value = typeof found === "object" && !(found instanceof Decimal) ? found[field ?? ""] : found;
  if (value instanceof Decimal) return quoted(value.digits);
  return typeof value === "number" ? quoted(String(value)) : csvField(value ?? "");
}

export const csvOfRows = (columns: readonly CsvColumn[], rows: readonly CsvRow[]): string =>
  csvFormat.opening(columns.map(nameOf)) + rows.map((row) => `${columns.map((column) => cellOf(row, column)).join(",")}\n`).join("");
