/** How often durations fell into which range. To observe one costs two additions and no memory. */
import type { Sample } from "./metrics-text.ts";

/** From events, which take under a millisecond, to the time limit of requests. */
const BOUNDS_SECS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

export class Histogram {
  /** By range, the last one being without end. */
  readonly #counts = new Float64Array(BOUNDS_SECS.length + 1);
  #sumMs = 0;

  /** A duration below 0 is one during which the clock was set back: sums must not fall. */
  observe(measuredMs: number): void {
    const durationMs = Math.max(0, measuredMs);
    let range = 0;
    for (const bound of BOUNDS_SECS) {
      if (durationMs <= bound * 1000) break;
      range++;
    }
    this.#counts[range] = (this.#counts[range] ?? 0) + 1;
    this.#sumMs += durationMs;
  }

  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** The lines of the text form: how many took at most so long, each bound including the ones below it. */
  samples(labels: Readonly<Record<string, string>> = {}): Sample[] {
    let upTo = 0;
    const buckets = [...BOUNDS_SECS.map(String), "+Inf"].map((le, range): Sample => {
      upTo += this.#counts[range] ?? 0;
      return { suffix: "_bucket", labels: { ...labels, le }, value: upTo };
    });
    return [...buckets, { suffix: "_sum", labels, value: this.#sumMs / 1000 }, { suffix: "_count", labels, value: upTo }];
  }
}
