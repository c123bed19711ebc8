/** The request timeout: the request gets a 408, and its work is aborted (docs/http-api.md, "Limits"). */
import { AppError } from "../runtime/base/errors.ts";

const timedOut = (reason: string): AppError => new AppError({ code: "request_timeout" }, reason);

/** The time limit of one request. */
export class Deadline {
  readonly #limitSecs: number;
  readonly #atMs: number;
  #controller: AbortController | null = null;
  #onExpiry: ((error: AppError) => void) | null = null;

  /** `beganMs` by the monotonic clock. */
  constructor(beganMs: number, limitSecs: number) {
    this.#limitSecs = limitSecs;
    this.#atMs = beganMs + limitSecs * 1000;
  }

  isPast(monotonicMs: number): boolean {
    return this.#atMs <= monotonicMs;
  }

  /** For a request of which much time has passed before it came here. */
  throwIfPast(monotonicMs: number): void {
    if (this.isPast(monotonicMs)) throw this.#error();
  }

  /** Aborts when the limit passes. Created on demand: an event that is accepted at once needs none. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** The outcome of the work, or a rejection if the timeout comes first or has already passed. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#controller?.signal.aborted) reject(this.#controller.signal.reason);
      this.#onExpiry = reject;
      work.then(resolve, reject);
    });
  }

  expire(): void {
    this.#end(this.#error());
  }

  #error(): AppError {
    return timedOut(`The request exceeded the limit of ${this.#limitSecs} seconds`);
  }

  /** Also aborts the work when the client disconnects, because nobody would read its result. */
  followClient(client: AbortSignal): void {
    const end = () => this.#end(timedOut("The client has gone away"));
    if (client.aborted) end();
    else client.addEventListener("abort", end, { once: true });
  }

  #end(error: AppError): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(error);
    this.#onExpiry?.(error);
  }
}

/** All running requests. The host calls `expire` about once a second, because `src` sets no timers. */
export class Deadlines {
  readonly #limitSecs: number;
  /** In order of expiry, since all limits are equal. */
  readonly #running = new Set<Deadline>();

  constructor(limitSecs: number) {
    this.#limitSecs = limitSecs;
  }

  /** `monotonicMs` is when the request began. */
  begin(monotonicMs: number): Deadline {
    const deadline = new Deadline(monotonicMs, this.#limitSecs);
    this.#running.add(deadline);
    return deadline;
  }

  end(deadline: Deadline): void {
    this.#running.delete(deadline);
  }

  /** Ends every request that has timed out. */
  expire(monotonicMs: number): void {
    for (const deadline of this.#running) {
      if (!deadline.isPast(monotonicMs)) return;
      this.#running.delete(deadline);
      deadline.expire();
    }
  }
}
