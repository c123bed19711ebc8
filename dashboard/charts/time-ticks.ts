/** Which points of a series have a text on the time axis. */
import { daysBetween } from "../state/range.ts";

/** Ticks of hours stand at these distances, so that days begin with one. */
const HOURS_OF_TICKS = [1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 96, 120, 144, 168];

const DATE_CHARS = "2026-03-15".length;

/** Hours of the clock since the midnight that the series begins with: a day of 23 hours has a gap. */
const hourOf = (label: string, first: string): number =>
  (daysBetween(first.slice(0, DATE_CHARS), label.slice(0, DATE_CHARS)) - 1) * 24 + Number(label.slice(DATE_CHARS + 1, DATE_CHARS + 3));

/** Indices at least `least` points apart. `labels` are those of the service, `2026-03-15` or `2026-03-15 14:00`. */
export function tickIndices(labels: readonly string[], least: number): number[] {
  const first = labels[0] ?? "";
  const every = first.length > DATE_CHARS ? HOURS_OF_TICKS.find((hours) => hours >= least) : undefined;
  if (every === undefined) return Array.from({ length: Math.ceil(labels.length / least) }, (_, i) => i * least);
  const steps = labels.map((label) => Math.floor(hourOf(label, first) / every));
  return steps.flatMap((step, i) => (step === steps[i - 1] ? [] : [i]));
}
