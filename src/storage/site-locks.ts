/** Mutual exclusion per site: tasks of one site run one after another, tasks of different sites never wait for each other. */
import type { SiteId } from "./event.ts";

export class SiteLocks {
  readonly #tails = new Map<SiteId, Promise<void>>();

  /** Runs the task once every earlier task of the site has ended. */
  async run<T>(siteId: SiteId, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(siteId) ?? Promise.resolve();
    const result = before.then(task);
    const tail = result.then(
      () => {},
      () => {},
    );
    this.#tails.set(siteId, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(siteId) === tail) this.#tails.delete(siteId);
    }
  }
}
