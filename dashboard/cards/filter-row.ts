/** A row whose click filters the view by its value, or removes that filter. */
import type { Dimension } from "../api/types.ts";
import { countryMark, filterDimensionOf, formatValue } from "../format/dimensions.ts";
import { canFilterBy } from "../state/filters.ts";
import { filters, hasFilter, toggleFilter } from "../state/view.ts";
import type { Row } from "./row-list.tsx";

/** All but the row's numbers. `filterValue` is what the value is called in a filter. */
export function filterRow(dimension: Dimension, value: string, filterValue = value): Omit<Row, "count" | "share" | "countTitle"> {
  const filterDimension = filterDimensionOf(dimension);
  const label = formatValue(dimension, value, filters.value);
  const isChosen = hasFilter(filterDimension, filterValue);
  return {
    key: value,
    label,
    mark: countryMark(dimension, value),
    title: isChosen ? `Remove the filter ${label}` : `Filter by ${label}`,
    isChosen,
    ...(canFilterBy(filterValue) && { onChoose: () => toggleFilter(filterDimension, filterValue) }),
  };
}
