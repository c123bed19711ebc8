/** All values of a dimension: search, order, pages, and a file for spreadsheets. */
import { useState } from "preact/hooks";
import type { Breakdown } from "../api/types.ts";
import { totalVisitors } from "../charts/totals.ts";
import { CSV_TYPE, csvOf } from "../components/csv.ts";
import { Dialog } from "../components/dialog.tsx";
import { saveFile } from "../components/save-file.ts";
import { Empty, FigureView } from "../components/states.tsx";
import { canFilterBy } from "../state/filters.ts";
import { closePanel, filters, go, param, range, scope, site, toggleFilter } from "../state/view.ts";
import { useBreakdown } from "../state/use-report.ts";
import { DIMENSIONS, filterDimensionOf, UNKNOWN, valueText } from "../format/dimensions.ts";
import { LOCALE } from "../format/locale.ts";
import { rangeText } from "../format/dates.ts";
import { countText, shareText } from "../format/numbers.ts";

/** As many as the service gives. */
const ROWS_MAX = 1000;
const PAGE_ROWS = 25;

const COLUMNS = [
  { id: "visitors", label: "Visitors" },
  { id: "pageviews", label: "Pageviews" },
  { id: "events", label: "Events" },
] as const;

type Order = "label" | (typeof COLUMNS)[number]["id"];
type BreakdownRow = Breakdown[number] & { readonly label: string };

const collator = new Intl.Collator(LOCALE, { numeric: true });

const compared = (a: BreakdownRow, b: BreakdownRow, order: Order): number =>
  order === "label" ? collator.compare(a.label, b.label) : b[order] - a[order] || collator.compare(a.label, b.label);

function saveRows(dimension: string, rows: readonly BreakdownRow[]): void {
  const lines = rows.map((row) => [row.value, row.label, row.visitors, row.pageviews, row.events]);
  const text = csvOf([["value", "label", "visitors", "pageviews", "events"], ...lines]);
  saveFile(`sandpiper-${dimension}-${range.value.start}.csv`, new Blob([text], { type: CSV_TYPE }));
}

function HeadCell({
  id,
  label,
  order,
  onOrder,
}: {
  readonly id: Order;
  readonly label: string;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
}) {
  const isSorted = order === id;
  return (
    <th scope="col" aria-sort={isSorted ? (id === "label" ? "ascending" : "descending") : "none"}>
      <button type="button" onClick={() => onOrder(id)}>
        {label} <span aria-hidden="true">{isSorted ? (id === "label" ? "↑" : "↓") : ""}</span>
      </button>
    </th>
  );
}

function DetailsTable({ dimension, rows }: { readonly dimension: string; readonly rows: readonly BreakdownRow[] }) {
  const [order, setOrder] = useState<Order>("visitors");
  const [page, setPage] = useState(0);
  const wanted = (param("search") ?? "").toLowerCase();
  const found = rows.filter(({ label, value }) => label.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted));
  const sorted = [...found].sort((a, b) => compared(a, b, order));
  const pages = Math.max(Math.ceil(sorted.length / PAGE_ROWS), 1);
  const at = Math.min(page, pages - 1);
  const shown = sorted.slice(at * PAGE_ROWS, (at + 1) * PAGE_ROWS);
  const visitors = totalVisitors.value;
  const filterDimension = filterDimensionOf(dimension);
  const isChosen = (value: string) =>
    filters.value.some((filter) => filter.dimension === filterDimension && !filter.isNot && filter.value === value);
  return (
    <>
      <div class="details-bar">
        <input
          type="search"
          aria-label="Search"
          placeholder="Search"
          value={param("search") ?? ""}
          onInput={(event) => {
            setPage(0);
            go({ search: event.currentTarget.value }, true);
          }}
        />
        <button type="button" class="button" onClick={() => saveRows(dimension, sorted)}>
          Save as CSV
        </button>
      </div>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="All values">
        <table class="table">
          <thead>
            <tr>
              <HeadCell id="label" label={DIMENSIONS[dimension]?.one ?? "Value"} order={order} onOrder={setOrder} />
              {COLUMNS.map(({ id, label }) => (
                <HeadCell key={id} id={id} label={label} order={order} onOrder={setOrder} />
              ))}
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.value}>
                <th scope="row">
                  {canFilterBy(row.value) ? (
                    <button
                      type="button"
                      class="link"
                      aria-pressed={isChosen(row.value)}
                      onClick={() => toggleFilter({ dimension: filterDimension, isNot: false, value: row.value })}
                    >
                      {dimension === "countries" && row.value !== UNKNOWN && (
                        <span class="row-mark" aria-hidden="true">
                          {row.value}
                        </span>
                      )}
                      {row.label}
                    </button>
                  ) : (
                    row.label
                  )}
                </th>
                {COLUMNS.map(({ id }) => (
                  <td key={id}>{countText(row[id])}</td>
                ))}
                <td>{visitors === null || visitors === 0 ? "" : shareText(Math.min(row.visitors / visitors, 1))}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {sorted.length === 0 && <Empty>Nothing like that</Empty>}
      </div>
      <nav class="paging" aria-label="Pages of the list">
        <button type="button" class="button small" disabled={at === 0} onClick={() => setPage(at - 1)}>
          Previous
        </button>
        <span aria-live="polite">
          {countText(sorted.length)} {sorted.length === 1 ? "value" : "values"}
          {rows.length === ROWS_MAX ? ", the most frequent" : ""}; page {at + 1} of {pages}
        </span>
        <button type="button" class="button small" disabled={at === pages - 1} onClick={() => setPage(at + 1)}>
          Next
        </button>
      </nav>
    </>
  );
}

export function DetailsPanel({ dimension }: { readonly dimension: string }) {
  const figure = useBreakdown(dimension, { ...scope.value, limit: ROWS_MAX });
  return (
    <Dialog title={DIMENSIONS[dimension]?.title ?? dimension} onClose={closePanel} isWide>
      <p class="dim">
        {site.value}, {rangeText(range.value)} (UTC)
      </p>
      <FigureView figure={figure} rows={12}>
        {(breakdown) => (
          <DetailsTable dimension={dimension} rows={breakdown.map((row) => ({ ...row, label: valueText(dimension, row.value) }))} />
        )}
      </FigureView>
    </Dialog>
  );
}
