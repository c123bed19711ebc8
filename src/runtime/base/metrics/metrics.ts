/**
 * The state behind the metrics: counters and request durations, which only increase, and gauges; and the text format of Prometheus,
 * version 0.0.4, in which `metric-families.ts` renders them. An instance hands what it has counted to another one as `Activity`, and
 * starts again from zero.
 */
import type { SiteId } from "../../../storage/event.ts";

export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4";

type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Appended to the family's name: a histogram has several series. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** One sentence. */
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Bounds from an event, which takes under a millisecond, to the longest request. */
const BUCKET_BOUNDS_SECS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

interface HistogramCounts {
  readonly counts: readonly number[];
  readonly sumMs: number;
}

/** Durations, counted by bucket. An observation costs two additions and no memory. */
export class Histogram {
  /** Counts by bucket; the last bucket is unbounded. */
  readonly #counts = new Float64Array(BUCKET_BOUNDS_SECS.length + 1);
  #sumMs = 0;

  /** A negative duration counts as 0: the clock was set back, and sums must not decrease. */
  observe(measuredMs: number): void {
    const durationMs = Math.max(0, measuredMs);
    let bucket = 0;
    for (const bound of BUCKET_BOUNDS_SECS) {
      if (durationMs <= bound * 1000) break;
      bucket++;
    }
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sumMs += durationMs;
  }

