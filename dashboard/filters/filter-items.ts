/** Changes of filters by a click on a row or on a country of the map, with or without a modifier key, or from a menu. */
import type { MenuItem } from "../kit/menu.tsx";
import type { Choice } from "../state/filters.ts";
import { hasFilter, hasListOf, isExcluded, toggleFilter } from "../state/view-filters.ts";
import { fill, words } from "../words/words.ts";

export interface ValueFilter {
  readonly dimension: string;
  readonly value: string;
}

export function choiceOf({ altKey, shiftKey }: Pick<MouseEvent, "altKey" | "shiftKey">): Choice {
  if (altKey) return "not";
  return shiftKey ? "also" : "only";
}

export function filterItems({ dimension, value }: ValueFilter, label: string): MenuItem[] {
  const item = (text: string, choice: Choice): MenuItem => ({ label: text, onChoose: () => toggleFilter(dimension, value, choice) });
  if (isExcluded(dimension, value)) return [item(words.filters.removeFilter, "not")];
  const exclude = item(fill(words.filters.exclude, { value: label }), "not");
  if (hasFilter(dimension, value)) return [item(words.filters.removeFilter, "also"), exclude];
  const also = hasListOf(dimension) ? [item(fill(words.filters.alsoShow, { value: label }), "also")] : [];
  return [item(fill(words.filters.filterBy, { value: label }), "only"), ...also, exclude];
}
