/** The first difference between the rows that a rollup has of a measure and those that its events have. */
import { rowCountOf, type Columns } from "../../../storage/columns.ts";
import { isGrouping, ROLLUP_COLUMNS, type RollupColumn } from "../../../storage/rollup.ts";
import type { SqlRow } from "../../query/sql.ts";
import { MeasureSum } from "../../duckdb/rollups/measure-sum.ts";

const SHOWN_CHARS_MAX = 100;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
};

const columnsIn = (row: SqlRow): readonly RollupColumn[] => ROLLUP_COLUMNS.filter(({ name }) => name in row);

/** What tells a row from the others of its measure, e.g. `bucket 20527, value "/"`. */
function nameOf(row: SqlRow): string {
  const grouping = columnsIn(row).filter(isGrouping);
  return grouping.map(({ name }) => `${name} ${shown(row[name])}`).join(", ") || "of all events";
}

const keyOf = (row: SqlRow): string =>
  JSON.stringify(
    columnsIn(row)
      .filter(isGrouping)
      .map(({ name }) => row[name]),
  );

function differenceOfRow(stored: SqlRow | undefined, expected: SqlRow | undefined): string | null {
  if (!stored) return expected ? `the row ${nameOf(expected)} is missing` : null;
  if (!expected) return `the row ${nameOf(stored)} is not in the events`;
  const differing = columnsIn({ ...stored, ...expected }).find(({ name }) => stored[name] !== expected[name]);
  if (!differing) return null;
  const { name } = differing;
  return `the row ${nameOf(stored)} has ${name} ${shown(stored[name])}, and the events ${shown(expected[name])}`;
}

/** null if the rows are equal. With `rowsMax`, compares only the first rows in text order. */
export function differenceOf(stored: Columns, expected: MeasureSum, rowsMax?: number): string | null {
  const sum = new MeasureSum();
  sum.add(stored);
  const repeated = rowCountOf(stored) - sum.rows;
  if (repeated > 0) return repeated === 1 ? "1 row is there twice" : `${repeated} rows are there twice`;
  const top = rowsMax === undefined ? undefined : { rowsMax };
  const missing = new Map(expected.toRows(top).map((row) => [keyOf(row), row]));
  const found: string[] = [];
  const note = (difference: string | null) => difference !== null && found.push(difference);
  for (const row of sum.toRows(top)) {
    note(differenceOfRow(row, missing.get(keyOf(row))));
    missing.delete(keyOf(row));
  }
  for (const row of missing.values()) note(differenceOfRow(undefined, row));
  const [first] = found;
  if (first === undefined) return null;
  return found.length === 1 ? first : `${found.length} rows differ, one of them: ${first}`;
}
