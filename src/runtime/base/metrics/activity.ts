/** What an instance has counted since it last told, for another instance that adds it to its own. */
import type { Counters } from "./counters.ts";
import { gaugesOf, sumOfGauges, type Gauges, type GaugeSources } from "./gauges.ts";
import type { Histogram, HistogramCounts } from "./prometheus.ts";
import type { RequestMetrics, RouteDurations } from "./request-metrics.ts";

/** A number of events by what became of them. */
interface Outcomes<T> {
  take(): T[];
  add(count: T): void;
}

export interface Activity<T = unknown> {
  readonly counters: Readonly<Partial<Counters>>;
  readonly requests: readonly RouteDurations[];
  readonly flushes: HistogramCounts;
  readonly outcomes: readonly T[];
}

export interface ActivitySources<T = unknown> {
  readonly counters: Counters;
  readonly requests: RequestMetrics;
  readonly flush: { readonly durations: Histogram };
  readonly eventOutcomes: Outcomes<T>;
}

function takeCounters(counters: Counters): Partial<Counters> {
  const taken: Partial<Counters> = {};
  for (const [name, count] of Object.entries(counters) as [keyof Counters, number][]) {
    if (count === 0) continue;
    taken[name] = count;
    counters[name] = 0;
  }
  return taken;
}

/** Everything begins again from zero. */
export const takeActivity = <T>({ counters, requests, flush, eventOutcomes }: ActivitySources<T>): Activity<T> => ({
  counters: takeCounters(counters),
  requests: requests.take(),
  flushes: flush.durations.take(),
  outcomes: eventOutcomes.take(),
});

export function addActivity<T>({ counters, requests, flush, eventOutcomes }: ActivitySources<T>, activity: Activity<T>): void {
  for (const [name, count] of Object.entries(activity.counters) as [keyof Counters, number][]) counters[name] += count;
  requests.add(activity.requests);
  flush.durations.add(activity.flushes);
  for (const outcome of activity.outcomes) eventOutcomes.add(outcome);
}

interface Others<T> {
  collect(): Promise<{ readonly activities: readonly Activity<T>[]; readonly gauges: readonly Gauges[] }>;
}

/** The gauges of an instance and of others, whose activity is added to its own. */
export async function collectGauges<T>(own: ActivitySources<T> & GaugeSources, others: Others<T> | undefined): Promise<Gauges> {
  const collected = await others?.collect();
  for (const activity of collected?.activities ?? []) addActivity(own, activity);
  return sumOfGauges(gaugesOf(own), collected?.gauges ?? []);
}
