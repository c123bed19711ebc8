/** The current view as report query parameters. */
import { computed } from "@preact/signals";
import { RANGE_DAYS_MAX } from "../../src/shared/limits.ts";
import { printFilters, withoutGoalFilters } from "./filters.ts";
import { lensParameter } from "./lens.ts";
import { comparedRange, period, range } from "./period.ts";
import type { Range } from "./range.ts";
import { ownFilters, savedConditions, savedFilterId } from "./view-filters.ts";
import { site } from "./view.ts";

/** Shows the service that a long range is intended. Series replace it by their own interval. */
const longRange = ({ days }: Range) => days > RANGE_DAYS_MAX && { interval: "month" };

/** The period alone, without lens and filters. */
export const datesScope = computed(() => ({
  site_id: site.value,
  ...(period.value === "custom"
    ? { start_date: range.value.start, end_date: range.value.end, ...longRange(range.value) }
    : { period: period.value }),
}));

export const unfilteredScope = computed(() => ({ ...datesScope.value, ...lensParameter.value }));

export const scope = computed(() => ({ ...unfilteredScope.value, segment: savedFilterId.value, filters: printFilters(ownFilters.value) }));

/** Omits filters on events and goals. A saved filter with any is replaced by its other conditions. */
export const everybodyScope = computed(() => {
  const saved = withoutGoalFilters(savedConditions.value);
  const own = withoutGoalFilters(ownFilters.value);
  if (saved.length === savedConditions.value.length)
    return { ...unfilteredScope.value, segment: savedFilterId.value, filters: printFilters(own) };
  return { ...unfilteredScope.value, segment: null, filters: printFilters([...saved, ...own]) };
});

/** The compared window as parameters of `main` and of breakdowns. */
export const comparisonParameters = computed(() => {
  const compared = comparedRange.value;
  if (!compared) return {};
  const { start, end, today: until } = compared;
  return {
    ...longRange(compared),
    compare: "custom",
    compare_start_date: start,
    compare_end_date: until ?? end,
    ...(until !== null && { compare_same_time: "true" }),
  };
});
