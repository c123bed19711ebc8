/** Period and comparison of the view, as the URL has them. */
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { PERIODS, type Period } from "../../src/shared/periods.ts";
import { dateAt } from "./known-sites.ts";
import {
  comparedRangeOf,
  customRange,
  isWithin,
  rangeOf,
  rangeProblem,
  rangeWithin,
  sharedPeriod,
  sharedRange,
  sharedRangeProblem,
  shifted,
  type ComparedRange,
  type Comparison,
  type Range,
  type RangeProblem,
} from "./range.ts";
import { useReport, type Report } from "./requests.ts";
import { shared } from "./share.ts";
import { navigate, param, type Changes } from "./url.ts";
import { site } from "./view.ts";

const loadedFirstDay = signal<{ readonly siteId: string | null; readonly day: string } | null>(null);

/** The date of the first event; null until known. */
const firstDay = computed(() => (loadedFirstDay.value?.siteId === site.value ? loadedFirstDay.value.day : null));

/** Requests it while all time is shown, and again with each refresh. */
export function useFirstDay(isShown: boolean): Report<unknown> {
  const siteId = site.value;
  const report = useReport("timeseries", isShown ? { site_id: siteId, period: "all", interval: "month" } : null);
  const day = report.isStale ? undefined : report.data?.[0]?.date;
  useEffect(() => {
    if (isShown && day !== undefined && (loadedFirstDay.value?.siteId !== siteId || loadedFirstDay.value.day !== day))
      loadedFirstDay.value = { siteId, day };
  }, [isShown, siteId, day]);
  return report;
}

/** Updated by realtime polling. */
export const nowMs = signal(Date.now());

/** Today at the site. */
export const today = computed(() => dateAt(nowMs.value));

/** null unless the URL has both dates. */
function datesIn(startName: string, endName: string): { readonly start: string; readonly end: string } | null {
  const [start, end] = [param(startName), param(endName)];
  return start === null || end === null ? null : { start, end };
}

const customDates = computed(() => datesIn("start", "end"));
const comparedDates = computed(() => datesIn("compare_start", "compare_end"));

/** Dates of a share link; null for all. */
export const bounds = computed(() => shared.value && sharedRange(shared.value, today.value));

export const offeredPeriods = computed(() =>
  PERIODS.filter((known) => (known === "all" ? bounds.value === null : isWithin(rangeOf(known, today.value), bounds.value))),
);

/** null if a share link has its own dates. */
export const defaultPeriod = computed(() => (shared.value && sharedPeriod(shared.value)) ?? (bounds.value ? null : "30d"));

const namedPeriod = computed(() => offeredPeriods.value.find((known) => known === param("period")) ?? defaultPeriod.value);

export const period = computed((): Period | "custom" => (customDates.value ? "custom" : (namedPeriod.value ?? "custom")));

/** The view shows all dates of a share link. */
export const hasAllSharedDates = computed(() => period.value === "custom" && customDates.value === null);

export const range = computed((): Range => {
  const dates = customDates.value ?? bounds.value;
  const named = customDates.value ? null : namedPeriod.value;
  const chosen =
    named || !dates
      ? rangeOf(named ?? "30d", today.value, firstDay.value ?? today.value)
      : customRange(dates.start, dates.end, today.value);
  return rangeWithin(chosen, bounds.value, today.value);
});

/** The first date of all time comes from the service. */
export const isRangeKnown = computed(() => period.value !== "all" || firstDay.value !== null);

/** null if the range can be shown. */
export const problemOf = (start: string, end: string): RangeProblem | null =>
  rangeProblem(start, end) ?? sharedRangeProblem(start, end, bounds.value);

/** The reason why the view does not show the dates in the URL. */
export const urlRangeProblem = computed(() => customDates.value && problemOf(customDates.value.start, customDates.value.end));

/** URL parameters of the range shifted by `lengths` times its length; null if it cannot be shown. */
export const movedRange = (lengths: number): ReturnType<typeof shifted> =>
  shifted(range.value, lengths, { period: period.value, today: today.value, bounds: bounds.value });

export const comparison = computed((): Comparison => {
  const chosen = param("compare");
  if (chosen === "custom" && comparedDates.value) return chosen;
  return chosen === "year_over_year" || chosen === "none" ? chosen : "previous_period";
});

/** The URL contains only the choice against it. */
export const matchWeekdays = computed(() => param("weekdays") !== "off");

const customComparison = computed(
  () => comparedDates.value && customRange(comparedDates.value.start, comparedDates.value.end, today.value),
);

/** All time has nothing before it. */
export const isComparable = computed(() => period.value !== "all");

/** The window for a comparison; null if there is none, or if a share link does not show it. */
export function comparedBy(chosen: Comparison): ComparedRange | null {
  if (!isComparable.value) return null;
  const choice = { comparison: chosen, matchWeekdays: matchWeekdays.value, custom: customComparison.value };
  const window = comparedRangeOf(range.value, choice, today.value);
  return window && isWithin(window, bounds.value) ? window : null;
}

/** The compared window; null without a comparison. */
export const comparedRange = computed(() => comparedBy(comparison.value));

export const choosePeriod = (chosen: Period): void =>
  navigate({ period: chosen === defaultPeriod.value ? null : chosen, start: null, end: null });

/** Shifts by the period's length; negative into the past. */
export function shiftPeriod(lengths: number): void {
  // Without a next period, the realtime view is left for the current one.
  navigate(movedRange(lengths) ?? (param("view") === "realtime" ? { view: null } : {}));
}

export const chooseComparison = (chosen: Comparison): void =>
  navigate({ compare: chosen === "previous_period" ? null : chosen, compare_start: null, compare_end: null });

/** The comparison that the shortcut turned off, and turns on again. */
let turnedOff: Changes = { compare: null };

export function toggleComparison(): void {
  if (comparison.value === "none") return navigate(turnedOff);
  const compare = comparison.value === "previous_period" ? null : comparison.value;
  turnedOff = { compare, compare_start: param("compare_start"), compare_end: param("compare_end") };
  chooseComparison("none");
}
