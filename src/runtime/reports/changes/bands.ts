/** The typical band of the chart: what is expected of each day or hour, two standard deviations around it. */
import { BAND_DEVIATIONS, type Range } from "./counts.ts";
import { expectedOf, type History, othersOf, spanOf } from "./history.ts";
import { HISTORY_DAYS } from "./input.ts";
import { countOfRoot, dispersionOf, rootOf } from "./statistics.ts";
import type { View } from "./view.ts";

const DAY_HOURS = 24;

export interface HourRange extends Range {
  readonly day: number;
  readonly hour: number;
}

/** One dispersion for the whole site, of all hours of the history. */
function hourDispersion(hours: Float64Array, history: History): number {
  const residuals: number[] = [];
  for (const { day, references } of othersOf(history)) {
    for (let hour = 0; hour < DAY_HOURS; hour++) {
      let sum = 0;
      for (const other of references) sum += hours[other * DAY_HOURS + hour] ?? 0;
      const deviation = rootOf(hours[day * DAY_HOURS + hour] ?? 0) - rootOf(sum / references.length);
      residuals.push(deviation / Math.sqrt(1 + 1 / references.length));
    }
  }
  return dispersionOf(residuals);
}

export function hourBand({ hours, history, days }: View): HourRange[] {
  if (hours.length === 0) return [];
  const whole = { ...history, today: null };
  const dispersion = hourDispersion(hours, whole);
  const points: HourRange[] = [];
  for (let day = 0; day < days; day++) {
    const { all } = spanOf(whole, [day]);
    for (let hour = 0; hour < DAY_HOURS; hour++) {
      const ofHour = Float64Array.from({ length: HISTORY_DAYS }, (_, other) => hours[other * DAY_HOURS + hour] ?? 0);
      const expected = expectedOf(ofHour, all);
      const deviation = BAND_DEVIATIONS * Math.sqrt(dispersion * (1 + 1 / Math.max(1, all.perDay)));
      points.push({ day, hour, expected, low: countOfRoot(rootOf(expected) - deviation), high: countOfRoot(rootOf(expected) + deviation) });
    }
  }
  return points;
}
