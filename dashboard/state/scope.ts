/** Parameters of reports: what of the view they are about. */
import { computed } from "@preact/signals";
import { withoutEventFilters } from "./filter-kind.ts";
import { printFilters } from "./filters.ts";
import { comparedRange, period, range } from "./period.ts";
import { ownFilters, site } from "./view.ts";

/** Site and period as parameters of a report. */
export const unfilteredScope = computed(() => ({
  site_id: site.value,
  ...(period.value === "custom" ? { start_date: range.value.start, end_date: range.value.end } : { period: period.value }),
}));

/** Site, period and filters as parameters of a report. */
export const scope = computed(() => ({ ...unfilteredScope.value, filters: printFilters(ownFilters.value) }));

/** The same without the filters on events. */
export const everybodyScope = computed(() => ({ ...unfilteredScope.value, filters: printFilters(withoutEventFilters(ownFilters.value)) }));

/** The compared window as parameters of the report `main`. */
export const comparisonParameters = computed(() => {
  const compared = comparedRange.value;
  if (!compared) return {};
  const { start, end, today: until } = compared;
  return {
    compare: "custom",
    compare_start_date: start,
    compare_end_date: until ?? end,
    ...(until !== null && { compare_same_time: "true" }),
  };
});
