/** The dialog with all values of a dimension: search, pages and CSV around a sortable table. */
import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { fileNameOf, saveCsv } from "../components/download.ts";
import { ReportView } from "../components/states.tsx";
import { DIMENSIONS, filterOfVersions, formatValue } from "../format/dimensions.ts";
import { countOf, formatRange } from "../format/locale.ts";
import type { Dimension } from "../api/types.ts";
import { useBreakdown } from "../state/use-report.ts";
import { siteName, timeZone } from "../state/known-sites.ts";
import { range } from "../state/period.ts";
import { scope } from "../state/scope.ts";
import { navigate, param } from "../state/url.ts";
import { closePanel, filters } from "../state/view.ts";
import { compareRows, DetailsTable, type DetailsRow, type Order } from "./details-table.tsx";

/** The service's limit for one request. */
const ROWS_MAX = 1000;
const PAGE_ROWS = 25;

function saveRows(dimension: Dimension, rows: readonly DetailsRow[]): void {
  const cells = rows.map((row) => [row.value, row.label, row.visitors, row.pageviews, row.events]);
  saveCsv(fileNameOf(dimension, "csv"), [["value", "label", "visitors", "pageviews", "events"], ...cells]);
}

/** A version without its browser stands for those of all browsers. */
const MixedVersions = ({ dimension }: { readonly dimension: Dimension }) => {
  const { versionOf } = DIMENSIONS[dimension];
  if (versionOf === undefined || filterOfVersions(dimension, filters.value)) return null;
  const { singular, plural } = DIMENSIONS[versionOf];
  return (
    <p class="dim">
      Equal versions of different {plural.toLowerCase()} are counted together. Filter by {singular} to tell them apart.
    </p>
  );
};

interface PagingProps {
  readonly page: number;
  readonly pages: number;
  readonly summary: string;
  readonly onPage: (page: number) => void;
}

const Paging = ({ page, pages, summary, onPage }: PagingProps) => (
  <nav class="paging" aria-label="Paging">
    <button type="button" class="button small" disabled={page === 0} onClick={() => onPage(page - 1)}>
      Previous
    </button>
    <span aria-live="polite">{pages === 1 ? summary : `${summary} · Page ${page + 1} of ${pages}`}</span>
    <button type="button" class="button small" disabled={page === pages - 1} onClick={() => onPage(page + 1)}>
      Next
    </button>
  </nav>
);

function DetailsView({ dimension, rows }: { readonly dimension: Dimension; readonly rows: readonly DetailsRow[] }) {
  const [order, setOrder] = useState<Order>("visitors");
  const [wantedPage, setPage] = useState(0);
  const search = param("search") ?? "";
  const matches = (text: string) => text.toLowerCase().includes(search.toLowerCase());
  const sorted = rows.filter(({ label, value }) => matches(label) || matches(value)).sort((a, b) => compareRows(a, b, order));
  const pages = Math.max(Math.ceil(sorted.length / PAGE_ROWS), 1);
  const page = Math.min(wantedPage, pages - 1);
  const summary = `${rows.length === ROWS_MAX ? "Top " : ""}${countOf(sorted.length, "value")}`;
  return (
    <>
      <div class="details-bar">
        <input
          type="search"
          aria-label="Search"
          placeholder="Search"
          value={search}
          onInput={(event) => {
            setPage(0);
            navigate({ search: event.currentTarget.value }, true);
          }}
        />
        <button type="button" class="button" onClick={() => saveRows(dimension, sorted)}>
          Download CSV
        </button>
      </div>
      <DetailsTable dimension={dimension} rows={sorted.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS)} order={order} onOrder={setOrder} />
      <Paging page={page} pages={pages} summary={summary} onPage={setPage} />
    </>
  );
}

export function DetailsPanel({ dimension }: { readonly dimension: Dimension }) {
  const report = useBreakdown(dimension, { ...scope.value, limit: ROWS_MAX });
  return (
    <Dialog title={DIMENSIONS[dimension].plural} onClose={closePanel} isWide>
      <p class="dim">
        {siteName.value}, {formatRange(range.value.start, range.value.end)} ({timeZone.value})
      </p>
      <MixedVersions dimension={dimension} />
      <ReportView report={report} rows={12}>
        {(breakdown) => (
          <DetailsView
            dimension={dimension}
            rows={breakdown.map((row) => ({ ...row, label: formatValue(dimension, row.value, filters.value) }))}
          />
        )}
      </ReportView>
    </Dialog>
  );
}
