/** The schedule of a recurring job: when a run is due, that runs never overlap, the backoff after failures, and the stop. */

/** Driven by the host's tick, about once a second. */
export interface Job {
  /** Begins a run if one is due, and does not wait for it. */
  tick(): void;
  /** Resolves when no run is active. */
  settled(): Promise<void>;
  /** Begins no further runs, and aborts the current one; resolves when it has ended. */
  stop(): Promise<void>;
}

export interface Run {
  /** Aborted when the job is stopped. */
  readonly signal: AbortSignal;
  /** The pause that follows if this run fails, in milliseconds. */
  readonly retryInMs: number;
}

export interface PeriodicJobOptions {
  readonly monotonicMs: () => number;
  readonly isDue: () => boolean;
  /** Returns false if something has to be retried. Must not reject. */
  readonly run: (run: Run) => Promise<boolean>;
  /** The minimum time between the starts of two runs, in milliseconds. */
  readonly pauseMs?: number;
  /** The pause after a failure. It doubles with each failure that follows another, up to `retryMsMax`. */
  readonly retryMs: number;
  readonly retryMsMax?: number;
}

export class PeriodicJob implements Job {
  readonly #options: PeriodicJobOptions;
  readonly #stopping = new AbortController();
  #running: Promise<boolean> | null = null;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  /** Failures since the last successful run. */
  #failures = 0;

  constructor(options: PeriodicJobOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** True if the last run has failed and the pause after it is not over. */
  get isBackingOff(): boolean {
    return this.#failures > 0 && !this.#running && this.#options.monotonicMs() < this.#notBeforeMs;
  }

  /** Called when the cause of failed runs is gone. */
  endBackoff(): void {
    if (!this.isBackingOff) return;
    this.#failures = 0;
    this.#notBeforeMs = Number.NEGATIVE_INFINITY;
  }

  tick(): void {
    const { isDue, monotonicMs } = this.#options;
    if (this.#running || this.#stopping.signal.aborted || !isDue()) return;
    if (monotonicMs() >= this.#notBeforeMs) void this.run();
  }

  /** Runs now, due or not, or waits for the current run; returns whether it succeeded. */
  run(): Promise<boolean> {
    this.#running ??= this.#attempt().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #attempt(): Promise<boolean> {
    const { monotonicMs, run, pauseMs = 0, retryMs, retryMsMax = retryMs } = this.#options;
    this.#notBeforeMs = monotonicMs() + pauseMs;
    const retryInMs = Math.min(retryMsMax, retryMs * 2 ** this.#failures);
    const succeeded = await run({ signal: this.#stopping.signal, retryInMs });
    this.#failures = succeeded ? 0 : this.#failures + 1;
    if (!succeeded) this.#notBeforeMs = monotonicMs() + retryInMs;
    return succeeded;
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.settled();
  }
}
