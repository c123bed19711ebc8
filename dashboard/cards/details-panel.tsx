/** The dialog with all values of a dimension: search, downloads, and a table whose heads order it. The service searches, orders and pages the values. */
import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { BREAKDOWN_OFFSET_MAX, BREAKDOWN_ROWS_MAX } from "../../src/shared/limits.ts";
import { problemText } from "../api/http.ts";
import type { BreakdownPage, Dimension } from "../api/types.ts";
import { isNotableCount, isNotableRate } from "../format/change.ts";
import { DIMENSIONS, eventDimensionOf, filterDimensionOf, filterOfVersions, formatValue, isAnswer } from "../format/dimensions.ts";
import { GlyphMark, glyphOf } from "../kit/glyph.tsx";
import { countOf, formatCount, formatRange, formatShare, formatShortRange } from "../format/locale.ts";
import { Dialog } from "../kit/dialog.tsx";
import { useSettled } from "../kit/forms.tsx";
import { Change, NewValue } from "../kit/inline.tsx";
import { useKeptHeight } from "../kit/kept-height.ts";
import { Empty, Failure, Problem, ReportView } from "../kit/states.tsx";
import { refusalOf } from "../state/filters.ts";
import { siteName, timeZone } from "../state/known-sites.ts";
import { comparedRange, range, today } from "../state/period.ts";
import { useReport } from "../state/requests.ts";
import { scope, unfilteredScope } from "../state/scope.ts";
import { isCompared, totalVisitors } from "../state/statistics.ts";
import { navigate, param } from "../state/url.ts";
import { filters, hasFilter } from "../state/view-filters.ts";
import { closePanel } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { columnsOf, goalOfFilters, orderAfter, orderIn, type Column, type ColumnId, type Order, type Row } from "./details-columns.ts";
import { isNamed, namedRows } from "./details-names.ts";
import { linkOf } from "./row-links.tsx";
import { filtering, RowMenu } from "./rows.tsx";
import { fetchRows, saveRows, useDetails, type Asked, type FileFormat } from "./details-request.ts";

const FORMATS: Readonly<Record<FileFormat, string>> = { csv: "CSV", json: "JSON" };

interface DownloadsProps {
  readonly asked: Asked;
  readonly onRows: (format: FileFormat, rows: readonly Row[]) => void;
}

/** Shows the progress of a download of many rows. Closing the dialog aborts it. */
function Downloads({ asked, onRows }: DownloadsProps) {
  const [progress, setProgress] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function save(format: FileFormat) {
    const controller = new AbortController();
    running.current = controller;
    setProblem(null);
    setProgress(words.details.preparing);
    try {
      const onProgress = (rows: number, total: number) =>
        setProgress(fill(words.details.rowsLoaded, { rows: formatCount(rows), total: formatCount(total) }));
      onRows(format, await fetchRows(asked, controller.signal, onProgress));
    } catch (error) {
      if (!controller.signal.aborted) setProblem(problemText(error));
    }
    setProgress(null);
  }

  return (
    <>
      {Object.entries(FORMATS).map(([format, name], i) => (
        <button
          key={format}
          type="button"
          class="button"
          aria-label={fill(words.details.download, { format: name })}
          disabled={progress !== null}
          onClick={() => void save(format as FileFormat)}
        >
          {i === 0 ? fill(words.details.download, { format: name }) : name}
        </button>
      ))}
      <span class="dim" role="status">
        {progress}
      </span>
      <Problem text={problem} />
    </>
  );
}

const DIRECTIONS = { ascending: "↑", descending: "↓" } as const;

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
  const filter = { dimension: filterDimension, value };
  return (
    <span class="value-line">
      <button type="button" class="link value" aria-pressed={hasFilter(filterDimension, value)} {...filtering(filter)}>
        <GlyphMark glyph={glyphOf(dimension, value, label)} />
        {label}
      </button>
      <RowMenu filter={filter} label={label} linked={linkOf(dimension, value)} />
    </span>
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
          {isWhole ? words.details.showLess : words.details.showAll}
        </button>
      )}
    </th>
  );
}

interface Changed {
  readonly column: Column;
  /** Dates of the compared window. */
  readonly dates: string;
}

