/** Requests for a dimension's values: pages of rows for the table, and all rows for a file. */
import { BREAKDOWN_OFFSET_MAX, BREAKDOWN_ROWS_MAX } from "../../src/shared/limits.ts";
import { urlOf, type Parameters } from "../api/http.ts";
import { fetchReport } from "../api/reports.ts";
import type { BreakdownPage, Dimension } from "../api/types.ts";
import { fileNameOf, saveCsv, saveFile } from "../kit/download.ts";
import { useRequest, type Report } from "../state/requests.ts";
import { comparisonParameters, everybodyScope, scope } from "../state/scope.ts";
import { filters } from "../state/view-filters.ts";
import { isCounted, type Column, type ColumnId, type Order, type Row } from "./details-columns.ts";
import { searchParameters } from "./details-names.ts";

export interface Asked {
  readonly dimension: Dimension;
  readonly columns: readonly Column[];
  readonly order: Order;
  readonly search: string;
  readonly goal: string | null;
  readonly currency: string | null;
  readonly hasComparison: boolean;
}

interface Part {
  readonly offset: number;
  readonly limit: number;
}

function columnParameters({ columns, goal, currency, hasComparison }: Asked): Parameters {
  const further = columns.filter((column) => !isCounted(column)).map(({ id }) => id);
  return {
    columns: [...further, ...(hasComparison ? ["comparison"] : [])].join(","),
    ...(hasComparison && comparisonParameters.value),
    ...(further.includes("conversions") && { goal }),
    ...(further.includes("revenue") && { currency }),
  };
}

const urlOfRows = (asked: Asked, { offset, limit }: Part): string =>
  urlOf(`/api/stats/breakdown/${asked.dimension}`, {
    // With conversions, the other numbers are those of everybody.
    ...(asked.goal === null ? scope : everybodyScope).value,
    ...columnParameters(asked),
    sort: `${asked.order.column}:${asked.order.isAscending ? "asc" : "desc"}`,
    ...searchParameters(asked.dimension, asked.search, filters.value),
    limit,
    offset,
    with_total: "true",
  });

interface Details {
  /** May lack some numbers. */
  readonly report: Report<BreakdownPage>;
  /** The report with the missing numbers; null if none are missing. */
  readonly further: Report<BreakdownPage> | null;
}

function merged(rows: readonly Row[], further: readonly Row[]): readonly Row[] {
  const byValue = new Map(further.map((row) => [row.value, row]));
  return rows.map((row) => ({ ...byValue.get(row.value), ...row }));
}

/** A page of rows. Counts come first, if rows are ordered by one, because rollups contain them; the other numbers follow. */
export function useDetails(asked: Asked, part: Part, isReady: boolean): Details {
  const counted = asked.columns.filter(isCounted);
  const { column } = asked.order;
  const isByCount = column === "value" || counted.some(({ id }) => id === column);
  const hasFurther = counted.length < asked.columns.length;
  const counts = useRequest<BreakdownPage>(isByCount ? urlOfRows({ ...asked, columns: counted }, part) : null);
  const hasComparison = asked.hasComparison && !isByCount;
  const all = useRequest<BreakdownPage>(isReady && (hasFurther || !isByCount) ? urlOfRows({ ...asked, hasComparison }, part) : null);
  if (!isByCount) return { report: all, further: null };
  if (!hasFurther) return { report: counts, further: null };
  if (counts.data === undefined || all.data === undefined || counts.isStale || all.isStale) return { report: counts, further: all };
  const data = { ...counts.data, rows: merged(counts.data.rows, all.data.rows) };
  return { report: { ...counts, data, leftOut: [...counts.leftOut, ...all.leftOut] }, further: null };
}

/** `onProgress` receives the number of rows so far, and the total. */
export async function fetchRows(asked: Asked, signal: AbortSignal, onProgress: (rows: number, total: number) => void): Promise<Row[]> {
  // Rows may move to another page meanwhile.
  const rows = new Map<string, Row>();
  for (let [offset, total] = [0, Infinity]; offset < total && offset <= BREAKDOWN_OFFSET_MAX; offset += BREAKDOWN_ROWS_MAX) {
    const page = await fetchReport<BreakdownPage>(urlOfRows(asked, { offset, limit: BREAKDOWN_ROWS_MAX }), signal);
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
  /** null without a comparison. */
  readonly changed: ColumnId | null;
}

/** Keyed by column name. */
function fieldsOf(row: Row, { asked, labelOf, changed }: Table): Readonly<Record<string, string | number>> {
  return {
    value: row.value,
    label: labelOf(row.value),
    ...Object.fromEntries(asked.columns.map(({ id }) => [id, row[id] ?? ""])),
    ...(changed !== null && { [`previous_${changed}`]: row.comparison?.[changed] ?? "" }),
  };
}

/** Saves all pages, with the columns and in the order of the table. */
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
