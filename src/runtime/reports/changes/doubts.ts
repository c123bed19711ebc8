/** Doubts about a finding: the visits look automated, or the value does this often (docs/internals/changes.md). */
import { countedIn, expectedOf, type Span } from "./history.ts";
import { HISTORY_DAYS, type Window } from "./input.ts";
import { type Judge, type Named, VALUE_SHARE_MIN, VALUE_VISITS_MIN, valueSeries } from "./naming.ts";
import { medianOf, rootOf } from "./statistics.ts";
import { partOf } from "./view.ts";

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
const ALIKE_DIMENSIONS = ["screen-sizes", "browser-versions", "os-versions"];

/** True if nearly all visits more than typical bounce, and most are alike in what is usually rare. Needs bounces. */
export function looksAutomated(judge: Judge, { dimension, value, after, typical }: Named, span: Span, window: Window): boolean {
  const more = after - typical;
  const tallies = window.dimensions.find((other) => other.dimension === dimension);
  if (!tallies || more < MORE_VISITS_MIN) return false;
  const length = judge.history.total.length;
  const rows = tallies.byDay.filter((row) => row.value === value);
  const bounces = valueSeries({ ...tallies, byDay: rows }, window.firstDay, length, partOf)[0]?.series;
  if (!bounces || countedIn(bounces, span.days) - expectedOf(bounces, span.all) < BOUNCES_MIN * more) return false;
  const typicalTotal = expectedOf(judge.history.total, span.all);
  return window.dimensions
    .filter((other) => ALIKE_DIMENSIONS.includes(other.dimension))
    .some((other) =>
      valueSeries(other, window.firstDay, length).some(({ series }) => {
        const usual = expectedOf(series, span.all);
        return usual < TYPICAL_SHARE_MAX * typicalTotal && countedIn(series, span.days) - usual >= HELD_MIN * more;
      }),
    );
}
