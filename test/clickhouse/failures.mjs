/**
 * Failures that a test asks for, by `POST /front/fail?kind=…`. They hit the next `count` requests (1) whose statement contains `match` (any):
 * - `refuse` closes the connection before the statement runs;
 * - `error` answers with exception `code` (252, TOO_MANY_PARTS) instead of running it;
 * - `drop` runs it and closes the connection without an answer;
 * - `delay` runs it `ms` later;
 * - `none` takes back what has been asked for.
 */
import { setTimeout as wait } from "node:timers/promises";
import { Exception } from "./exceptions.mjs";

const NO_FAILURE = { before: () => {}, dropsAnswer: false };

const BEFORE = {
  refuse: (response) => void response.destroy(),
  error: (_, { code }) => {
    throw new Exception(code, "ASKED_FOR", "A test asked for this exception");
  },
  drop: () => {},
  delay: (_, { ms }) => wait(ms),
};

export class Failures {
  #planned = [];

  /** Throws if the kind is unknown. */
  plan(parameters) {
    const kind = parameters.get("kind");
    if (kind === "none") this.#planned = [];
    else if (!(kind in BEFORE)) throw new Error(`there is no kind ${kind}`);
    else this.#planned.push(plannedBy(kind, parameters));
  }

  /** What is to happen to this statement. */
  take(sql) {
    const at = this.#planned.findIndex(({ match }) => sql.includes(match));
    const planned = this.#planned[at];
    if (!planned) return NO_FAILURE;
    planned.count -= 1;
    if (planned.count === 0) this.#planned.splice(at, 1);
    return { before: (response) => BEFORE[planned.kind](response, planned), dropsAnswer: planned.kind === "drop" };
  }
}

const plannedBy = (kind, parameters) => ({
  kind,
  match: parameters.get("match") ?? "",
  count: Number(parameters.get("count") ?? 1),
  code: Number(parameters.get("code") ?? 252),
  ms: Number(parameters.get("ms") ?? 0),
});
