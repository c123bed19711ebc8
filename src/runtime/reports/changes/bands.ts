/** The usual range of days and hours: what is expected of them, two standard deviations around it. */
import { Decimal, decimalFromCents } from "../../base/decimal.ts";
import { amountOf, isRatio, type Kind, rateOf } from "./contributions.ts";
import { BAND_DEVIATIONS, type Range, rangeOf } from "./counts.ts";
import { expectedOf, type History, othersOf, spanOf } from "./history.ts";
import { HISTORY_DAYS } from "./input.ts";
import { countOfRoot, dispersionOf, rootOf } from "./statistics.ts";
import { ratioJudgeOf } from "./judged.ts";
import { Judge } from "./naming.ts";
import { rateDeviation } from "./ratios.ts";
import type { Amount } from "./result.ts";
import { typicalSide } from "./sides.ts";
import { centsOf, seriesOf, type View } from "./view.ts";

const DAY_HOURS = 24;

interface AmountRange {
  readonly expected: Amount;
  readonly low: Amount;
  readonly high: Amount;
}

const PROPORTIONS: readonly Kind[] = ["bounce_rate", "conversion_rate"];

/** Ranges of days of the window, in what the answer shows. */
export function rangesOf(kind: Kind, view: View): (days: readonly number[]) => AmountRange {
  const { history, window, firstDay } = view;
  const typicalOf = (days: readonly number[]) => typicalSide(kind, window.days, firstDay, spanOf(history, days).all);
  if (isRatio(kind)) {
    const judge = ratioJudgeOf(kind, view);
    const highest = PROPORTIONS.includes(kind) ? 1 : Number.POSITIVE_INFINITY;
    return (days) => {
      const expected = rateOf(typicalOf(days));
      const deviation = BAND_DEVIATIONS * rateDeviation(judge, spanOf(history, days));
      return { expected, low: Math.max(0, expected - deviation), high: Math.min(highest, expected + deviation) };
    };
  }
  // Money is judged in units of the mean payment, so that the noise of amounts is measured, too.
  const total = kind === "money" ? seriesOf(window.days, window, centsOf) : history.total;
  const sumOf = (series: Float64Array): number => series.reduce((sum, value) => sum + value, 0);
  const unit = (kind === "money" && Math.abs(sumOf(total)) / Math.max(1, sumOf(history.total))) || 1;
  const judge = new Judge({ ...history, total: total.map((count) => count / unit) });
  const amount = (count: number): Amount => (kind === "money" ? new Decimal(decimalFromCents(BigInt(Math.round(count * unit)))) : count);
  return (days) => {
    const { expected, low, high } = rangeOf(judge, spanOf(history, days));
    return { expected: amountOf(kind, typicalOf(days)), low: amount(Math.min(low, expected)), high: amount(high) };
  };
}

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
