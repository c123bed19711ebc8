/**
 * The query engine in worker threads, so that queries do not delay ingestion and use all cores: the main thread's end of one life. It ends
 * with any of its threads, and when an aborted query does not end in time.
 */
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { DIVIDED_BYTES_MIN } from "../../../src/runtime/base/config/limits.ts";
import { type Log, reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { EngineClosedError, EngineLostError } from "../../../src/runtime/duckdb/engine.ts";
import type { EngineParts } from "../../../src/runtime/engine/duckdb-queries.ts";
import { EventFeed } from "../../../src/runtime/engine/event-feed.ts";
import { homeOf, type Thread } from "../../../src/runtime/duckdb/shares.ts";
import { RestartingEngine } from "../../../src/runtime/engine/restarting-engine.ts";
import type { Waiter } from "../../../src/runtime/query/progress.ts";
import type { Asker } from "../../../src/runtime/query/scope.ts";
import { type Change, type EngineState, type QueryEngine, UNSTARTED } from "../../../src/runtime/query/query-engine.ts";
import type { SiteId } from "../../../src/storage/event.ts";
import { LruMap } from "../../../src/storage/lru-map.ts";
import { CallPort } from "./call-port.ts";
import { type EngineThreadData, errorOf, type Failure, type FromThread, type ThreadCall, type ToThread } from "./engine-messages.ts";

/**
 * Rough number of bytes of a function's code that run before V8 optimizes it. The defaults, 1.8 MB in Node 20 and 13 MB in Node 22 to 26,
 * optimize many functions that only a start runs often: half of the processor time of the first dashboard after it, and 15 MB.
 */
const TIERING_BUDGET_BYTES = 40_000_000;

/** Sites whose thread is remembered. */
const HOMES_MAX = 10_000;

interface EngineThreadOptions extends EngineParts {
  readonly script: string;
  readonly dataFolder: string;
  readonly module: Promise<WebAssembly.Module>;
  readonly thread: Thread;
  readonly onWantedPeer: (peer: number) => void;
  readonly onExit: () => void;
  readonly log: Log;
}

const dataOf = ({ isGuest, isRepeated }: Asker): Omit<Asker, keyof Waiter> => ({ isGuest, ...(isRepeated && { isRepeated }) });

class EngineThread {
  readonly #options: EngineThreadOptions;
  readonly #worker: Worker;
  readonly #feed: EventFeed;
  readonly #calls: CallPort<ThreadCall, Failure>;
  #isClosed = false;
  state = UNSTARTED;

  constructor(options: EngineThreadOptions) {
    const { script, dataFolder, config, thread, eventStore, module, log } = options;
    this.#options = options;
    this.#worker = new Worker(script, { eval: true, workerData: { dataFolder, config, thread } satisfies EngineThreadData });
    this.#feed = new EventFeed(eventStore, (reply) => this.post(reply));
    this.#calls = new CallPort({ post: (message) => this.post(message), errorOf, onHung: () => this.#onHung() });
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
    this.#worker.on("error", (error) => log.error("the engine failed", { reason: reasonOf(error) }));
    this.#worker.on("exit", () => this.#onExit());
    module.then(
      (compiled) => this.post({ module: compiled }),
      (error: unknown) => {
        log.error("the engine's module cannot be read and compiled", { reason: reasonOf(error) });
        void this.#worker.terminate();
      },
    );
  }

  get isIdle(): boolean {
    return this.#calls.waiting === 0;
  }

  post(message: ToThread, transferred: readonly MessagePort[] = []): void {
    this.#worker.postMessage(message, transferred);
  }

  #receive(message: FromThread): void {
    const { leftOutFiles, onUnreadableRollup, onWantedPeer, log } = this.#options;
    if ("id" in message) this.#calls.receive(message);
    else if ("snapshot" in message) void this.#feed.open(message);
    else if ("closed" in message) this.#feed.close(message.closed);
    else if ("state" in message) this.state = message.state;
    else if ("wantedPeer" in message) onWantedPeer(message.wantedPeer);
    else if ("log" in message) log[message.log](message.message, message.fields);
    else if ("file" in message) leftOutFiles[message.isLeftOut ? "note" : "forget"](message.file);
    else onUnreadableRollup(message.unreadableRollupOf);
  }

  #onHung(): void {
    this.#options.log.error("the engine did not end an aborted query in time and is restarted");
    void this.#worker.terminate();
  }

  #onExit(): void {
    this.state = UNSTARTED;
    this.#feed.end();
    this.#calls.end(this.#isClosed ? new EngineClosedError("the engine is closed") : new EngineLostError("the engine's thread has ended"));
    this.#options.onExit();
  }

  execute(query: Parameters<QueryEngine["execute"]>[0], asker: Asker): Promise<string> {
    return this.#calls.call({ method: "execute", query, asker: dataOf(asker) }, asker);
  }

  async export(query: Parameters<QueryEngine["export"]>[0], asker: Asker): Promise<AsyncIterator<Uint8Array, undefined>> {
    const number: number = await this.#calls.call({ method: "export", query, asker: dataOf(asker) }, asker);
    return {
      next: async () => {
        const value: Uint8Array | null = await this.#calls.call({ method: "next", export: number });
        return value ? { value } : { done: true, value: undefined };
      },
      return: async () => {
        // Its memory has gone with the thread.
        await this.#calls.call({ method: "return", export: number }).catch(() => {});
        return { done: true, value: undefined };
      },
    };
  }

  health(signal: AbortSignal): Promise<EngineState> {
    return this.#calls.call({ method: "health" }, { signal });
  }

  async changed(all: Change): Promise<void> {
    const change = this.#feed.changeOf(all);
    if (change) await this.#calls.call({ method: "changed", change }).catch(() => {});
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
  readonly threads: number;
  /** `DIVIDED_BYTES_MIN` by default. */
  readonly dividedBytesMin?: number;
  readonly log: Log;
}

