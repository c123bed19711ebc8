/** Doubts about a finding: the visits look automated, or the value does this often (docs/internals/changes.md). */
import { countedIn, expectedOf, type Span } from "./history.ts";
import { type DimensionTallies, HISTORY_DAYS, type Window } from "./input.ts";
import { type Judge, type Named, VALUE_SHARE_MIN, VALUE_VISITS_MIN, valueSeries } from "./naming.ts";
import { medianOf, rootOf } from "./statistics.ts";
import type { ValueOf } from "./result.ts";
import { countOf, partOf, seriesOf } from "./view.ts";

const WEEK_DAYS = 7;

/** Weeks of the history in which a recurring value was named, of 8. */
const RECURRING_WEEKS_MIN = 3;
const RECURRING_Z_MIN = 3.5;

/** The value stood out from its other weeks on the same weekdays before. */
export function isRecurring(judge: Judge, { series, typical, excess }: Named, span: Span, days: readonly number[]): boolean {
  const { history, noise } = judge;
  const weekdays = [...new Set(days.map((day) => day % WEEK_DAYS))];
  const weeks = Array.from({ length: history.weeks }, (_, week) =>
    weekdays.reduce((sum, weekday) => sum + (series[HISTORY_DAYS - (week + 1) * WEEK_DAYS + weekday] ?? 0), 0),
  );
  const usual = medianOf(weeks);
  const typicalTotal = expectedOf(history.total, span.all);
  const share = Math.min(1, typical / Math.max(1, typicalTotal));
  const zMin = RECURRING_Z_MIN * Math.sqrt(1 + (noise.dispersion - 1) * share);
  const least = Math.max(VALUE_VISITS_MIN, (VALUE_SHARE_MIN * typicalTotal * weekdays.length) / span.days.length);
  const named = weeks.filter((count) => {
    const more = (count - usual) * Math.sign(excess);
    return more >= least && Math.abs(rootOf(count) - rootOf(usual)) >= zMin;
  });
  return named.length >= RECURRING_WEEKS_MIN;
}

const MORE_VISITS_MIN = 50;
const BOUNCES_MIN = 0.95;
const HELD_MIN = 0.8;
const TYPICAL_SHARE_MAX = 0.2;

/** Dimensions in which automated visits are alike. */
export const ALIKE_DIMENSIONS = ["screen-sizes", "browser-versions", "os-versions"];

/** True if nearly all visits of a value beyond what is typical bounce. Needs its bounces. */
export function bouncesAlmostAll(window: Window, { dimension, value }: ValueOf, span: Span): boolean {
  const rows = window.dimensions.find((tallies) => tallies.dimension === dimension)?.byDay.filter((row) => row.value === value) ?? [];
  const [visits, bounces] = [countOf, partOf].map((of) => {
    const series = seriesOf(rows, window, of);
    return countedIn(series, span.days) - expectedOf(series, span.all);
  });
  return visits !== undefined && bounces !== undefined && visits >= MORE_VISITS_MIN && bounces >= BOUNCES_MIN * visits;
}

/** True if a value that is usually rare holds most of the visits beyond what is typical. */
export const isOfOneKind = (
  dimensions: readonly DimensionTallies[],
  window: Window,
  span: Span,
  { more, typical }: { readonly more: number; readonly typical: number },
): boolean =>
  dimensions
    .filter(({ dimension }) => ALIKE_DIMENSIONS.includes(dimension))
    .some((tallies) =>
      valueSeries(tallies, window.firstDay, HISTORY_DAYS + window.lastDay - window.firstDay + 1).some(({ series }) => {
        const usual = expectedOf(series, span.all);
        return usual <= TYPICAL_SHARE_MAX * typical && countedIn(series, span.days) - usual >= HELD_MIN * more;
      }),
    );

/** What is known without a drill-down: only if the days of these dimensions are. */
export const looksAutomated = (judge: Judge, named: Named, span: Span, window: Window): boolean =>
  bouncesAlmostAll(window, named, span) &&
  isOfOneKind(window.dimensions, window, span, {
    more: named.after - named.typical,
    typical: expectedOf(judge.history.total, span.all),
  });
