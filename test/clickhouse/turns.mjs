/** Queries that run one at a time, in the order of their arrival. */
import { Exception } from "./exceptions.mjs";

export class Turns {
  /** The id of the query that runs, or null. */
  running = null;
  #waiting = [];

  /** Rejects if the query is cancelled while it waits. */
  async run(id, work) {
    if (this.running !== null) await new Promise((start, cancel) => this.#waiting.push({ id, start, cancel }));
    this.running = id;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      this.running = next?.id ?? null;
      next?.start();
    }
  }

  /** Cancels the query if it waits. */
  cancel(id) {
    const at = this.#waiting.findIndex((query) => query.id === id);
    if (at !== -1) this.#waiting.splice(at, 1)[0].cancel(new Exception(394, "QUERY_WAS_CANCELLED", "Query was cancelled"));
  }
}
