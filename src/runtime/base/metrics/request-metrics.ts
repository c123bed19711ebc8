/** How many requests each route has answered, with which class of status, and how long they took. */
import { Histogram, type HistogramCounts, type Labels, type Sample } from "./prometheus.ts";

/** One label for all requests without a route: their paths are arbitrary, and each label value is a series of its own. */
const NO_ROUTE = "other other";

/** The durations of requests of one route and class of status. */
export interface RouteDurations {
  readonly id: string;
  readonly digit: number;
  readonly durations: HistogramCounts;
}

export class RequestMetrics {
  /** By route, then by the first digit of the status. */
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

  /** What was noted since the last call. It begins again from zero. */
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
