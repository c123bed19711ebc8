/** The note below a list of values about visitors without one. A click filters by them, as by a row. */
import { UNRECORDED } from "../../src/shared/filters.ts";
import type { Dimension } from "../api/types.ts";
import { DIMENSIONS, filterDimensionOf, unknownLabel } from "../format/dimensions.ts";
import { tip } from "../kit/tips.ts";
import { hasFilter, toggleFilter } from "../state/view-filters.ts";
import { fill, words } from "../words/words.ts";
import { choiceOf } from "./filter-items.ts";

interface FootnoteProps {
  readonly dimension: Dimension;
  /** `12 visitors` */
  readonly counted: string;
}

export function Footnote({ dimension, counted }: FootnoteProps) {
  const filterDimension = filterDimensionOf(dimension);
  const isChosen = hasFilter(filterDimension, UNRECORDED);
  return (
    <button
      type="button"
      class="footnote"
      {...tip(isChosen ? words.filters.removeFilter : fill(words.filters.filterBy, { value: unknownLabel(dimension) }))}
      aria-pressed={isChosen}
      onClick={(event) => toggleFilter(filterDimension, UNRECORDED, choiceOf(event))}
    >
      {fill(DIMENSIONS[dimension].without ?? "", { counted })}
    </button>
  );
}