/** The threads of one life: each is started when it is first needed. */
class EngineThreads implements QueryEngine {
  readonly isWanted = true;
  readonly #options: Omit<EngineThreadOptions, "thread" | "onExit" | "onWantedPeer">;
  readonly #shares: Omit<Thread, "number">;
  readonly #threads = new Map<number, EngineThread>();
  /** The number of the thread that answers for each site. */
  readonly #homes = new LruMap<SiteId, number>({ max: HOMES_MAX });
  #hasEnded = false;

  constructor(options: Omit<EngineThreadOptions, "thread" | "onExit" | "onWantedPeer">, shares: Omit<Thread, "number">) {
    this.#options = options;
    this.#shares = shares;
  }

  #thread(number: number): EngineThread {
    if (this.#hasEnded) throw new EngineLostError("a thread of the engine has ended");
    const known = this.#threads.get(number);
    if (known) return known;
    const thread = new EngineThread({
      ...this.#options,
      thread: { ...this.#shares, number },
      onWantedPeer: (peer) => this.#connect(number, peer),
      onExit: () => this.#end(),
    });
    this.#threads.set(number, thread);
    return thread;
  }

  /** The thread that answers for a site. A thread more is started only while all others are busy. */
  #home(siteId: SiteId): EngineThread {
    const known = this.#homes.get(siteId);
    if (known !== undefined) return this.#thread(known);
    const numbers = Array.from({ length: this.#shares.count }, (_, number) => number);
    const isIdle = (number: number) => this.#threads.get(number)?.isIdle === true;
    const home = numbers.find(isIdle) ?? numbers.find((number) => !this.#threads.has(number)) ?? homeOf(siteId, this.#shares.count);
    this.#homes.set(siteId, home);
    return this.#thread(home);
  }

  #connect(one: number, other: number): void {
    if (this.#hasEnded) return;
    const { port1, port2 } = new MessageChannel();
    this.#thread(one).post({ peer: other, port: port1 }, [port1]);
    this.#thread(other).post({ peer: one, port: port2 }, [port2]);
  }

  /** What one thread holds is worth nothing without the others. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const thread of this.#threads.values()) void thread.close();
  }

  get state(): EngineState {
    const states = Array.from(this.#threads.values(), ({ state }) => state);
    return {
      memoryBytes: states.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
      cachedDays: states.reduce((sum, { cachedDays }) => sum + cachedDays, 0),
      threads: states.length,
      hasExtension: states.find(({ hasExtension }) => hasExtension !== null)?.hasExtension ?? null,
    };
  }

  execute: QueryEngine["execute"] = async (query, asker) => this.#home(query.scope.siteId).execute(query, asker);
  /** All on one thread, because exports share one memory. */
  export: QueryEngine["export"] = async (query, asker) => this.#thread(0).export(query, asker);

  async health(signal: AbortSignal): Promise<EngineState> {
    await this.#thread(0).health(signal);
    return this.state;
  }

  async changed(change: Change): Promise<void> {
    await Promise.all(Array.from(this.#threads.values(), (thread) => thread.changed(change)));
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(Array.from(this.#threads.values(), (thread) => thread.close()));
  }
}

/** The query engine of an instance. */
export function createThreadedEngine(
  { readModule, threads: count, dividedBytesMin = DIVIDED_BYTES_MIN, ...options }: ThreadedEngineOptions,
  parts: EngineParts,
): QueryEngine {
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
    start: async () => new EngineThreads({ ...options, ...parts, module: compiled() }, { count, dividedBytesMin }),
    wait,
    log: options.log,
  });
}
