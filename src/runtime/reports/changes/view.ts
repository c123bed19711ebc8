/** A window made ready to be judged: its series, gaps, and what its history lets expect (docs/internals/changes.md). */
import { daysOfGaps, gapsOf, hourSeries, type Gap } from "./gaps.ts";
import { type History, historyOf, othersOf, ownNoise, type Series, type Span, spanOf, TOTAL_PERSISTENCE } from "./history.ts";
import { type DayTally, HISTORY_DAYS, type Now, type Tally, type Window } from "./input.ts";

const DAY_HOURS = 24;
const WEEK_DAYS = 7;

export interface View {
  readonly window: Window;
  readonly firstDay: number;
  readonly days: number;
  readonly history: History;
  /** Hours since the first day of the history. */
  readonly gaps: readonly Gap[];
  /** Hours of the metric, empty if they are not known. */
  readonly hours: Float64Array;
  /** All days of the window. */
  readonly span: Span;
  /** Days of the window without a gap, and those of them that are over. */
  readonly testedDays: readonly number[];
  readonly completeDays: readonly number[];
}

export const seriesOf = (tallies: readonly DayTally[], { firstDay, lastDay }: Window, of: (tally: Tally) => number): Series => {
  const series = new Float64Array(HISTORY_DAYS + lastDay - firstDay + 1);
  for (const tally of tallies) {
    const at = tally.day - firstDay + HISTORY_DAYS;
    if (at >= 0 && at < series.length) series[at] = (series[at] ?? 0) + of(tally);
  }
  return series;
};

export const countOf = ({ count }: Tally): number => count;
export const partOf = ({ part = 0 }: Tally): number => part;
/** Money in hundredths, for what is expected: sums are made of the integers. */
export const centsOf = ({ cents = 0n }: Tally): number => Number(cents);

const indexes = (from: number, to: number): number[] => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

function gapsIn(hours: Window["hours"], firstIndex: number, firstDay: number, length: number, nowAt: Now | null): readonly Gap[] {
  if (hours.length === 0) return [];
  const start = firstDay - HISTORY_DAYS;
  const visits = hourSeries(hours, start, length, "visits");
  const events = hourSeries(hours, start, length, "events");
  const byDay = Float64Array.from(indexes(0, length), (day) =>
    indexes(day * DAY_HOURS, (day + 1) * DAY_HOURS).reduce((sum, hour) => sum + (visits[hour] ?? 0), 0),
  );
  const weeks = Math.floor((HISTORY_DAYS - firstIndex) / WEEK_DAYS);
  const history = historyOf(
    byDay,
    indexes(0, length).map((day) => day >= firstIndex),
    weeks,
    null,
  );
  const { dispersion } = ownNoise(byDay, history, othersOf(history), TOTAL_PERSISTENCE);
  const end = nowAt ? (nowAt.day - start) * DAY_HOURS + Math.floor(nowAt.hour) : length * DAY_HOURS;
  return gapsOf(visits, events, firstIndex * DAY_HOURS, Math.min(end, length * DAY_HOURS), dispersion);
}

/** The share of the reference days' counts before the time of day. */
function shareUntil(hours: Float64Array, references: Span, { hour }: Now): number {
  let before = 0;
  let all = 0;
  for (const day of references.all.at) {
    for (let i = 0; i < DAY_HOURS; i++) {
      const count = hours[day * DAY_HOURS + i] ?? 0;
      all += count;
      before += count * Math.max(0, Math.min(1, hour - i));
    }
  }
  return all > 0 ? before / all : 0;
}

/** `now` only if the window includes the current date. */
export function viewOf(window: Window, dataFirstDay: number, now: Now | null): View {
  const { firstDay, lastDay } = window;
  const days = lastDay - firstDay + 1;
  const length = HISTORY_DAYS + days;
  const firstIndex = Math.max(0, Math.min(HISTORY_DAYS, dataFirstDay - firstDay + HISTORY_DAYS));
  const total = seriesOf(window.days, window, countOf);
  const gaps = gapsIn(window.hours, firstIndex, firstDay, length, now);
  const gapDays = daysOfGaps(gaps);
  const isKnown = indexes(0, length).map((day) => day >= firstIndex && !gapDays.has(day));
  const weeks = Math.floor((HISTORY_DAYS - firstIndex) / WEEK_DAYS);
  const hours = hourSeries(window.hours, firstDay - HISTORY_DAYS, window.hours.length === 0 ? 0 : length, "count");

  const untilNow = historyOf(total, isKnown, weeks, null);
  const today = now && now.day >= firstDay && now.day <= lastDay ? now.day - firstDay : null;
  const share = today === null || now === null ? 1 : shareUntil(hours, spanOf(untilNow, [today]), now);
  const history: History = { ...untilNow, today: today === null ? null : { day: today, share } };
  const isTested = (day: number): boolean => isKnown[HISTORY_DAYS + day] === true && (day !== today || share > 0);
  const testedDays = indexes(0, today === null ? days : today + 1).filter(isTested);
  return {
    window,
    firstDay,
    days,
    history,
    gaps,
    hours,
    span: spanOf(history, indexes(0, days)),
    testedDays,
    completeDays: testedDays.filter((day) => day !== today),
  };
}
