/** The Prometheus data model and text format, version 0.0.4: metric families, histograms, and how they are rendered. */

export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4";

export type Labels = Readonly<Record<string, string>>;

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

/** Counts by bucket, and the sum of all values. */
export interface HistogramCounts {
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

  /** Adds what another histogram has observed. */
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