/** Averages and sums of money are never notable: how much they vary is not known. */
function isNotable({ visitors, comparison }: Row, { isRate, format }: Column, now: number, before: number): boolean {
  if (isRate) return isNotableRate(now, before, visitors, comparison?.visitors ?? 0);
  return format === formatCount && isNotableCount(now, before);
}

/** New: a count that was 0, or any number of a value that nobody had. Averages have no percentage against 0. */
function changeOf(row: Row, column: Column, now: number, before: number) {
  const { format, isLessBetter, isRate } = column;
  const tone = { isNotable: isNotable(row, column, now, before) };
  if (row.comparison?.visitors === 0 || (before === 0 && format === formatCount && now > 0)) return <NewValue {...tone} />;
  if (before === 0 && !isRate) return "–";
  return <Change now={now} before={before} isLessBetter={isLessBetter} isRate={isRate} written={format} {...tone} />;
}

function ChangeCells({ row, changed: { column } }: { readonly row: Row; readonly changed: Changed }) {
  const [now, before] = [row[column.id], row.comparison?.[column.id]];
  if (now === undefined || before === undefined)
    return (
      <>
        <td class="other" />
        <td />
      </>
    );
  return (
    <>
      <td class="dim other">{column.format(before)}</td>
      <td>{changeOf(row, column, now, before)}</td>
    </>
  );
}

const PAGE_ROWS = 100;

/** Versions of all browsers are counted together unless one browser is filtered. */
const MixedVersions = ({ dimension }: { readonly dimension: Dimension }) => {
  const { versionOf } = DIMENSIONS[dimension];
  if (versionOf === undefined || filterOfVersions(dimension, filters.value)) return null;
  return <p class="dim">{words.details.mixedVersions[versionOf]}</p>;
};

