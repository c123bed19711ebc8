/** How many requests each route has answered, with which class of status, and how long they took. */
import { Histogram, type Labels, type Sample } from "./prometheus.ts";

/** One label for all requests without a route: their paths are arbitrary, and each label value is a series of its own. */
const NO_ROUTE = "other other";

export class RequestMetrics {
  /** By route, then by the first digit of the status. */
  readonly #routes = new Map<string, (Histogram | undefined)[]>();

  /** `routeId` is method and path template of the route, e.g. `GET /api/stats/breakdown/:dimension`; null for no route. */
  note(routeId: string | null, status: number, durationMs: number): void {
    const id = routeId ?? NO_ROUTE;
    let classes = this.#routes.get(id);
    if (!classes) this.#routes.set(id, (classes = []));
    const digit = Math.floor(status / 100);
    (classes[digit] ??= new Histogram()).observe(durationMs);
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
