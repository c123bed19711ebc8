/**
 * The query engine in a worker thread, so that queries do not delay ingestion: the main thread's end of one life. It ends with the thread,
 * or when an aborted query does not end in time.
 */
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { AppError } from "../../../src/runtime/base/errors.ts";
import { type Log, type LogFields, reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { EngineClosedError, EngineLostError } from "../../../src/runtime/duckdb/engine.ts";
import type { EngineConfig, EngineParts } from "../../../src/runtime/engine/duckdb-queries.ts";
import { EventFeed, type SnapshotReply, type SnapshotRequest } from "../../../src/runtime/engine/event-feed.ts";
import { RestartingEngine } from "../../../src/runtime/engine/restarting-engine.ts";
import type { Asker } from "../../../src/runtime/query/plan.ts";
import { type Change, type EngineState, type QueryEngine, UNSTARTED } from "../../../src/runtime/query/query-engine.ts";
import type { SiteId } from "../../../src/storage/event.ts";

/** The `workerData` of the thread. */
export interface EngineThreadData {
  readonly dataFolder: string;
  readonly config: EngineConfig;
}

/** A call of the port without its signal. An export is read, chunk by chunk, by `next`. */
export type ThreadCall =
  | { readonly method: "execute" | "export"; readonly query: Parameters<QueryEngine["execute"]>[0]; readonly asker: Omit<Asker, "signal"> }
  | { readonly method: "load"; readonly siteId: SiteId; readonly range: Parameters<QueryEngine["load"]>[1] }
  | { readonly method: "health" }
  | { readonly method: "changed"; readonly change: Change }
  | { readonly method: "next" | "return"; readonly export: number };

export type ToThread =
  | { readonly id: number; readonly call: ThreadCall }
  /** Aborts the call with this id. */
  | { readonly cancelled: number }
  | { readonly module: WebAssembly.Module }
  | SnapshotReply;

interface ThreadError {
  readonly message: string;
  /** Of an `AppError`. */
  readonly failure?: AppError["failure"];
  readonly isLost: boolean;
}

export type FromThread =
  | { readonly id: number; readonly result: unknown; readonly state: EngineState }
  | { readonly id: number; readonly error: ThreadError }
  | SnapshotRequest
  /** The thread does not need the snapshot any more. */
  | { readonly closed: number }
  | { readonly log: keyof Log; readonly message: string; readonly fields: LogFields | undefined }
  | { readonly file: string; readonly isLeftOut: boolean }
  | { readonly unreadableRollupOf: SiteId };

/** If an aborted query has not ended by then, the thread counts as hung and is ended. */
const CANCEL_GRACE_MS = 15_000;

/**
 * Rough number of bytes of a function's code that run before V8 optimizes it. The defaults, 1.8 MB in Node 20 and 13 MB in Node 22 to 26,
 * optimize many functions that only a start runs often: half of the processor time of the first dashboard after it, and 15 MB.
 */
const TIERING_BUDGET_BYTES = 40_000_000;

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

const errorOf = ({ message, failure, isLost }: ThreadError): Error => {
  if (failure) return new AppError(failure, message);
  return isLost ? new EngineLostError(message) : new Error(message);
};

interface EngineThreadOptions extends EngineParts {
  readonly script: string;
  readonly dataFolder: string;
  readonly module: Promise<WebAssembly.Module>;
  readonly log: Log;
}

class EngineThread implements QueryEngine {
  readonly #options: EngineThreadOptions;
  readonly #worker: Worker;
  readonly #feed: EventFeed;
  readonly #pending = new Map<number, Pending>();
  readonly #cancelDeadlines = new Map<number, NodeJS.Timeout>();
  #calls = 0;
  #state = UNSTARTED;
  /** Set once the thread has ended. */
  #end: EngineLostError | null = null;
  #isClosed = false;

  constructor(options: EngineThreadOptions) {
    const { script, dataFolder, config, eventStore, module, log } = options;
    this.#options = options;
    this.#worker = new Worker(script, { eval: true, workerData: { dataFolder, config } satisfies EngineThreadData });
    this.#feed = new EventFeed(eventStore, (reply) => this.#post(reply));
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
    this.#worker.on("error", (error) => log.error("the engine failed", { reason: reasonOf(error) }));
    this.#worker.on("exit", () => this.#onExit());
    module.then(
      (compiled) => this.#post({ module: compiled }),
      (error: unknown) => {
        log.error("the engine's module cannot be read and compiled", { reason: reasonOf(error) });
        void this.#worker.terminate();
      },
    );
  }

  get state(): EngineState {
    return this.#state;
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    const { leftOutFiles, onUnreadableRollup, log } = this.#options;
    if ("id" in message) this.#settle(message);
    else if ("snapshot" in message) void this.#feed.open(message);
    else if ("closed" in message) this.#feed.close(message.closed);
    else if ("log" in message) log[message.log](message.message, message.fields);
    else if ("file" in message) leftOutFiles[message.isLeftOut ? "note" : "forget"](message.file);
    else onUnreadableRollup(message.unreadableRollupOf);
  }

  #settle(reply: Extract<FromThread, { readonly id: number }>): void {
    clearTimeout(this.#cancelDeadlines.get(reply.id));
    this.#cancelDeadlines.delete(reply.id);
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ("result" in reply) {
      this.#state = reply.state;
      pending?.resolve(reply.result as never);
    } else pending?.reject(errorOf(reply.error));
  }

  #onExit(): void {
    this.#end = this.#isClosed ? new EngineClosedError("the engine is closed") : new EngineLostError("the engine's thread has ended");
    this.#state = UNSTARTED;
    this.#feed.end();
    for (const timeout of this.#cancelDeadlines.values()) clearTimeout(timeout);
    for (const { reject } of this.#pending.values()) reject(this.#end);
    this.#pending.clear();
  }

  #call(call: ThreadCall, signal?: AbortSignal): Promise<never> {
    if (this.#end) return Promise.reject(this.#end);
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const id = ++this.#calls;
    return new Promise<never>((resolve, reject) => {
      const onAbort = () => this.#cancel(id, signal?.reason);
      const settled = () => signal?.removeEventListener("abort", onAbort);
      this.#pending.set(id, {
        resolve: (result) => (settled(), resolve(result)),
        reject: (reason) => (settled(), reject(reason)),
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#post({ id, call });
    });
  }

  /** Rejects the call at once. The thread gets some time to end the query; if it does not, it is ended. */
  #cancel(id: number, reason: unknown): void {
    this.#pending.get(id)?.reject(reason);
    this.#pending.delete(id);
    this.#post({ cancelled: id });
    const timeout = setTimeout(() => {
      this.#options.log.error("the engine did not end an aborted query in time and is restarted");
      void this.#worker.terminate();
    }, CANCEL_GRACE_MS);
    this.#cancelDeadlines.set(id, timeout.unref());
  }

  execute(query: Parameters<QueryEngine["execute"]>[0], { signal, ...asker }: Asker): Promise<string> {
    return this.#call({ method: "execute", query, asker }, signal);
  }

  async export(query: Parameters<QueryEngine["export"]>[0], { signal, ...asker }: Asker): Promise<AsyncIterator<Uint8Array, undefined>> {
    const number: number = await this.#call({ method: "export", query, asker }, signal);
    return {
      next: async () => {
        const value: Uint8Array | null = await this.#call({ method: "next", export: number });
        return value ? { value } : { done: true, value: undefined };
      },
      return: async () => {
        // Its memory has gone with the thread.
        await this.#call({ method: "return", export: number }).catch(() => {});
        return { done: true, value: undefined };
      },
    };
  }

  load(siteId: SiteId, range: Parameters<QueryEngine["load"]>[1], signal: AbortSignal): Promise<void> {
    return this.#call({ method: "load", siteId, range }, signal);
  }

  health(signal: AbortSignal): Promise<EngineState> {
    return this.#call({ method: "health" }, signal);
  }

  async changed(all: Change): Promise<void> {
    const change = this.#feed.changeOf(all);
    if (change) await this.#call({ method: "changed", change }).catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.terminate();
  }
}

interface ThreadedEngineOptions {
  readonly script: string;
  readonly readModule: () => Promise<Uint8Array<ArrayBuffer>>;
  readonly dataFolder: string;
  readonly log: Log;
}

/** The query engine of an instance. */
export function createThreadedEngine({ readModule, ...options }: ThreadedEngineOptions, parts: EngineParts): QueryEngine {
  let module: Promise<WebAssembly.Module> | null = null;
  /** V8 compiles it in the background, while the thread loads its script. */
  function compiled(): Promise<WebAssembly.Module> {
    // V8 reads the flag when it compiles a module.
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET_BYTES}`);
    module ??= readModule().then((bytes) => WebAssembly.compile(bytes));
    module.catch(() => (module = null));
    return module;
  }
  return new RestartingEngine({
    start: async () => new EngineThread({ ...options, ...parts, module: compiled() }),
    wait,
    log: options.log,
  });
}
