/**
 * The engine port on a worker thread, so that queries do not delay ingestion. If the thread dies, or does not end an aborted query
 * in time, a new one starts and the generation grows: callers then reload what they need and retry.
 */
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import {
  EngineClosedError,
  EngineFullError,
  EngineLostError,
  TooManyStepsError,
  TooManyTestsError,
} from "../../../src/runtime/duckdb/engine.ts";
import { reasonOf, type Log } from "../../../src/runtime/base/metrics/log.ts";
import { unlessAborted } from "../../../src/runtime/base/queue.ts";
import { CallingEngine, type EngineCall } from "../../engine-calls.ts";

export type EngineRequest =
  | { readonly id: number; readonly call: EngineCall }
  /** Aborts the call with this id. */
  | { readonly id: number; readonly cancel: true };

export type EngineReply =
  | { readonly ready: true }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } };

/** If an aborted query has not ended by then, the engine counts as hung and is restarted. */
const CANCEL_GRACE_MS = 15_000;

/**
 * Rough number of bytes of a function's code that run before V8 optimizes it. The defaults, 1.8 MB in Node 20 and 13 MB in Node 22 to 26,
 * optimize many functions that only a start runs often: half of the processor time of the first dashboard after it, and 15 MB.
 */
const TIERING_BUDGET_BYTES = 40_000_000;

/** Pause before a restart, so that an engine that cannot start does not spin. Short: queries wait for it before they fail with a 503. */
const RESTART_PAUSE_MS = 250;

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

interface RunningWorker {
  readonly worker: Worker;
  readonly pending: Map<number, Pending>;
  readonly cancelDeadlines: Map<number, NodeJS.Timeout>;
}

interface ThreadedEngineOptions {
  readonly script: string;
  readonly readModule: () => Promise<Uint8Array<ArrayBuffer>>;
  /** The thread starts with the first call, which may never come. It starts at once by default. */
  readonly isOnDemand?: boolean;
  readonly log: Log;
}

/** Errors lose their class between threads. Those of the port get it back. */
const PORT_ERRORS: Readonly<Record<string, new (message: string) => Error>> = {
  EngineLostError,
  EngineFullError,
  TooManyTestsError,
  TooManyStepsError,
};

export class ThreadedEngine extends CallingEngine {
  readonly #options: ThreadedEngineOptions;
  #module: Promise<WebAssembly.Module> | null = null;
  #running: RunningWorker | null = null;
  #started: Promise<RunningWorker> | null = null;
  #generation = 0;
  #calls = 0;
  #closed = false;

  constructor(options: ThreadedEngineOptions) {
    super();
    this.#options = options;
    if (options.isOnDemand !== true) this.#started = this.#start();
  }

  get generation(): number {
    return this.#generation;
  }

  /** The module for every thread. V8 compiles it in the background, while the first thread loads its script. */
  #compiledModule(): Promise<WebAssembly.Module> {
    // V8 reads the flag when it compiles a module.
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET_BYTES}`);
    this.#module ??= this.#options.readModule().then((bytes) => WebAssembly.compile(bytes));
    return this.#module;
  }

  async #sendModule({ worker }: RunningWorker): Promise<void> {
    try {
      worker.postMessage(await this.#compiledModule());
    } catch (error) {
      this.#module = null;
      this.#options.log.error("the engine's module cannot be read and compiled", { reason: reasonOf(error) });
      await worker.terminate();
    }
  }

  #start(): Promise<RunningWorker> {
    const worker = new Worker(this.#options.script, { eval: true });
    const running: RunningWorker = { worker, pending: new Map(), cancelDeadlines: new Map() };
    this.#running = running;
    void this.#sendModule(running);
    const started = new Promise<RunningWorker>((resolve, reject) => {
      running.worker.on("message", (reply: EngineReply) => {
        if ("ready" in reply) resolve(running);
        else this.#settle(running, reply);
      });
      running.worker.on("error", (error) => this.#options.log.error("the engine failed", { reason: reasonOf(error) }));
      running.worker.on("exit", () => {
        reject(this.#exitError("the engine thread exited"));
        this.#onExit(running);
      });
    });
    started.catch(() => {
      // Reported to the callers that await the start. `#onExit` starts the next thread.
    });
    return started;
  }

  #settle({ pending, cancelDeadlines }: RunningWorker, reply: Exclude<EngineReply, { ready: true }>): void {
    clearTimeout(cancelDeadlines.get(reply.id));
    cancelDeadlines.delete(reply.id);
    const call = pending.get(reply.id);
    pending.delete(reply.id);
    if (!call) return;
    if ("result" in reply) call.resolve(reply.result as never);
    else call.reject(new (PORT_ERRORS[reply.error.name] ?? Error)(reply.error.message));
  }

  #exitError(message: string): EngineLostError {
    return this.#closed ? new EngineClosedError("the engine is closed") : new EngineLostError(message);
  }

  #onExit(running: RunningWorker): void {
    for (const timeout of running.cancelDeadlines.values()) clearTimeout(timeout);
    for (const { reject } of running.pending.values()) reject(this.#exitError("the engine thread exited during the call"));
    running.pending.clear();
    if (this.#running !== running) return;
    this.#running = null;
    this.#generation++;
    if (this.#closed) return;
    this.#options.log.warn("the engine thread exited and is restarted; queries reload the events they need");
    this.#started = new Promise<void>((resolve) => setTimeout(resolve, RESTART_PAUSE_MS)).then(() => {
      if (this.#closed) throw new EngineClosedError("the engine is closed");
      return this.#start();
    });
    this.#started.catch(() => {});
  }

  protected async call(call: EngineCall, signal?: AbortSignal): Promise<never> {
    const started = (this.#started ??= this.#start());
    const running = await (signal ? unlessAborted(started, signal) : started);
    if (this.#closed) throw new EngineClosedError("the engine is closed");
    signal?.throwIfAborted();
    return this.#send(running, call, signal);
  }

  #send(running: RunningWorker, call: EngineCall, signal?: AbortSignal): Promise<never> {
    const id = ++this.#calls;
    return new Promise<never>((resolve, reject) => {
      const onAbort = () => this.#cancel(running, id, signal?.reason);
      const settled = () => signal?.removeEventListener("abort", onAbort);
      running.pending.set(id, {
        resolve: (result) => (settled(), resolve(result)),
        reject: (reason) => (settled(), reject(reason)),
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      running.worker.postMessage({ id, call } satisfies EngineRequest);
    });
  }

  /** Rejects the call at once. The engine gets some time to end the query; if it does not, its thread is terminated. */
  #cancel(running: RunningWorker, id: number, reason: unknown): void {
    running.pending.get(id)?.reject(reason);
    running.pending.delete(id);
    running.worker.postMessage({ id, cancel: true } satisfies EngineRequest);
    const timeout = setTimeout(() => {
      this.#options.log.error("the engine did not end an aborted query in time and is restarted");
      void running.worker.terminate();
    }, CANCEL_GRACE_MS);
    running.cancelDeadlines.set(id, timeout.unref());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running?.worker.terminate();
  }
}
