/** A list of rows: label, a bar proportional to the largest, a number, its share and its change. A click filters the view by the value of a row. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Parameters } from "../api/http.ts";
import type { Dimension } from "../api/types.ts";
import { choiceOf, filterItems, type ValueFilter } from "../filters/filter-items.ts";
import { changeOf, isNotableCount } from "../format/change.ts";
import { filterDimensionOf, formatValue } from "../format/dimensions.ts";
import { compactCount, formatCount, formatShare } from "../format/locale.ts";
import { onComparedDates } from "../format/periods.ts";
import { Change, NewValue } from "../kit/inline.tsx";
import { type Glyph, GlyphMark, glyphOf } from "../kit/glyph.tsx";
import { Menu } from "../kit/menu.tsx";
import { useMovingRows } from "../kit/motion.ts";
import { tip } from "../kit/tips.ts";
import { refusalOf } from "../state/filters.ts";
import { comparedRange, today } from "../state/period.ts";
import { comparisonParameters } from "../state/scope.ts";
import { isCompared } from "../state/statistics.ts";
import { filters, hasFilter, toggleFilter } from "../state/view-filters.ts";
import { fill, words } from "../words/words.ts";
import { type Linked, linkItems, PageLink, RowLink } from "./row-links.tsx";

export interface RowNumbers {
  readonly count: number;
  /** null until the compared count is known; undefined if rows show no change. */
  readonly before?: number | null;
  /** Share of all visitors, or conversion rate, from 0 to 1; null where it makes no sense. */
  readonly share: number | null;
  /** The number in full and what it counts, e.g. "12,345 visitors". */
  readonly countTitle: string;
  /** Replaces `count`. */
  readonly text?: string;
  /** Replaces the text of `share`. */
  readonly shareText?: string;
  /** Replaces the change of `count`. */
  readonly change?: ComponentChildren;
  /** Revenue, in a column after all others. */
  readonly money?: string;
}

export interface Row extends RowNumbers, Linked {
  readonly key: string;
  readonly label: string;
  readonly glyph?: Glyph | null;
  readonly title?: string;
  readonly isChosen?: boolean;
  /** A click filters, or does something else. */
  readonly filter?: ValueFilter;
  readonly onChoose?: () => void;
}

/** Requests these columns, and a comparison if there is a compared window. */
export const withComparison = (columns: readonly string[]): Parameters =>
  comparedRange.value === null
    ? { columns: columns.join(",") }
    : { ...comparisonParameters.value, columns: [...columns, "comparison"].join(",") };

/** `12 visitors, up by 50.0% from 8 in 23 Sep – 22 Oct`; only `counted` without a complete compared window. */
function changeText(counted: string, now: number, before: number | undefined): string {
  const compared = comparedRange.value;
  if (before === undefined || compared === null || !isCompared()) return counted;
  const then = onComparedDates(formatCount(before), { ...compared, until: null }, today.value);
  const change = changeOf({ now, before });
  const { comparedWith, unchangedFrom, upFrom, downFrom } = words.compare;
  if (change === null) return fill(comparedWith, { counted, before: then });
  const template = { same: unchangedFrom, up: upFrom, down: downFrom }[change.direction];
  return fill(template, { counted, amount: change.amount, before: then });
}

/** `counted` is what the number counts, e.g. `12 visitors`. */
export const countInRow = (
  now: number,
  counted: string,
  before: number | undefined,
): Pick<RowNumbers, "count" | "countTitle" | "before"> => ({
  count: now,
  countTitle: changeText(counted, now, before),
  ...(isCompared() && { before: before ?? null }),
});

/** The filter of a row; `label` is the value's name. */
export function filteringRow(filter: ValueFilter, label: string): Pick<Row, "title" | "isChosen" | "filter"> {
  const refusal = refusalOf(filter.value);
  if (refusal !== null) return { title: `${label}\n${refusal}`, isChosen: false };
  const isChosen = hasFilter(filter.dimension, filter.value);
  return { title: fill(isChosen ? words.cards.removeFilter : words.cards.filterBy, { value: label }), isChosen, filter };
}

/** All of a row but its numbers. `filterValue` is the value's name in a filter. */
export function filterRow(dimension: Dimension, value: string, filterValue = value): Omit<Row, keyof RowNumbers> {
  const label = formatValue(dimension, value, filters.value);
  return {
    key: value,
    label,
    glyph: glyphOf(dimension, value, label),
    ...filteringRow({ dimension: filterDimensionOf(dimension), value: filterValue }, label),
  };
}

const MENU_BUTTON = "row-more";

/** Opens the menu of the focused row, for which mouse and finger have a button. */
function onMenuKey(event: KeyboardEvent): void {
  if (event.key !== "ContextMenu" && !(event.key === "F10" && event.shiftKey)) return;
  event.preventDefault();
  (event.currentTarget as HTMLElement).closest(".row, tr")?.querySelector<HTMLElement>(`.${MENU_BUTTON}`)?.click();
}

