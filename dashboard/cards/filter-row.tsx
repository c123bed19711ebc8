/** A row whose click filters the view by its value: only it, also it (Shift), or all but it (Alt), as does its menu. */
import type { ComponentChildren } from "preact";
import type { Dimension } from "../api/types.ts";
import { Menu } from "../kit/menu.tsx";
import type { MenuItem } from "../kit/menu-entry.tsx";
import { countryMark, filterDimensionOf, formatValue } from "../format/dimensions.ts";
import { refusalOf, type Choice } from "../state/filters.ts";
import { filters, hasFilter, hasListOf, isExcluded, toggleFilter } from "../state/view.ts";
import type { Row, RowFilter, RowNumbers } from "./row.ts";

/** What a row has for its filter; `label` is what the value is called. */
export function filteringRow(filter: RowFilter, label: string): Pick<Row, "title" | "isChosen" | "filter"> {
  const refusal = refusalOf(filter.value);
  if (refusal !== null) return { title: `${label}\n${refusal}`, isChosen: false };
  const isChosen = hasFilter(filter.dimension, filter.value);
  return { title: isChosen ? `Remove the filter ${label}` : `Filter by ${label}`, isChosen, filter };
}

/** All but the row's numbers. `filterValue` is what the value is called in a filter. */
export function filterRow(dimension: Dimension, value: string, filterValue = value): Omit<Row, keyof RowNumbers> {
  const label = formatValue(dimension, value, filters.value);
  return {
    key: value,
    label,
    mark: countryMark(dimension, value),
    ...filteringRow({ dimension: filterDimensionOf(dimension), value: filterValue }, label),
  };
}

export function choiceOf({ altKey, shiftKey }: Pick<MouseEvent, "altKey" | "shiftKey">): Choice {
  if (altKey) return "not";
  return shiftKey ? "also" : "only";
}

/** What a row can do to the filters, for a menu. */
export function filterItems({ dimension, value }: RowFilter, label: string): MenuItem[] {
  const item = (text: string, choice: Choice): MenuItem => ({ label: text, onChoose: () => toggleFilter(dimension, value, choice) });
  if (isExcluded(dimension, value)) return [item("Remove the filter", "not")];
  const exclude = item(`Exclude ${label}`, "not");
  if (hasFilter(dimension, value)) return [item("Remove the filter", "also"), exclude];
  const also = hasListOf(dimension) ? [item(`Also show ${label}`, "also")] : [];
  return [item(`Filter by ${label}`, "only"), ...also, exclude];
}

const MENU_BUTTON = "row-more";

/** The key for the menu of what has the focus, which the mouse and fingers have a button for. */
function onMenuKey(event: KeyboardEvent): void {
  if (event.key !== "ContextMenu" && !(event.key === "F10" && event.shiftKey)) return;
  event.preventDefault();
  (event.currentTarget as HTMLElement).closest(".row")?.querySelector<HTMLElement>(`.${MENU_BUTTON}`)?.click();
}

interface FilterButtonProps {
  readonly row: Row;
  readonly filter: RowFilter;
  readonly children: ComponentChildren;
}

export const RowFilterButton = ({ row, filter, children }: FilterButtonProps) => (
  <>
    <button
      type="button"
      class="row-button"
      title={row.title}
      aria-pressed={row.isChosen === true}
      aria-keyshortcuts="Shift+F10"
      // Shift would select the text up to here.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onClick={(event) => toggleFilter(filter.dimension, filter.value, choiceOf(event))}
      onKeyDown={onMenuKey}
    >
      {children}
    </button>
    <Menu
      label="More options"
      button={<span class="more" aria-hidden="true" />}
      buttonClass={MENU_BUTTON}
      isTabStop={false}
      items={filterItems(filter, row.label)}
    />
  </>
);
