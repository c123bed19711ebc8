/** Entry point of the engine's thread. The database opens with the first query that needs it. */
import { setTimeout as wait } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "../../../src/runtime/base/errors.ts";
import { ROLLUP_CACHE } from "../../../src/runtime/base/config/report-limits.ts";
import { type Log, type LogFields, reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { EngineLostError } from "../../../src/runtime/duckdb/engine.ts";
import { CallingEngine, type EngineCall, OnDemandEngine, runCall } from "../../../src/runtime/duckdb/on-demand-engine.ts";
import { createInlineRollupCalculator } from "../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { exportMemoryOf, openDuckdbQueries } from "../../../src/runtime/engine/duckdb-queries.ts";
import { FedEvents } from "../../../src/runtime/engine/event-feed.ts";
import type { QueryEngine } from "../../../src/runtime/query/query-engine.ts";
import { createFileObjectStore } from "../files/file-stores.ts";
import type { DatabaseThreadData } from "./database-thread.ts";
import { createDuckdbEngine } from "./duckdb-instance.ts";
import type { EngineThreadData, FromThread, ThreadCall, ToThread } from "./engine-thread.ts";
import { lowerPriority, servePort } from "./port-thread.ts";

const port = parentPort;
if (!port) throw new Error("engine-worker must run in a worker thread");

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

/** The port's calls arrive as messages. */
function serveQueries({ dataFolder, config }: EngineThreadData): void {
  const send = (message: FromThread, transferred: readonly ArrayBuffer[] = []) => port?.postMessage(message, transferred);

  const logAt = (level: keyof Log) => (message: string, fields?: LogFields) => send({ log: level, message, fields });
  const log: Log = { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") };

  let setModule: (module: WebAssembly.Module) => void = () => {};
  const module = new Promise<WebAssembly.Module>((resolve) => (setModule = resolve));

  const objects = createFileObjectStore(dataFolder);
  const events = new FedEvents(objects, send);
  const queries = openDuckdbQueries({
    ...{ config, objects, log, wait, eventStore: events },
    engine: new OnDemandEngine(async () => createDuckdbEngine(await module)),
    calculator: createInlineRollupCalculator(objects, ROLLUP_CACHE),
    leftOutFiles: {
      note: (file) => send({ file, isLeftOut: true }),
      forget: (file) => send({ file, isLeftOut: false }),
    },
    exportMemory: exportMemoryOf(config),
    onUnreadableRollup: (siteId) => send({ unreadableRollupOf: siteId }),
  });

  const exports = new Map<number, AsyncIterator<Uint8Array, undefined>>();
  let exportsMade = 0;

  async function run(engine: QueryEngine, call: ThreadCall, signal: AbortSignal): Promise<unknown> {
    switch (call.method) {
      case "execute":
        return engine.execute(call.query, { ...call.asker, signal });
      case "export": {
        const chunks = await engine.export(call.query, { ...call.asker, signal });
        // Nobody would read it.
        if (signal.aborted) await chunks.return?.();
        signal.throwIfAborted();
        exports.set(++exportsMade, chunks);
        return exportsMade;
      }
      case "load":
        return engine.load(call.siteId, call.range, signal);
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

  const running = new Map<number, AbortController>();

  async function answer(id: number, call: ThreadCall): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const engine = await queries;
      const result = await run(engine, call, controller.signal);
      send({ id, result, state: engine.state }, result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : []);
    } catch (error) {
      const failure = error instanceof AppError && { failure: error.failure };
      send({ id, error: { message: reasonOf(error), isLost: error instanceof EngineLostError, ...failure } });
    } finally {
      running.delete(id);
    }
  }

  port?.on("message", (message: ToThread) => {
    if ("module" in message) setModule(message.module);
    else if ("snapshot" in message) events.receive(message);
    else if ("cancelled" in message) running.get(message.cancelled)?.abort();
    else void answer(message.id, message.call);
  });
}

const data = workerData as EngineThreadData | DatabaseThreadData;
if ("database" in data) serveDatabase(data);
else serveQueries(data);