/** Attributes of a button that filters by a value, and opens the menu of its row by a key. */
export const filtering = ({ dimension, value }: ValueFilter) => ({
  "aria-keyshortcuts": "Shift+F10",
  // Shift would select the text up to here.
  onMouseDown: (event: MouseEvent) => event.shiftKey && event.preventDefault(),
  onClick: (event: MouseEvent) => toggleFilter(dimension, value, choiceOf(event)),
  onKeyDown: onMenuKey,
});

interface RowMenuProps {
  readonly filter: ValueFilter;
  readonly label: string;
  readonly linked: Linked;
  readonly note?: string;
}

export const RowMenu = ({ filter, label, linked, note }: RowMenuProps) => (
  <Menu
    label={words.cards.moreOptions}
    button={<span class="more" aria-hidden="true" />}
    buttonClass={MENU_BUTTON}
    isTabStop={false}
    note={note}
    items={[...filterItems(filter, label), ...linkItems(linked, label)]}
  />
);

interface RowProps {
  readonly row: Row;
  /** Some row of the list has one. */
  readonly hasShares: boolean;
}

const RowChange = ({ count, before }: { readonly count: number; readonly before: number }) => {
  const isNotable = isNotableCount(count, before);
  return before === 0 && count > 0 ? (
    <NewValue isNotable={isNotable} />
  ) : (
    <Change now={count} before={before} isNotable={isNotable} isShort />
  );
};

function RowText({ row, hasShares }: RowProps) {
  const { glyph = null, label, count, before, share, text, shareText, change, money } = row;
  return (
    <>
      <span class="row-label">
        <GlyphMark glyph={glyph} />
        {label}
      </span>
      <span class="row-numbers">
        <span class="row-count">{text ?? compactCount(count)}</span>
        {/* Both are equally wide in all rows, also while they load. */}
        {hasShares && <span class="row-share">{share !== null && (shareText ?? formatShare(share))}</span>}
        {before !== undefined && (
          <span class="row-change">{before !== null && (change ?? <RowChange count={count} before={before} />)}</span>
        )}
        {money !== undefined && <span class="row-money">{money}</span>}
      </span>
    </>
  );
}

/** The exact numbers, and what a click does or the whole label. */
const explained = ({ title, label, countTitle }: Row) => tip(`${countTitle}\n${title ?? label}`);

/** Longer labels may be cut: a click shows them whole. */
const LABEL_CHARS_MAX = 30;

/** A click only expands its label. */
function PlainRow({ row, hasShares }: RowProps) {
  const [isWhole, setWhole] = useState(false);
  if (row.label.length <= LABEL_CHARS_MAX)
    return (
      <div class="row-button" {...explained(row)}>
        <RowText row={row} hasShares={hasShares} />
      </div>
    );
  return (
    <button type="button" class="row-button" {...explained(row)} aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
      <RowText row={row} hasShares={hasShares} />
    </button>
  );
}

function RowContent({ row, hasShares }: RowProps) {
  const { filter } = row;
  if (filter)
    return (
      <>
        <button type="button" class="row-button" {...explained(row)} aria-pressed={row.isChosen === true} {...filtering(filter)}>
          <RowText row={row} hasShares={hasShares} />
        </button>
        <RowMenu filter={filter} label={row.label} linked={row} note={row.countTitle} />
      </>
    );
  if (!row.onChoose) return <PlainRow row={row} hasShares={hasShares} />;
  return (
    <button type="button" class="row-button" {...explained(row)} onClick={row.onChoose}>
      <RowText row={row} hasShares={hasShares} />
    </button>
  );
}

interface RowListProps {
  readonly rows: readonly Row[];
  readonly label: string;
  /** Keeps room for shares that are not known yet. */
  readonly hasShares?: boolean;
}

export function RowList({ rows, label, hasShares = rows.some(({ share }) => share !== null) }: RowListProps) {
  const largest = Math.max(...rows.map(({ count }) => count), 1);
  const list = useMovingRows<HTMLOListElement>();
  return (
    <ol class="rows" aria-label={label} ref={list}>
      {rows.map((row) => (
        <li key={row.key} data-key={row.key} class={row.isChosen === true ? "row chosen" : "row"}>
          <span class="row-bar" aria-hidden="true" style={{ width: `${(Math.max(row.count, 0) / largest) * 100}%` }} />
          <RowContent row={row} hasShares={hasShares} />
          {row.href != null && <RowLink label={row.label} href={row.href} />}
          {row.page != null && <PageLink key={row.page} label={row.label} page={row.page} />}
        </li>
      ))}
    </ol>
  );
}
