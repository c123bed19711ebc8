/** The dialog with all values of a dimension. The service searches, orders and pages them. */
import { useEffect, useState } from "preact/hooks";
import { BREAKDOWN_OFFSET_MAX, BREAKDOWN_ROWS_MAX } from "../../src/shared/limits.ts";
import type { BreakdownPage, Dimension } from "../api/types.ts";
import { DIMENSIONS, filterOfVersions, formatValue } from "../format/dimensions.ts";
import { countOf, formatRange } from "../format/locale.ts";
import { Dialog } from "../kit/dialog.tsx";
import { useSettled } from "../kit/forms.tsx";
import { Failure, ReportView } from "../kit/states.tsx";
import { siteName, timeZone } from "../state/known-sites.ts";
import { comparedRange, range } from "../state/period.ts";
import { useReport } from "../state/requests.ts";
import { unfilteredScope } from "../state/scope.ts";
import { isCompared } from "../state/statistics.ts";
import { param } from "../state/url.ts";
import { filters } from "../state/view-filters.ts";
import { closePanel } from "../state/view.ts";
import { DetailsBar } from "./details-bar.tsx";
import { columnsOf, goalOfFilters, orderAfter, orderIn, type Order, type Row } from "./details-columns.ts";
import { isNamed, namedRows } from "./details-names.ts";
import { fetchRows, saveRows, useDetails, type Asked, type FileFormat } from "./details-request.ts";
import { DetailsTable, type Changed } from "./details-table.tsx";

const PAGE_ROWS = 100;

/** Versions of all browsers are counted together unless one browser is filtered. */
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

/** Shows no buttons for a single page. */
function Paging({ page, pages, summary, onPage }: PagingProps) {
  const hasOthers = pages > 1;
  return (
    <nav class="paging" aria-label="Paging">
      {hasOthers && (
        <button type="button" class="button small" disabled={page === 0} onClick={() => onPage(page - 1)}>
          Previous
        </button>
      )}
      <span aria-live="polite">{hasOthers ? `${summary} · Page ${page + 1} of ${pages}` : summary}</span>
      {hasOthers && (
        <button type="button" class="button small" disabled={page >= pages - 1} onClick={() => onPage(page + 1)}>
          Next
        </button>
      )}
    </nav>
  );
}

/** Currencies of the period's revenue, largest first; null until they are known. */
function useCurrencies(): readonly string[] | null {
  const { data, error } = useReport("revenue", unfilteredScope.value);
  const isKnown = data !== undefined || error !== null;
  return isKnown ? (data?.by_currency ?? []).map(({ currency }) => currency).filter((code) => /^[A-Z]{3}$/.test(code)) : null;
}

/** null where no change is shown. */
function changedBy({ columns, order, hasComparison }: Asked): Changed | null {
  const compared = comparedRange.value;
  const column = columns.find(({ id }) => id === order.column) ?? columns[0];
  return compared && hasComparison && isCompared() && column ? { column, dates: formatRange(compared.start, compared.end) } : null;
}

interface Choices {
  /** null before a click on a column head. */
  readonly order: Order | null;
  readonly page: number;
  readonly currency: string | null;
}

/** Requests the rows. Omits the columns of the behavioral extension once it is known to be missing. */
function useTable(dimension: Dimension, choices: Choices) {
  const [hasSessions, setHasSessions] = useState(true);
  const currencies = useCurrencies();
  const currency = currencies?.find((each) => each === choices.currency) ?? currencies?.[0] ?? null;
  const search = useSettled(param("search") ?? "");
  const goal = hasSessions ? goalOfFilters() : null;
  const columns = columnsOf(dimension, { goal, currency, hasSessions });
  const asked: Asked = {
    dimension,
    columns,
    goal,
    currency,
    order: orderIn(columns, choices.order),
    search: isNamed(dimension) ? "" : search,
    hasComparison: comparedRange.value !== null,
  };
  const part = isNamed(dimension) ? { offset: 0, limit: BREAKDOWN_ROWS_MAX } : { offset: choices.page * PAGE_ROWS, limit: PAGE_ROWS };
  const { report, further } = useDetails(asked, part, currencies !== null);
  const isExtensionMissing = (further ?? report).error?.kind === "extension_missing";
  useEffect(() => {
    if (isExtensionMissing) setHasSessions(false);
  }, [isExtensionMissing]);
  const foundIn = (page: BreakdownPage) => (isNamed(dimension) ? namedRows(page, dimension, asked.order, search) : page);
  return { asked, currencies: currencies ?? [], report, further, foundIn };
}

interface RowsProps {
  readonly table: ReturnType<typeof useTable>;
  readonly page: BreakdownPage;
  readonly number: number;
  readonly onOrder: (order: Order) => void;
  readonly onPage: (page: number) => void;
}

function Rows({ table: { asked, further, foundIn }, page, number, onOrder, onPage }: RowsProps) {
  const { dimension, columns, order } = asked;
  const { total, rows } = foundIn(page);
  const pages = Math.max(Math.ceil(Math.min(total, BREAKDOWN_OFFSET_MAX) / PAGE_ROWS), 1);
  return (
    <>
      <DetailsTable
        dimension={dimension}
        columns={columns}
        rows={isNamed(dimension) ? rows.slice(number * PAGE_ROWS, (number + 1) * PAGE_ROWS) : rows}
        order={order}
        onOrder={(column) => onOrder(orderAfter(column, order))}
        changed={changedBy(asked)}
        hasShare={asked.goal === null}
        isLoading={further !== null && further.error === null}
      />
      {further?.error && <Failure report={further} />}
      <Paging page={Math.min(number, pages - 1)} pages={pages} summary={countOf(total, "value")} onPage={onPage} />
    </>
  );
}

export function DetailsPanel({ dimension }: { readonly dimension: Dimension }) {
  const [choices, setChoices] = useState<Choices>({ order: null, page: 0, currency: null });
  const choose = (changes: Partial<Choices>) => setChoices((known) => ({ ...known, page: 0, ...changes }));
  const table = useTable(dimension, choices);
  const { asked, currencies, report, foundIn } = table;
  const labelOf = (value: string) => formatValue(dimension, value, filters.value);
  const save = (format: FileFormat, rows: readonly Row[]) =>
    saveRows(format, {
      asked,
      rows: foundIn({ total: rows.length, rows }).rows,
      labelOf,
      changed: changedBy(asked)?.column.id ?? null,
    });
  return (
    <Dialog title={DIMENSIONS[dimension].plural} onClose={closePanel} isWide>
      <p class="dim">
        {siteName.value}, {formatRange(range.value.start, range.value.end)} ({timeZone.value})
      </p>
      <MixedVersions dimension={dimension} />
      <DetailsBar
        search={param("search") ?? ""}
        onSearch={() => choose({})}
        currencies={currencies}
        currency={asked.currency}
        onCurrency={(currency) => choose({ currency })}
        fetchRows={(signal, onProgress) => fetchRows(asked, signal, onProgress)}
        onRows={save}
      />
      <ReportView report={report} rows={12}>
        {(page) => (
          <Rows
            table={table}
            page={page}
            number={choices.page}
            onOrder={(order) => choose({ order })}
            onPage={(number) => choose({ page: number })}
          />
        )}
      </ReportView>
    </Dialog>
  );
}
