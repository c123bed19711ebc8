/** How many requests each route has answered how, and how long that took. */
import { Histogram } from "./histogram.ts";
import type { Sample } from "./metrics-text.ts";

/** Requests that no route takes: their paths are anybody's words, so they are one. */
const NO_ROUTE = "other other";

export class RequestMetrics {
  /** By route, then by the first digit of the status. */
  readonly #routes = new Map<string, (Histogram | undefined)[]>();

  /** `routeId` is method and path as the route has them, e.g. `GET /api/stats/breakdown/:dimension`; null for no route. */
  note(routeId: string | null, status: number, durationMs: number): void {
    const id = routeId ?? NO_ROUTE;
    let classes = this.#routes.get(id);
    if (!classes) this.#routes.set(id, (classes = []));
    const digit = Math.floor(status / 100);
    (classes[digit] ??= new Histogram()).observe(durationMs);
  }

  #each<T>(sample: (labels: Readonly<Record<string, string>>, durations: Histogram) => T): T[] {
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