/** `11 sources` */
const countWordsOf = (dimension: Dimension) =>
  words.valueCounts[(eventDimensionOf(dimension) ?? dimension) as keyof typeof words.valueCounts];

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
    <nav class="paging" aria-label={words.details.paging}>
      {hasOthers && (
        <button type="button" class="button small" disabled={page === 0} onClick={() => onPage(page - 1)}>
          {words.details.previous}
        </button>
      )}
      <span aria-live="polite">{hasOthers ? fill(words.details.pageOf, { rows: summary, page: page + 1, pages }) : summary}</span>
      {hasOthers && (
        <button type="button" class="button small" disabled={page >= pages - 1} onClick={() => onPage(page + 1)}>
          {words.details.next}
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

/** The column that orders the rows; the first one if their values do. Phones show no other. */
const mainColumn = ({ columns, order }: Asked): Column | undefined => columns.find(({ id }) => id === order.column) ?? columns[0];

/** null where no change is shown. */
function changedBy(asked: Asked): Changed | null {
  const compared = comparedRange.value;
  const column = mainColumn(asked);
  return compared && asked.hasComparison && isCompared() && column
    ? { column, dates: formatShortRange(compared.start, compared.end, today.value) }
    : null;
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

/**
 * The row of those without a value, which has its place below the others. The service lists it on one of the pages: the others have it from
 * there. A search that finds it shows it like any other.
 */
function useWithout(dimension: Dimension, rows: readonly Row[]): Row | null {
  const known = useRef<Row | null>(null);
  const found = rows.find(({ value }) => !isAnswer(dimension, value));
  if (found) known.current = found;
  return (param("search") ?? "") === "" ? known.current : null;
}

interface RowsProps {
  readonly table: ReturnType<typeof useTable>;
  readonly page: BreakdownPage;
  readonly number: number;
  readonly onOrder: (order: Order) => void;
  readonly onPage: (page: number) => void;
}

/** Heads order the rows, and a filter is behind each value. */
function Rows({ table: { asked, further, foundIn }, page, number, onOrder, onPage }: RowsProps) {
  const { dimension, columns, order } = asked;
  const { total, rows } = foundIn(page);
  const without = useWithout(dimension, rows);
  const pages = Math.max(Math.ceil(Math.min(total, BREAKDOWN_OFFSET_MAX) / PAGE_ROWS), 1);
  const shown = isNamed(dimension) ? rows.slice(number * PAGE_ROWS, (number + 1) * PAGE_ROWS) : rows;
  const answers = shown.filter((row) => row.value !== without?.value);
  const changed = changedBy(asked);
  const all = totalVisitors();
  // Under a goal, rows count other visitors than the page does.
  const shared: ColumnId | null = asked.goal === null ? "visitors" : null;
  const main = mainColumn(asked)?.id;
  const classIn = (id: ColumnId) => (id === main ? "" : "other");
  const missing = further !== null && further.error === null ? "…" : "–";
  const head = (id: Order["column"], label: string) => {
    const direction = order.column !== id ? null : order.isAscending ? "ascending" : "descending";
    return (
      <th key={id} scope="col" class={id === "value" ? "" : classIn(id)} aria-sort={direction ?? "none"}>
        <button type="button" onClick={() => onOrder(orderAfter(id, order))}>
          {label} <span aria-hidden="true">{direction && DIRECTIONS[direction]}</span>
        </button>
      </th>
    );
  };
  const cells = (row: Row) => (
    <tr key={row.value}>
      <ValueCell dimension={dimension} value={row.value} label={formatValue(dimension, row.value, filters.value)} />
      {columns.map(({ id, format }) => (
        <Fragment key={id}>
          <td class={classIn(id)}>{row[id] === undefined ? missing : format(row[id])}</td>
          {id === shared && (
            <td class={`dim share ${classIn(id)}`}>{all === null || all === 0 ? "" : formatShare(Math.min(row.visitors / all, 1))}</td>
          )}
        </Fragment>
      ))}
      {changed && <ChangeCells row={row} changed={changed} />}
    </tr>
  );
  return (
    <>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={words.details.allValues}>
        <table class="table values">
          <thead>
            <tr>
              {head("value", DIMENSIONS[dimension].singular)}
              {columns.map(({ id, label }) => (
                <Fragment key={id}>
                  {head(id, label)}
                  {id === shared && (
                    <th scope="col" class={`share ${classIn(id)}`}>
                      {words.details.share}
                    </th>
                  )}
                </Fragment>
              ))}
              {changed && (
                <>
                  <th scope="col" class="other">
                    {changed.column.label}, {changed.dates}
                  </th>
                  <th scope="col">{words.details.change}</th>
                </>
              )}
            </tr>
          </thead>
          <tbody>{answers.map(cells)}</tbody>
          {without && <tfoot>{cells(without)}</tfoot>}
        </table>
        {answers.length === 0 && <Empty>{without ? words.kit.nothingRecorded : words.kit.noMatches}</Empty>}
      </div>
      {further?.error && <Failure report={further} />}
      <Paging
        page={Math.min(number, pages - 1)}
        pages={pages}
        summary={total === 0 ? "" : countOf(total - (without ? 1 : 0), countWordsOf(dimension))}
        onPage={onPage}
      />
    </>
  );
}

export function DetailsPanel({ dimension }: { readonly dimension: Dimension }) {
  const [choices, setChoices] = useState<Choices>({ order: null, page: 0, currency: null });
  const choose = (changes: Partial<Choices>) => setChoices((known) => ({ ...known, page: 0, ...changes }));
  const table = useTable(dimension, choices);
  const { asked, currencies, report, foundIn } = table;
  const box = useKeptHeight<HTMLDivElement>(["details", dimension, JSON.stringify(scope.value)].join(" "));
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
      <div class="details-bar">
        <input
          type="search"
          aria-label={words.details.search}
          placeholder={words.details.search}
          value={param("search") ?? ""}
          onInput={(event) => {
            choose({});
            navigate({ search: event.currentTarget.value }, true);
          }}
        />
        {asked.currency !== null && currencies.length > 1 && (
          <select
            aria-label={words.details.currency}
            value={asked.currency}
            onChange={(event) => choose({ currency: event.currentTarget.value })}
          >
            {currencies.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
        <select
          class="order"
          aria-label={words.details.orderBy}
          value={asked.order.column}
          onChange={({ currentTarget }) => choose({ order: orderAfter(currentTarget.value as Order["column"], asked.order) })}
        >
          <option value="value">{DIMENSIONS[dimension].singular}</option>
          {asked.columns.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
        <Downloads asked={asked} onRows={save} />
      </div>
      <div class="details-table" ref={box}>
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
      </div>
    </Dialog>
  );
}
