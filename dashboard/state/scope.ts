/** Parameters of reports: what of the view they are about. */
import { computed } from "@preact/signals";
import { RANGE_DAYS_MAX } from "../../src/shared/limits.ts";
import { withoutGoalFilters, printFilters } from "./filters.ts";
import { comparedRange, period, range } from "./period.ts";
import type { Range } from "./range.ts";
import { segmentFilters, segmentId, ownFilters } from "./view-filters.ts";
import { site } from "./view.ts";

/** What shows the service that many days are meant. Of a series, another one takes its place. */
const longRange = ({ days }: Range) => days > RANGE_DAYS_MAX && { interval: "month" };

/** Site and period as parameters of a report. */
export const unfilteredScope = computed(() => ({
  site_id: site.value,
  ...(period.value === "custom"
    ? { start_date: range.value.start, end_date: range.value.end, ...longRange(range.value) }
    : { period: period.value }),
}));

/** Site, period and filters as parameters of a report. */
export const scope = computed(() => ({ ...unfilteredScope.value, segment: segmentId.value, filters: printFilters(ownFilters.value) }));

/** The same without the filters on events and goals. Those of a segment that has any are written one by one. */
export const everybodyScope = computed(() => {
  const ofSegment = withoutGoalFilters(segmentFilters.value);
  const own = withoutGoalFilters(ownFilters.value);
  if (ofSegment.length === segmentFilters.value.length)
    return { ...unfilteredScope.value, segment: segmentId.value, filters: printFilters(own) };
  return { ...unfilteredScope.value, segment: null, filters: printFilters([...ofSegment, ...own]) };
});

/** The compared window as parameters of the report `main`. */
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
