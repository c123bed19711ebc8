/** The period of the view and the one it is compared with, as the URL has them. */
import { computed, signal } from "@preact/signals";
import { comparedRangeOf, type ComparedRange, type Comparison } from "./compared-range.ts";
import { customRange, PERIODS, rangeOf, rangeProblem, type Period, type Range } from "./range.ts";
import { param } from "./url.ts";

/** Today in UTC, `YYYY-MM-DD`. Updated by the realtime polling. */
export const today = signal(new Date().toISOString().slice(0, 10));

/** The dates of a custom range in the URL; null unless both are there. */
function datesIn(startName: string, endName: string): { readonly start: string; readonly end: string } | null {
  const [start, end] = [param(startName), param(endName)];
  return start === null || end === null ? null : { start, end };
}

const customDates = computed(() => datesIn("start", "end"));
const comparedDates = computed(() => datesIn("compare_start", "compare_end"));

const namedPeriod = (): Period => PERIODS.find((known) => known === param("period")) ?? "30d";

export const period = computed((): Period | "custom" => (customDates.value ? "custom" : namedPeriod()));

export const range = computed((): Range => {
  const dates = customDates.value;
  return dates ? customRange(dates.start, dates.end, today.value) : rangeOf(namedPeriod(), today.value);
});

/** Why the dates in the URL are not the range. */
export const urlRangeProblem = computed(() => customDates.value && rangeProblem(customDates.value.start, customDates.value.end));

export const comparison = computed((): Comparison => {
  const chosen = param("compare");
  if (chosen === "custom" && comparedDates.value) return chosen;
  return chosen === "year_over_year" || chosen === "none" ? chosen : "previous_period";
});

/** Only the choice against it is in the URL. */
export const matchWeekdays = computed(() => param("weekdays") !== "off");

const customComparison = computed(
  () => comparedDates.value && customRange(comparedDates.value.start, comparedDates.value.end, today.value),
);

/** The window that the range would be compared with. */
export const comparedBy = (chosen: Comparison): ComparedRange | null =>
  comparedRangeOf(range.value, { comparison: chosen, matchWeekdays: matchWeekdays.value, custom: customComparison.value }, today.value);

/** The window that the range is compared with; null without a comparison. */
export const comparedRange = computed(() => comparedBy(comparison.value));
