/**
 * Calls over a message port, in both directions: an abort ends a call at once for its caller, and soon for the other side. Until it is
 * settled, a call may tell its progress.
 */
import type { DaysRead, Waiter } from "../../../src/runtime/query/progress.ts";

export type CallMessage<Call> =
  | { readonly id: number; readonly call: Call }
  /** Aborts the call with this id. */
  | { readonly cancelled: number };

export type ReplyMessage<Failure> = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly error: Failure }
  | { readonly progress: DaysRead }
);

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
  readonly onProgress: Waiter["onProgress"];
}

interface CallPortOptions<Call, Failure> {
  readonly post: (message: CallMessage<Call>) => void;
  readonly errorOf: (failure: Failure) => Error;
  /** Called if the other side does not end an aborted call in time. */
  readonly onHung?: () => void;
}

/** If an aborted call has not ended by then, the other side counts as hung. */
const CANCEL_GRACE_MS = 15_000;

interface CallServerOptions<Call, Failure> {
  readonly run: (call: Call, by: Required<Waiter>) => Promise<unknown>;
  readonly reply: (message: ReplyMessage<Failure>, transferred: readonly ArrayBuffer[]) => void;
  readonly failureOf: (error: unknown) => Failure;
}

/** Bytes are transferred instead of copied. */
const transferablesOf = (result: unknown): readonly ArrayBuffer[] => (result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : []);

export class CallPort<Call, Failure> {
  readonly #options: CallPortOptions<Call, Failure>;
  readonly #pending = new Map<number, Pending>();
  readonly #cancelDeadlines = new Map<number, NodeJS.Timeout>();
  #calls = 0;
  /** Set once the other side has ended. */
  #end: Error | null = null;

  constructor(options: CallPortOptions<Call, Failure>) {
    this.#options = options;
  }

  /** Calls that wait for their reply. */
  get waiting(): number {
    return this.#pending.size;
  }

  call(call: Call, { signal, onProgress }: Partial<Waiter> = {}): Promise<never> {
    if (this.#end) return Promise.reject(this.#end);
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const id = ++this.#calls;
    return new Promise<never>((resolve, reject) => {
      const onAbort = () => this.#cancel(id, signal?.reason);
      const settled = () => signal?.removeEventListener("abort", onAbort);
      this.#pending.set(id, {
        resolve: (result) => (settled(), resolve(result)),
        reject: (reason) => (settled(), reject(reason)),
        onProgress,
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#options.post({ id, call });
    });
  }

  /** Rejects the call at once. The other side gets some time to end it. */
  #cancel(id: number, reason: unknown): void {
    this.#pending.get(id)?.reject(reason);
    this.#pending.delete(id);
    this.#options.post({ cancelled: id });
    this.#cancelDeadlines.set(id, setTimeout(() => this.#options.onHung?.(), CANCEL_GRACE_MS).unref());
  }

  receive(reply: ReplyMessage<Failure>): void {
    if ("progress" in reply) this.#pending.get(reply.id)?.onProgress?.(reply.progress);
    else this.#settle(reply);
  }

  #settle(reply: Exclude<ReplyMessage<Failure>, { readonly progress: DaysRead }>): void {
    clearTimeout(this.#cancelDeadlines.get(reply.id));
    this.#cancelDeadlines.delete(reply.id);
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ("result" in reply) pending?.resolve(reply.result as never);
    else pending?.reject(this.#options.errorOf(reply.error));
  }

  /** The other side has ended: pending and later calls reject. */
  end(error: Error): void {
    this.#end = error;
    for (const timeout of this.#cancelDeadlines.values()) clearTimeout(timeout);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

/** Answers the calls that arrive at a port. */
export class CallServer<Call, Failure> {
  readonly #options: CallServerOptions<Call, Failure>;
  readonly #running = new Map<number, AbortController>();

  constructor(options: CallServerOptions<Call, Failure>) {
    this.#options = options;
  }

  async receive(message: CallMessage<Call>): Promise<void> {
    if ("cancelled" in message) {
      this.#running.get(message.cancelled)?.abort();
      return;
    }
    const { id, call } = message;
    const { run, reply, failureOf } = this.#options;
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const onProgress = (progress: DaysRead) => reply({ id, progress }, []);
      const result = await run(call, { signal: controller.signal, onProgress });
      reply({ id, result }, transferablesOf(result));
    } catch (error) {
      reply({ id, error: failureOf(error) }, []);
    } finally {
      this.#running.delete(id);
    }
  }
}
