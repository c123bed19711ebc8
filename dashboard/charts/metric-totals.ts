/** A metric's total in the period and in the compared one. */
import { signal } from "@preact/signals";
import { comparedRange } from "../state/period.ts";
import type { MainReport } from "./metrics.ts";
import type { ShownMetric } from "./shown-metrics.ts";

export interface MetricTotals {
  /** Null where it is not known. */
  readonly now: number | null;
  /** Null without a comparison, or without a whole window of events to compare with. */
  readonly before: number | null;
}

/** The date of the site's first stored event: null if the service cannot tell, undefined until it has answered. */
export const firstEventDate = signal<string | null | undefined>(undefined);

/** A window that begins before the first event has less than a like period, whatever happened. */
export function isWindowWhole(): boolean {
  const [first, compared] = [firstEventDate.value, comparedRange.value];
  return compared !== null && first !== undefined && (first === null || first <= compared.start);
}

/** How many events the compared window has under the filters, but those on goals; null until it is known, and without a comparison. */
export const comparedEvents = signal<number | null>(null);

/** Whether rows have a change: against a window without events, all of them would be new. */
export const isCompared = (): boolean => isWindowWhole() && comparedEvents.value !== 0;

/** `everybody` has the totals without the filters on events; only for a conversion rate. */
export function totalsOf({ value }: ShownMetric, data: MainReport, everybody: MainReport | undefined): MetricTotals {
  const compared = isWindowWhole() ? data.comparison : undefined;
  return {
    now: value(data, everybody ?? null),
    before: compared && compared.total_events > 0 ? value(compared, everybody?.comparison ?? null) : null,
  };
}
