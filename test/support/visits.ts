/** Visits as lists of steps: a path is a pageview, everything else a custom event of that name. */
import { record, wireEvent } from "./requests.ts";
import { visitor } from "./stats-requests.ts";
import type { Target } from "./target.ts";

/** Posts one after the other, so that the order is kept even if the clock does not advance. */
export async function visit(target: Target, siteId: string, number: number, ...doings: readonly string[]): Promise<void> {
  for (const doing of doings) {
    const fields = doing.startsWith("/") ? { u: doing } : { n: doing, u: "/" };
    await record(target, wireEvent(siteId, fields), visitor(number));
  }
}