  /** Returns the observations since the last call, and restarts from zero. */
  take(): HistogramCounts {
    const taken = { counts: [...this.#counts], sumMs: this.#sumMs };
    this.#counts.fill(0);
    this.#sumMs = 0;
    return taken;
  }

  add({ counts, sumMs }: HistogramCounts): void {
    counts.forEach((count, bucket) => (this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count));
    this.#sumMs += sumMs;
  }

  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** The series of the text format. Buckets are cumulative: each includes the ones below it. */
  samples(labels: Labels = {}): Sample[] {
    let cumulative = 0;
    const buckets = [...BUCKET_BOUNDS_SECS.map(String), "+Inf"].map((le, bucket): Sample => {
      cumulative += this.#counts[bucket] ?? 0;
      return { suffix: "_bucket", labels: { ...labels, le }, value: cumulative };
    });
    return [...buckets, { suffix: "_sum", labels, value: this.#sumMs / 1000 }, { suffix: "_count", labels, value: cumulative }];
  }
}

export function renderMetrics(families: readonly MetricFamily[]): string {
  return families
    .map(({ name, type, help, samples }) => {
      const head = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
      return head + samples.map((sample) => sampleLine(name, sample)).join("");
    })
    .join("");
}

function sampleLine(name: string, { suffix = "", labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapedLabel(text)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
}

const escaped = (text: string): string => text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n");

const escapedLabel = (text: string): string => escaped(text).replace(/"/g, '\\"');

/** The help texts in `metric-families.ts` say what each counts. */
const ZERO = {
  eventsIngested: 0,
  pixelEventsIngested: 0,
  botEventsDropped: 0,
  eventsExcluded: 0,
  pingsDropped: 0,
  eventsRefused: 0,
  flushFailures: 0,
  journalSyncFailures: 0,
  filesCompacted: 0,
  compactionFailures: 0,
  rollupsMade: 0,
  rollupFailures: 0,
  rollupMs: 0,
  clickhouseInserts: 0,
  clickhouseInsertFailures: 0,
  clickhouseInsertMs: 0,
  eventsErased: 0,
  retentionFailures: 0,
  rateLimitRejections: 0,
  maxSitesRejections: 0,
  loginFailures: 0,
  cacheHits: 0,
  cacheMisses: 0,
};

export type Counters = Record<keyof typeof ZERO, number>;

export const createCounters = (): Counters => ({ ...ZERO });

/** Past days with events. Days with too few events to be worth a rollup count in none of these. */
export interface RollupDayCounts {
  /** Days in a valid rollup. */
  readonly stored: number;
  /** Only in outdated rollups. */
  readonly stale: number;
  /** Days in no rollup, although one is due. */
  readonly missing: number;
}

const NO_DAYS: RollupDayCounts = { stored: 0, stale: 0, missing: 0 };

const plus = (a: RollupDayCounts, b: RollupDayCounts): RollupDayCounts => ({
  stored: a.stored + b.stored,
  stale: a.stale + b.stale,
  missing: a.missing + b.missing,
});

export class RollupDays {
  readonly #sites = new Map<SiteId, RollupDayCounts>();

  get total(): RollupDayCounts {
    return [...this.#sites.values()].reduce(plus, NO_DAYS);
  }

  /** Replaces what is known about the site. */
  note(siteId: SiteId, counts: RollupDayCounts): void {
    if (counts.stored + counts.stale + counts.missing > 0) this.#sites.set(siteId, counts);
    else this.#sites.delete(siteId);
  }
}

interface GaugeSources {
  readonly eventStore: {
    readonly unflushedEvents: number;
    readonly unflushedBytes: number;
    readonly catalog: { readonly partitions: number; readonly files: number };
  };
  readonly leftOutFiles: { readonly count: number };
  readonly ingestGate: { readonly isOpen: boolean };
  readonly stats: { readonly cachedCount: number };
  readonly flush: { lagMs(): number };
  readonly queryEngine: {
    readonly state: {
      readonly memoryBytes: number;
      readonly cachedDays: number;
      readonly threads: number;
      readonly hasExtension: boolean | null;
    };
  };
  readonly rollupDays: { readonly total: RollupDayCounts };
}

export const gaugesOf = ({ eventStore, leftOutFiles, ingestGate, stats, flush, queryEngine, rollupDays }: GaugeSources) => ({
  unflushedEvents: eventStore.unflushedEvents,
  unflushedBytes: eventStore.unflushedBytes,
  journalLagMs: flush.lagMs(),
  ...eventStore.catalog,
  filesLeftOut: leftOutFiles.count,
  isIngestOpen: ingestGate.isOpen,
  cachedResults: stats.cachedCount,
  engineBytes: queryEngine.state.memoryBytes,
  cachedDays: queryEngine.state.cachedDays,
  engineThreads: queryEngine.state.threads,
  rollupDays: rollupDays.total,
  hasExtension: queryEngine.state.hasExtension === true,
});

export type Gauges = Readonly<ReturnType<typeof gaugesOf>>;

const sum = (a: Gauges, b: Gauges): Gauges => ({
  unflushedEvents: a.unflushedEvents + b.unflushedEvents,
  unflushedBytes: a.unflushedBytes + b.unflushedBytes,
  journalLagMs: Math.max(a.journalLagMs, b.journalLagMs),
  partitions: a.partitions + b.partitions,
  files: a.files + b.files,
  filesLeftOut: a.filesLeftOut + b.filesLeftOut,
  isIngestOpen: a.isIngestOpen && b.isIngestOpen,
  cachedResults: a.cachedResults + b.cachedResults,
  engineBytes: a.engineBytes + b.engineBytes,
  cachedDays: a.cachedDays + b.cachedDays,
  engineThreads: a.engineThreads + b.engineThreads,
  rollupDays: plus(a.rollupDays, b.rollupDays),
  hasExtension: a.hasExtension || b.hasExtension,
});

/** One label for all requests without a route: their paths are arbitrary, and each label value is a series of its own. */
const NO_ROUTE = "other other";

interface RouteDurations {
  readonly id: string;
  readonly digit: number;
  readonly durations: HistogramCounts;
}

export class RequestMetrics {
  /** Durations by route, then by the first digit of the status. */
  readonly #routes = new Map<string, (Histogram | undefined)[]>();

  /** `routeId` is method and path template of the route, e.g. `GET /api/stats/breakdown/:dimension`; null for no route. */
  note(routeId: string | null, status: number, durationMs: number): void {
    this.#histogram(routeId ?? NO_ROUTE, Math.floor(status / 100)).observe(durationMs);
  }

  #histogram(id: string, digit: number): Histogram {
    let classes = this.#routes.get(id);
    if (!classes) this.#routes.set(id, (classes = []));
    return (classes[digit] ??= new Histogram());
  }

  /** Returns the values since the last call, and restarts from zero. */
  take(): RouteDurations[] {
    const taken = [...this.#routes].flatMap(([id, classes]) =>
      classes.flatMap((durations, digit) => (durations ? [{ id, digit, durations: durations.take() }] : [])),
    );
    this.#routes.clear();
    return taken;
  }

  /** Adds what another instance has noted. */
  add(routes: readonly RouteDurations[]): void {
    for (const { id, digit, durations } of routes) this.#histogram(id, digit).add(durations);
  }

  #each<T>(sample: (labels: Labels, durations: Histogram) => T): T[] {
    return [...this.#routes].flatMap(([id, classes]) => {
      const [method = "", route = ""] = id.split(" ");
      return classes.flatMap((durations, digit) => (durations ? [sample({ method, route, status: `${digit}xx` }, durations)] : []));
    });
  }

  get countSamples(): Sample[] {
    return this.#each((labels, { count }) => ({ labels, value: count }));
  }

  get durationSamples(): Sample[] {
    return this.#each((labels, durations) => durations.samples(labels)).flat();
  }
}

export interface Activity<T = unknown> {
  readonly counters: Readonly<Partial<Counters>>;
  readonly requests: readonly RouteDurations[];
  readonly flushes: HistogramCounts;
  readonly outcomes: readonly T[];
}

interface ActivitySources<T = unknown> {
  readonly counters: Counters;
  readonly requests: RequestMetrics;
  readonly flush: { readonly durations: Histogram };
  /** Numbers of events by what became of them. */
  readonly eventOutcomes: { take(): T[]; add(count: T): void };
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
  return (collected?.gauges ?? []).reduce(sum, gaugesOf(own));
}
