/**
 * Locks per site, in the order of requests: an exclusive task runs alone, shared ones beside each other. Tasks of different sites never wait
 * for each other.
 */
import type { SiteId } from "./event.ts";

interface SiteQueue {
  /** Resolves when the last exclusive task has ended. */
  exclusive: Promise<void>;
  /** Shared tasks that were begun or wait since. */
  shared: Set<Promise<void>>;
  tasks: number;
}

export class SiteLocks {
  readonly #queues = new Map<SiteId, SiteQueue>();

  /** Runs the task once every earlier task of the site has ended. */
  run<T>(siteId: SiteId, task: () => Promise<T>): Promise<T> {
    return this.#enqueue(siteId, (queue) => {
      const result = Promise.all([queue.exclusive, ...queue.shared]).then(task);
      queue.exclusive = settled(result);
      queue.shared = new Set();
      return result;
    });
  }

  /** Runs the task once every earlier exclusive task of the site has ended. */
  share<T>(siteId: SiteId, task: () => Promise<T>): Promise<T> {
    return this.#enqueue(siteId, (queue) => {
      const result = queue.exclusive.then(task);
      const { shared } = queue;
      const end = settled(result).finally(() => shared.delete(end));
      shared.add(end);
      return result;
    });
  }

  async #enqueue<T>(siteId: SiteId, add: (queue: SiteQueue) => Promise<T>): Promise<T> {
    const queue = this.#queues.get(siteId) ?? { exclusive: Promise.resolve(), shared: new Set<Promise<void>>(), tasks: 0 };
    this.#queues.set(siteId, queue);
    queue.tasks++;
    try {
      return await add(queue);
    } finally {
      if (--queue.tasks === 0) this.#queues.delete(siteId);
    }
  }
}

const settled = (task: Promise<unknown>): Promise<void> =>
  task.then(
    () => {},
    () => {},
  );
