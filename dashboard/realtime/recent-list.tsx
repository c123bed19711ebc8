/** A list of the realtime view. While someone points at it or is in it with the keyboard, its rows keep their places. */
import { useRef, useState } from "preact/hooks";
import type { Dimension } from "../api/types.ts";
import { filterRow } from "../cards/filter-row.tsx";
import { RowList } from "../cards/row-list.tsx";
import type { Row } from "../cards/row.ts";
import { DIRECT_SOURCE, UNKNOWN } from "../format/dimensions.ts";
import { countOf } from "../format/locale.ts";
import { filters } from "../state/view.ts";

interface Recent {
  readonly value: string;
  readonly visitors: number;
}

const ROWS = 8;

/** A list with more has room for all from then on. */
const SHORT_ROWS = 4;

/** The newest numbers in the order of before. Values that are new come last, those that are gone stay with 0. */
function inPlace(before: readonly Recent[], rows: readonly Recent[]): Recent[] {
  const known = before.map(({ value }) => rows.find((row) => row.value === value) ?? { value, visitors: 0 });
  return [...known, ...rows.filter(({ value }) => !before.some((row) => row.value === value))].slice(0, ROWS);
}

/** Other filters show other rows: only updates of the same view keep their places. */
function useSteadyRows(rows: readonly Recent[], isHeld: boolean): readonly Recent[] {
  const shown = useRef<{ readonly view: unknown; readonly rows: readonly Recent[] }>({ view: null, rows: [] });
  const view = filters.value;
  shown.current = { view, rows: isHeld && shown.current.view === view ? inPlace(shown.current.rows, rows) : rows.slice(0, ROWS) };
  return shown.current.rows;
}

/** What a value of the realtime report is called in a filter. */
const filterValueOf = (value: string): string => (value === DIRECT_SOURCE ? UNKNOWN : value);

const rowOf = (dimension: Dimension, { value, visitors }: Recent): Row => ({
  ...filterRow(dimension, value, filterValueOf(value)),
  count: visitors,
  share: null,
  countTitle: countOf(visitors, "visitor"),
});

interface RecentListProps {
  readonly title: string;
  readonly dimension: Dimension;
  readonly rows: readonly Recent[];
}

export function RecentList({ title, dimension, rows }: RecentListProps) {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const shown = useSteadyRows(rows, isPointed || isFocused);
  const isLong = useRef(false);
  isLong.current ||= shown.length > SHORT_ROWS;
  return (
    <section
      class={isLong.current ? "card long" : "card"}
      aria-label={title}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocusIn={() => setFocused(true)}
      onFocusOut={() => setFocused(false)}
    >
      <header class="card-head">
        <h2>{title}</h2>
      </header>
      <RowList label={title} rows={shown.map((row) => rowOf(dimension, row))} />
    </section>
  );
}
