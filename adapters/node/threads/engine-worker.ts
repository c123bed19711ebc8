/** Entry point of the engine's thread. The database opens with the first query that needs it. */
import { setTimeout as wait } from "node:timers/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { ROLLUP_CACHE } from "../../../src/runtime/base/config/report-limits.ts";
import type { Log, LogFields } from "../../../src/runtime/base/metrics/log.ts";
import type { Columns } from "../../../src/storage/columns.ts";
import type { SharedRows } from "../../../src/runtime/duckdb/shares.ts";
import { CallingEngine, type EngineCall, OnDemandEngine, runCall } from "../../../src/runtime/duckdb/on-demand-engine.ts";
import { createInlineRollupCalculator } from "../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { exportMemoryOf, openDuckdbQueries } from "../../../src/runtime/engine/duckdb-queries.ts";
import type { PlannedEngine } from "../../../src/runtime/engine/planned-engine.ts";
import { FedEvents } from "../../../src/runtime/engine/event-feed.ts";
import type { Waiter } from "../../../src/runtime/query/progress.ts";
import type { QueryEngine } from "../../../src/runtime/query/query-engine.ts";
import { createFileObjectStore } from "../files/file-stores.ts";
import { type CallMessage, CallPort, CallServer, type ReplyMessage } from "./call-port.ts";
import type { DatabaseThreadData } from "./database-thread.ts";
import { createDuckdbEngine } from "./duckdb-instance.ts";
import {
  errorOf,
  type EngineThreadData,
  type Failure,
  failureOf,
  type FromThread,
  type ThreadCall,
  type ToThread,
} from "./engine-messages.ts";
import { lowerPriority, servePort } from "./port-thread.ts";

const main = parentPort;
if (!main) throw new Error("engine-worker must run in a worker thread");

lowerPriority("query");

function serveDatabase({ database }: DatabaseThreadData): void {
  const engine = new OnDemandEngine(() => createDuckdbEngine(database));
  const { signal } = new AbortController();
  const served = new (class extends CallingEngine {
    protected call = (call: EngineCall) => runCall(engine, call, signal) as Promise<never>;
    close = () => engine.close();
  })();
  servePort(served, "query");
}

/** The ways to the other threads, which divide the days of large ranges. */
class Peers {
  readonly #want: (peer: number) => void;
  readonly #rowsOf: (rows: SharedRows, by: Waiter) => Promise<unknown>;
  readonly #ports = new Map<number, CallPort<SharedRows, Failure>>();
  readonly #waiting = new Map<number, (() => void)[]>();

  constructor(want: (peer: number) => void, rowsOf: (rows: SharedRows, by: Waiter) => Promise<unknown>) {
    this.#want = want;
    this.#rowsOf = rowsOf;
  }

  /** Calls go both ways. */
  add(peer: number, port: MessagePort): void {
    const calls = new CallPort<SharedRows, Failure>({ post: (message) => port.postMessage(message), errorOf });
    const server = new CallServer<SharedRows, Failure>({ run: this.#rowsOf, reply: (message) => port.postMessage(message), failureOf });
    port.on("message", (message: CallMessage<SharedRows> | ReplyMessage<Failure>) => {
      if ("call" in message || "cancelled" in message) void server.receive(message);
      else calls.receive(message);
    });
    this.#ports.set(peer, calls);
    for (const resolve of this.#waiting.get(peer) ?? []) resolve();
    this.#waiting.delete(peer);
  }

  async rowsOf(peer: number, rows: SharedRows, by: Waiter): Promise<readonly Columns[]> {
    if (!this.#ports.has(peer)) await this.#connected(peer);
    const port = this.#ports.get(peer);
    if (!port) throw new Error(`thread ${peer} is not connected`);
    return port.call(rows, by);
  }

  #connected(peer: number): Promise<void> {
    const waiting = this.#waiting.get(peer);
    if (!waiting) this.#want(peer);
    return new Promise((resolve) => this.#waiting.set(peer, [...(waiting ?? []), resolve]));
  }
}

/** The port's calls arrive as messages. */
function serveQueries({ dataFolder, config, thread }: EngineThreadData): void {
  const send = (message: FromThread, transferred: readonly ArrayBuffer[] = []) => main?.postMessage(message, transferred);

  const logAt = (level: keyof Log) => (message: string, fields?: LogFields) => send({ log: level, message, fields });
  const log: Log = { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") };

  let setModule: (module: WebAssembly.Module) => void = () => {};
  const module = new Promise<WebAssembly.Module>((resolve) => (setModule = resolve));

  const objects = createFileObjectStore(dataFolder);
  const events = new FedEvents(objects, send);
  async function reporting<Result>(task: (engine: PlannedEngine) => Promise<Result>): Promise<Result> {
    const engine = await queries;
    try {
      return await task(engine);
    } finally {
      send({ state: engine.state });
    }
  }

  const peers = new Peers(
    (peer) => send({ wantedPeer: peer }),
    (rows, by) => reporting((engine) => engine.rowsOf(rows, by)),
  );
  const queries: Promise<PlannedEngine> = openDuckdbQueries({
    ...{ config, objects, log, wait, now: Date.now, eventStore: events },
    engine: new OnDemandEngine(async () => createDuckdbEngine(await module)),
    calculator: createInlineRollupCalculator(objects, ROLLUP_CACHE),
    leftOutFiles: {
      note: (file) => send({ file, isLeftOut: true }),
      forget: (file) => send({ file, isLeftOut: false }),
    },
    exportMemory: exportMemoryOf(config),
    // One thread alone cuts ranges by their size only.
    others: thread.count === 1 ? null : { thread, rowsOf: (number, rows, by) => peers.rowsOf(number, rows, by) },
    onUnreadableRollup: (siteId) => send({ unreadableRollupOf: siteId }),
  });

  const exports = new Map<number, AsyncIterator<Uint8Array, undefined>>();
  let exportsMade = 0;

  async function run(engine: QueryEngine, call: ThreadCall, by: Required<Waiter>): Promise<unknown> {
    const { signal } = by;
    switch (call.method) {
      case "execute":
        return engine.execute(call.query, { ...call.asker, ...by });
      case "export": {
        const chunks = await engine.export(call.query, { ...call.asker, signal });
        // Nobody would read it.
        if (signal.aborted) await chunks.return?.();
        signal.throwIfAborted();
        exports.set(++exportsMade, chunks);
        return exportsMade;
      }
      case "health":
        return engine.health(signal);
      case "changed":
        return engine.changed(events.changeOf(call.change));
      case "next":
        return (await exports.get(call.export)?.next())?.value ?? null;
      case "return":
        await exports.get(call.export)?.return?.();
        exports.delete(call.export);
        return null;
    }
  }

  const server = new CallServer<ThreadCall, Failure>({
    run: (call, by) => reporting((engine) => run(engine, call, by)),
    reply: send,
    failureOf,
  });

  main?.on("message", (message: ToThread) => {
    if ("module" in message) setModule(message.module);
    else if ("snapshot" in message) events.receive(message);
    else if ("peer" in message) peers.add(message.peer, message.port);
    else void server.receive(message);
  });
}

const data = workerData as EngineThreadData | DatabaseThreadData;
if ("database" in data) serveDatabase(data);
else serveQueries(data);
