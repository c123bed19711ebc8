/** The site's values of a dimension that match a typed text, with their visitors, in the period and under the other filters. */
import { urlOf } from "../api/http.ts";
import type { Reports } from "../api/types.ts";
import type { Choice } from "../kit/picker.tsx";
import { useSettled } from "../kit/use-settled.ts";
import { breakdownOf, DIMENSIONS, unknownLabel } from "../format/dimensions.ts";
import { formatCount } from "../format/locale.ts";
import { canFilterBy, printFilters, PROPERTY_PREFIX, type Filter } from "../state/filters.ts";
import { unfilteredScope } from "../state/scope.ts";
import { segmentId } from "../state/segments.ts";
import { useReport, useRequest, type Report } from "../state/use-report.ts";
import { lockedFilters } from "../state/view.ts";
import { valueName } from "../format/filter-words.ts";

/** As many as the picker shows. */
const SEARCHED_ROWS = 50;
/** Of values that are searched by the names that the page gives them. */
const NAMED_ROWS = 1000;

type Row = Reports["breakdown"][number] | Reports["conversions"][number] | Reports["goals"][number] | Reports["property-values"][number];

/** `name` of a property may be empty, which `urlOf` leaves out. */
function urlFor(dimension: string, search: string, scope: ReturnType<typeof scopeOf>): string {
  if (dimension === "goal") return urlOf("/api/stats/goals", scope);
  const breakdown = breakdownOf(dimension);
  if (breakdown === undefined) {
    const name = dimension.slice(PROPERTY_PREFIX.length);
    return `${urlOf("/api/stats/property-values", { ...scope, search })}&${new URLSearchParams({ name }).toString()}`;
  }
  const { format, versionOf } = DIMENSIONS[breakdown];
  const rows = format || versionOf ? { limit: NAMED_ROWS } : { limit: SEARCHED_ROWS, search, unknown_label: unknownLabel(breakdown) };
  return urlOf(`/api/stats/breakdown/${breakdown}`, { ...scope, ...rows });
}

const scopeOf = (others: readonly Filter[]) => ({ ...unfilteredScope.value, segment: segmentId.value, filters: printFilters(others) });

export interface Suggestions {
  readonly report: Report<unknown>;
  readonly choices: readonly Choice[];
}

/** `others` are the reader's filters beside the one that is made. */
export function useSuggestions(dimension: string, typed: string, others: readonly Filter[]): Suggestions {
  const search = useSettled(typed);
  const report = useRequest<readonly Row[]>(urlFor(dimension, search, scopeOf(others)));
  const defined = useReport("conversions", dimension === "goal" ? scopeOf(others) : null).data ?? [];
  const isDefined = (row: Row) => "name" in row && defined.some(({ name }) => name === row.name);
  const choices = [...defined, ...(report.data ?? []).filter((row) => !isDefined(row))]
    .map((row) => ({ value: "name" in row ? row.name : row.value, visitors: row.visitors }))
    .filter(({ value }) => canFilterBy(value))
    .map(({ value, visitors }) => ({
      value,
      label: valueName(dimension, value, [...lockedFilters.value, ...others]),
      hint: formatCount(visitors),
    }));
  return { report, choices };
}
