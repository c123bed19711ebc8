/** The table of a dimension's values: its columns, their order, and the filter behind each value. */
import { useState } from "preact/hooks";
import type { Dimension, Reports } from "../api/types.ts";
import { totalVisitors } from "../charts/top-stats.tsx";
import { Empty } from "../components/states.tsx";
import { countryMark, DIMENSIONS, filterDimensionOf } from "../format/dimensions.ts";
import { formatCount, formatShare, LOCALE } from "../format/locale.ts";
import { canFilterBy } from "../state/filters.ts";
import { filterKind, hasFilter, toggleFilter } from "../state/view.ts";
import { RowMark } from "./row-list.tsx";

const COLUMNS = [
  { id: "visitors", label: "Visitors" },
  { id: "pageviews", label: "Pageviews" },
  { id: "events", label: "Events" },
] as const;

/** Under a filter on a goal. */
const CONVERSION_COLUMNS = [
  { id: "visitors", label: "Conversions" },
  { id: "events", label: "Total conversions" },
] as const;

/** Of entry and exit pages, whose other counts are both of sessions (docs/http-api.md, "Breakdowns"). */
const SESSION_COLUMNS = [
  { id: "visitors", label: "Visitors" },
  { id: "pageviews", label: "Visits" },
] as const;

function shownColumns(dimension: Dimension) {
  if (filterDimensionOf(dimension) !== dimension) return SESSION_COLUMNS;
  return filterKind.value === "goal" ? CONVERSION_COLUMNS : COLUMNS;
}

export type Order = "label" | (typeof COLUMNS)[number]["id"];
export type DetailsRow = Reports["breakdown"][number] & { readonly label: string };

const collator = new Intl.Collator(LOCALE, { numeric: true });

/** Text ascending, numbers descending. */
export const compareRows = (a: DetailsRow, b: DetailsRow, order: Order): number =>
  order === "label" ? collator.compare(a.label, b.label) : b[order] - a[order] || collator.compare(a.label, b.label);

interface HeadCellProps {
  readonly id: Order;
  readonly label: string;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
}

function HeadCell({ id, label, order, onOrder }: HeadCellProps) {
  const [direction, arrow] = id === "label" ? (["ascending", "↑"] as const) : (["descending", "↓"] as const);
  const isSorted = order === id;
  return (
    <th scope="col" aria-sort={isSorted ? direction : "none"}>
      <button type="button" onClick={() => onOrder(id)}>
        {label} <span aria-hidden="true">{isSorted ? arrow : ""}</span>
      </button>
    </th>
  );
}

/** Of a longer label, only the first lines are shown at first. */
const LABEL_CHARS_MAX = 120;

interface ValueProps {
  readonly dimension: Dimension;
  readonly row: DetailsRow;
}

function Value({ dimension, row }: ValueProps) {
  const filterDimension = filterDimensionOf(dimension);
  if (!canFilterBy(row.value)) return <span class="value">{row.label}</span>;
  return (
    <button
      type="button"
      class="link value"
      aria-pressed={hasFilter(filterDimension, row.value)}
      onClick={() => toggleFilter(filterDimension, row.value)}
    >
      <RowMark text={countryMark(dimension, row.value)} />
      {row.label}
    </button>
  );
}

function ValueCell({ dimension, row }: ValueProps) {
  const [isWhole, setWhole] = useState(row.label.length <= LABEL_CHARS_MAX);
  return (
    <th scope="row" class={isWhole ? "" : "cut"}>
      <Value dimension={dimension} row={row} />
      {row.label.length > LABEL_CHARS_MAX && (
        <button type="button" class="link more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : "Show all"}
        </button>
      )}
    </th>
  );
}

interface DetailsTableProps {
  readonly dimension: Dimension;
  readonly rows: readonly DetailsRow[];
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
}

export function DetailsTable({ dimension, rows, order, onOrder }: DetailsTableProps) {
  const total = totalVisitors.value;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="All values">
      <table class="table values">
        <thead>
          <tr>
            <HeadCell id="label" label={DIMENSIONS[dimension].singular} order={order} onOrder={onOrder} />
            {shownColumns(dimension).map(({ id, label }) => (
              <HeadCell key={id} id={id} label={label} order={order} onOrder={onOrder} />
            ))}
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.value}>
              <ValueCell dimension={dimension} row={row} />
              {shownColumns(dimension).map(({ id }) => (
                <td key={id}>{formatCount(row[id])}</td>
              ))}
              <td>{total === null || total === 0 ? "" : formatShare(Math.min(row.visitors / total, 1))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <Empty>No matches</Empty>}
    </div>
  );
}
