/** What happens again and again because time passes: when a run may begin, that only one is under way, the pause after a failure, and the end. */

/** What the host's tick drives, about once a second. */
export interface Job {
  /** Begins what is due and does not wait for it. */
  tick(): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
  /** Begins nothing more; resolves when what is under way has ended, which it is to do soon. */
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
  /** Whether there is something to do. */
  readonly isDue: () => boolean;
  /** False when something is left that is to be tried again. Must not reject. */
  readonly run: (run: Run) => Promise<boolean>;
  /** From the beginning of one run to that of the next at least. */
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
  /** Since the last run that succeeded. */
  #failures = 0;

  constructor(options: PeriodicJobOptions) {
    this.#options = options;
  }

  tick(): void {
    const { isDue, monotonicMs } = this.#options;
    if (this.#running || this.#stopping.signal.aborted || !isDue()) return;
    if (monotonicMs() >= this.#notBeforeMs) void this.run();
  }

  /** Runs now, due or not, or waits for the run that is under way; whether it succeeded. */
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
