/** The table of a dimension's values: heads that order it, a filter behind each value, and changes of the ordering column. */
import { useState } from "preact/hooks";
import type { Dimension } from "../api/types.ts";
import { choiceOf } from "../filters/filter-items.ts";
import { countryMark, DIMENSIONS, filterDimensionOf, formatValue } from "../format/dimensions.ts";
import { formatCount, formatShare } from "../format/locale.ts";
import { Change, NewValue } from "../kit/inline.tsx";
import { Empty } from "../kit/states.tsx";
import { refusalOf } from "../state/filters.ts";
import { totalVisitors } from "../state/statistics.ts";
import { filters, hasFilter, toggleFilter } from "../state/view-filters.ts";
import type { Column, Order, Row } from "./details-columns.ts";
import { RowMark } from "./rows.tsx";

const DIRECTIONS = { ascending: "↑", descending: "↓" } as const;

interface HeadCellProps {
  readonly id: Order["column"];
  readonly label: string;
  readonly order: Order;
  readonly onOrder: (column: Order["column"]) => void;
}

function HeadCell({ id, label, order, onOrder }: HeadCellProps) {
  const direction = order.column !== id ? null : order.isAscending ? "ascending" : "descending";
  return (
    <th scope="col" aria-sort={direction ?? "none"}>
      <button type="button" onClick={() => onOrder(id)}>
        {label} <span aria-hidden="true">{direction && DIRECTIONS[direction]}</span>
      </button>
    </th>
  );
}

/** Longer labels are cut to their first lines until the reader expands them. */
const LABEL_CHARS_MAX = 120;

interface ValueProps {
  readonly dimension: Dimension;
  readonly value: string;
  readonly label: string;
}

function Value({ dimension, value, label }: ValueProps) {
  const filterDimension = filterDimensionOf(dimension);
  const refusal = refusalOf(value);
  if (refusal !== null) {
    return (
      <span class="value">
        {label} <small class="refusal">{refusal}</small>
      </span>
    );
  }
  return (
    <button
      type="button"
      class="link value"
      aria-pressed={hasFilter(filterDimension, value)}
      onClick={(event) => toggleFilter(filterDimension, value, choiceOf(event))}
    >
      <RowMark text={countryMark(dimension, value)} />
      {label}
    </button>
  );
}

function ValueCell(props: ValueProps) {
  const isLong = props.label.length > LABEL_CHARS_MAX;
  const [isWhole, setWhole] = useState(!isLong);
  return (
    <th scope="row" class={isWhole ? "" : "cut"}>
      <Value {...props} />
      {isLong && (
        <button type="button" class="link more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : "Show all"}
        </button>
      )}
    </th>
  );
}

interface NumberCellProps {
  readonly column: Column;
  readonly row: Row;
  readonly isLoading: boolean;
}

function NumberCell({ column: { id, format }, row, isLoading }: NumberCellProps) {
  const value = row[id];
  return <td>{value === undefined ? (isLoading ? "…" : "–") : format(value)}</td>;
}

export interface Changed {
  readonly column: Column;
  /** Dates of the compared window. */
  readonly dates: string;
}

/** New: a count that was 0, or any number of a value that nobody had. Rates have no percentage against 0. */
function ChangeOf({
  row,
  column,
  now,
  before,
}: {
  readonly row: Row;
  readonly column: Column;
  readonly now: number;
  readonly before: number;
}) {
  if (before !== 0) return <Change now={now} before={before} isLessBetter={column.isLessBetter} />;
  const isNew = row.comparison?.visitors === 0 || (column.format === formatCount && now > 0);
  return isNew ? <NewValue /> : "–";
}

function ChangeCell({ row, changed: { column, dates } }: { readonly row: Row; readonly changed: Changed }) {
  const [now, before] = [row[column.id], row.comparison?.[column.id]];
  if (now === undefined || before === undefined) return <td />;
  return (
    <td title={`${column.label}: ${column.format(before)} in ${dates}`}>
      <ChangeOf row={row} column={column} now={now} before={before} />
    </td>
  );
}

interface DetailsTableProps {
  readonly dimension: Dimension;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly order: Order;
  readonly onOrder: (column: Order["column"]) => void;
  /** null without a comparison. */
  readonly changed: Changed | null;
  /** False where rows count other visitors than the page does. */
  readonly hasShare: boolean;
  /** Missing numbers are still being loaded. */
  readonly isLoading: boolean;
}

export function DetailsTable({ dimension, columns, rows, order, onOrder, changed, hasShare, isLoading }: DetailsTableProps) {
  const total = totalVisitors();
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="All values">
      <table class="table values">
        <thead>
          <tr>
            <HeadCell id="value" label={DIMENSIONS[dimension].singular} order={order} onOrder={onOrder} />
            {columns.map(({ id, label }) => (
              <HeadCell key={id} id={id} label={label} order={order} onOrder={onOrder} />
            ))}
            {hasShare && <th scope="col">Share</th>}
            {changed && (
              <th scope="col" title={`${changed.column.label}, against ${changed.dates}`}>
                Change
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.value}>
              <ValueCell dimension={dimension} value={row.value} label={formatValue(dimension, row.value, filters.value)} />
              {columns.map((column) => (
                <NumberCell key={column.id} column={column} row={row} isLoading={isLoading} />
              ))}
              {hasShare && <td>{total === null || total === 0 ? "" : formatShare(Math.min(row.visitors / total, 1))}</td>}
              {changed && <ChangeCell row={row} changed={changed} />}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <Empty>No matches</Empty>}
    </div>
  );
}
