/** The rows of the details as a file: all pages, with the columns and in the order of the table. */
import { fetchReport } from "../api/reports.ts";
import type { BreakdownPage } from "../api/types.ts";
import { fileNameOf, saveCsv, saveFile } from "../kit/download.ts";
import type { ColumnId, Row } from "./details-columns.ts";
import { urlOfRows, type Asked } from "./details-request.ts";

/** The service's limits for one request. */
export const ROWS_MAX = 1000;
export const OFFSET_MAX = 1_000_000;

/** All rows of the table. `onProgress` gets how many there are so far, of how many. */
export async function fetchRows(asked: Asked, signal: AbortSignal, onProgress: (rows: number, total: number) => void): Promise<Row[]> {
  // Rows may move to another page meanwhile.
  const rows = new Map<string, Row>();
  for (let [offset, total] = [0, Infinity]; offset < total && offset <= OFFSET_MAX; offset += ROWS_MAX) {
    const page = await fetchReport<BreakdownPage>(urlOfRows(asked, { offset, limit: ROWS_MAX }), signal);
    for (const row of page.rows) rows.set(row.value, row);
    total = page.total;
    onProgress(rows.size, total);
  }
  return [...rows.values()];
}

export type FileFormat = "csv" | "json";

interface Table {
  readonly asked: Asked;
  readonly rows: readonly Row[];
  readonly labelOf: (value: string) => string;
  /** The column that the change is of; null without a comparison. */
  readonly changed: ColumnId | null;
}

/** A row by the names of the file's columns. */
function fieldsOf(row: Row, { asked, labelOf, changed }: Table): Readonly<Record<string, string | number>> {
  return {
    value: row.value,
    label: labelOf(row.value),
    ...Object.fromEntries(asked.columns.map(({ id }) => [id, row[id] ?? ""])),
    ...(changed !== null && { [`previous_${changed}`]: row.comparison?.[changed] ?? "" }),
  };
}

export function saveRows(format: FileFormat, table: Table): void {
  const name = fileNameOf(table.asked.dimension, format);
  const rows = table.rows.map((row) => fieldsOf(row, table));
  if (format === "json") return saveFile(name, new Blob([JSON.stringify(rows, null, 2)], { type: "application/json" }));
  const names = [
    "value",
    "label",
    ...table.asked.columns.map(({ id }) => id),
    ...(table.changed === null ? [] : [`previous_${table.changed}`]),
  ];
  saveCsv(name, [names, ...rows.map((row) => names.map((each) => row[each] ?? ""))]);
}
