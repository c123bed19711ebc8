/** How the rows of a breakdown look and what a click on one does. */
import type { Breakdown } from "../api/types.ts";
import { canFilterBy } from "../state/filters.ts";
import { filters, site, toggleFilter } from "../state/view.ts";
import { filterDimensionOf, UNKNOWN, valueText } from "../format/dimensions.ts";
import type { Row } from "./row-list.tsx";

const PAGE_DIMENSIONS: readonly string[] = ["pages", "entry-pages", "exit-pages"];

function linkOf(dimension: string, value: string): string | null {
  if (PAGE_DIMENSIONS.includes(dimension)) return value.startsWith("/") && site.value !== null ? `https://${site.value}${value}` : null;
  if (dimension === "referrers") return /^https?:/.test(value) ? value : null;
  return null;
}

/** `visitors` is how many there are in all, where it is known. */
export function rowsOf(dimension: string, breakdown: Breakdown, visitors: number | null): Row[] {
  const filterDimension = filterDimensionOf(dimension);
  const isSessions = dimension !== filterDimension;
  return breakdown.map(({ value, visitors: count }) => {
    const filter = { dimension: filterDimension, isNot: false, value };
    const label = valueText(dimension, value);
    const isChosen = filters.value.some((known) => known.dimension === filterDimension && !known.isNot && known.value === value);
    return {
      key: value,
      label,
      mark: dimension === "countries" && value !== UNKNOWN ? value : "",
      count,
      share: visitors !== null && visitors > 0 && !isSessions ? Math.min(count / visitors, 1) : null,
      unit: "visitors",
      title: isChosen ? `${label}: remove this filter` : `${label}: show only visitors with this`,
      href: linkOf(dimension, value),
      isChosen,
      ...(canFilterBy(value) && { onChoose: () => toggleFilter(filter) }),
    };
  });
}
