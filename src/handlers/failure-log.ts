/**
 * The log of failed requests. While something that the service depends on is down, such as ClickHouse, every request fails for the same
 * reason: the first one is a line, and further ones are counted in one line a minute.
 */
import { FAILURE_REASONS_MAX, FAILURE_REPEATED_MS } from "../runtime/base/config/limits.ts";
import { reasonOf, type Log } from "../runtime/base/metrics/log.ts";

interface Repeated {
  loggedMs: number;
  /** Requests that failed since. */
  count: number;
}

export class FailureLog {
  readonly #log: Log;
  readonly #monotonicMs: () => number;
  /** Keyed by reason, oldest first. */
  readonly #repeated = new Map<string, Repeated>();

  constructor(log: Log, monotonicMs: () => number) {
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  /** One request failed, for a reason of its own. */
  failed(error: unknown, requestId: string): void {
    this.#log.error("a request failed", { requestId, reason: reasonOf(error) });
  }

  /** One of many requests that may fail for this reason. */
  refused(cause: unknown, requestId: string): void {
    const reason = reasonOf(cause);
    const known = this.#repeated.get(reason);
    if (known) {
      known.count++;
      return;
    }
    this.failed(cause, requestId);
    const [oldest] = this.#repeated;
    if (oldest && this.#repeated.size >= FAILURE_REASONS_MAX) this.#end(...oldest);
    this.#repeated.set(reason, { loggedMs: this.#monotonicMs(), count: 0 });
  }

  /** Writes the lines that are due. */
  tick(): void {
    const nowMs = this.#monotonicMs();
    for (const [reason, repeated] of this.#repeated) {
      if (nowMs - repeated.loggedMs < FAILURE_REPEATED_MS) continue;
      const { count } = repeated;
      this.#end(reason, repeated);
      if (count > 0) this.#repeated.set(reason, { loggedMs: nowMs, count: 0 });
    }
  }

  #end(reason: string, { count }: Repeated): void {
    this.#repeated.delete(reason);
    if (count > 0) this.#log.error("requests failed", { requests: count, reason });
  }
}
