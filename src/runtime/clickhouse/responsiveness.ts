/**
 * Watches whether ClickHouse responds at all. A slow report does not show it, so while reports wait, the server is pinged: all of them end
 * as soon as it does not respond, and further ones are refused until it does.
 */
import {
  CLICKHOUSE_PING_MS_MAX,
  CLICKHOUSE_PING_PAUSE_MS,
  CLICKHOUSE_PINGED_MS_MAX,
  CLICKHOUSE_SLOW_MS,
} from "../base/config/clickhouse-limits.ts";
import { ClickhouseUnreachableError, type ClickhouseConnection } from "./connection.ts";

export interface ResponsivenessOptions {
  readonly connection: Pick<ClickhouseConnection, "responds">;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** The server responds again after it was silent, or after a task did not reach it and nothing was known about the server before. */
  readonly onReturn: () => void;
}

const silent = (): ClickhouseUnreachableError => new ClickhouseUnreachableError("ClickHouse cannot be reached: it does not respond");

export class Responsiveness {
  readonly #options: ResponsivenessOptions;
  /** Controllers of the running tasks. */
  readonly #tasks = new Set<AbortController>();
  #isWatching = false;
  /** The server's state while it is watched. */
  #state: "responding" | "doubtful" | "silent" = "responding";
  /** The server has responded since it was last silent or not watched. */
  #hasResponded = false;
  #lastTaskMs = 0;
  #endPause: () => void = () => {};

  constructor(options: ResponsivenessOptions) {
    this.#options = options;
  }

  /**
   * Runs a task whose signal aborts when the server is silent, with a `ClickhouseUnreachableError`. Rejects with one at once while it is.
   */
  async run<T>(task: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#lastTaskMs = this.#options.monotonicMs();
    if (this.#state === "silent") throw silent();
    const ended = new AbortController();
    const end = () => ended.abort(signal.reason);
    signal.addEventListener("abort", end);
    this.#tasks.add(ended);
    void this.#watch();
    try {
      signal.throwIfAborted();
      const result = await task(ended.signal);
      if (this.#state === "responding") this.#hasResponded = true;
      return result;
    } catch (error) {
      if (error instanceof ClickhouseUnreachableError && this.#state === "responding") this.#doubt();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
      this.#tasks.delete(ended);
    }
  }

  /** A connection may break although the server is well, so that alone refuses nothing. */
  #doubt(): void {
    this.#state = "doubtful";
    this.#endPause();
  }

  /** The only caller of `#ping`, so that pings never overlap and the last result is the latest. */
  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    while (this.#isNeeded()) {
      if (this.#state === "responding") await this.#pause(CLICKHOUSE_SLOW_MS - CLICKHOUSE_PING_PAUSE_MS);
      if (!this.#isNeeded()) break;
      await this.#ping();
      // Not cut short: however many connections break, pings are this far apart.
      await this.#options.wait(CLICKHOUSE_PING_PAUSE_MS);
    }
    this.#state = "responding";
    this.#hasResponded = false;
    this.#isWatching = false;
  }

  /** `#doubt` cuts it short. */
  async #pause(ms: number): Promise<void> {
    const doubted = new Promise<void>((resolve) => (this.#endPause = resolve));
    await Promise.race([this.#options.wait(ms), doubted]);
  }

  #isNeeded(): boolean {
    if (this.#state === "responding") return this.#tasks.size > 0;
    return this.#options.monotonicMs() - this.#lastTaskMs < CLICKHOUSE_PINGED_MS_MAX;
  }

  async #ping(): Promise<void> {
    const { connection, onReturn } = this.#options;
    if (await connection.responds(CLICKHOUSE_PING_MS_MAX)) {
      const hasReturned = this.#state !== "responding" && !this.#hasResponded;
      this.#state = "responding";
      this.#hasResponded = true;
      if (hasReturned) onReturn();
      return;
    }
    this.#state = "silent";
    this.#hasResponded = false;
    for (const task of this.#tasks) task.abort(silent());
  }
}
