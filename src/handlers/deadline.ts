/** No request outlives the server's time limit: it is answered 408 and what it started is aborted (contract 8). */
import { AppError } from "../runtime/errors.ts";
import type { EpochMs } from "../storage/event.ts";

/** The time limit of one request. */
export class Deadline {
  readonly #limitSecs: number;
  #atMs: EpochMs;
  #controller: AbortController | null = null;
  #onExpiry: ((error: AppError) => void) | null = null;

  constructor(nowMs: EpochMs, limitSecs: number) {
    this.#limitSecs = limitSecs;
    this.#atMs = nowMs + limitSecs * 1000;
  }

  isPast(nowMs: EpochMs): boolean {
    return this.#atMs <= nowMs;
  }

  /** A clock that was set back puts it off no further than the limit. */
  followClockBack(nowMs: EpochMs): void {
    this.#atMs = Math.min(this.#atMs, nowMs + this.#limitSecs * 1000);
  }

  /** Aborts when the limit passes. Made on demand: an event that is accepted at once needs none. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** The work's outcome, or the timeout if that comes first, which it may have done already. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#controller?.signal.aborted) reject(this.#controller.signal.reason);
      this.#onExpiry = reject;
      work.then(resolve, reject);
    });
  }

  expire(): void {
    this.#end(`The request exceeded the limit of ${this.#limitSecs} seconds`);
  }

  /** Ends the work also when the client goes away: nobody would read its outcome. */
  followClient(client: AbortSignal): void {
    const end = () => this.#end("The client has gone away");
    if (client.aborted) end();
    else client.addEventListener("abort", end, { once: true });
  }

  #end(reason: string): void {
    const error = new AppError({ code: "request_timeout" }, reason);
    this.#controller ??= new AbortController();
    this.#controller.abort(error);
    this.#onExpiry?.(error);
  }
}

/** All requests under way. The host's clock ticks it, once a second or so: `src` sets no timers. */
export class Deadlines {
  readonly #limitSecs: number;
  /** In order of their end, since all limits are equally long. */
  readonly #underWay = new Set<Deadline>();
  #lastMs: EpochMs = 0;

  constructor(limitSecs: number) {
    this.#limitSecs = limitSecs;
  }

  begin(nowMs: EpochMs): Deadline {
    this.#follow(nowMs);
    const deadline = new Deadline(nowMs, this.#limitSecs);
    this.#underWay.add(deadline);
    return deadline;
  }

  end(deadline: Deadline): void {
    this.#underWay.delete(deadline);
  }

  /** Ends every request whose time is up. */
  expire(nowMs: EpochMs): void {
    this.#follow(nowMs);
    for (const deadline of this.#underWay) {
      if (!deadline.isPast(nowMs)) return;
      this.#underWay.delete(deadline);
      deadline.expire();
    }
  }

  #follow(nowMs: EpochMs): void {
    if (nowMs < this.#lastMs) for (const deadline of this.#underWay) deadline.followClockBack(nowMs);
    this.#lastMs = nowMs;
  }

  /** Requests under way. */
  get count(): number {
    return this.#underWay.size;
  }
}
