/** Entry point of the engine thread: starts the engine with the module of the first message, then serves the calls of later ones. */
import { parentPort } from "node:worker_threads";
import type { DuckdbEngine } from "../../../src/runtime/duckdb/tables/duckdb-engine.ts";
import { isFatal } from "../../../src/runtime/duckdb/tables/connections.ts";
import type { Columns } from "../../../src/storage/columns.ts";
import { runCall, type EngineCall } from "../../engine-calls.ts";
import type { EngineReply, EngineRequest } from "./threaded-engine.ts";
import { createDuckdbEngine } from "./duckdb-instance.ts";
import { lowerPriority } from "./port-thread.ts";

const port = parentPort;
if (!port) throw new Error("engine-worker must run in a worker thread");

lowerPriority("query");

const running = new Map<number, AbortController>();
const reply = (message: EngineReply, transferred: readonly ArrayBuffer[] = []) => port.postMessage(message, transferred);

/** Long results are transferred; everything else is copied. */
function transferablesOf({ method }: EngineCall, result: unknown): ArrayBuffer[] {
  if (method !== "queryColumns") return [];
  return Object.values(result as Columns).flatMap((column) => ("buffer" in column ? [column.buffer as ArrayBuffer] : []));
}

function onRequest(engine: DuckdbEngine, request: EngineRequest): void {
  if ("cancel" in request) {
    running.get(request.id)?.abort();
    return;
  }
  const { id, call } = request;
  const controller = new AbortController();
  running.set(id, controller);
  runCall(engine, call, controller.signal)
    .then(
      (result) => reply({ id, result }, transferablesOf(call, result)),
      (error: unknown) => {
        // Ends the thread. The main thread starts a new one.
        if (isFatal(error)) throw error;
        const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
        reply({ id, error: { name, message } });
      },
    )
    .finally(() => running.delete(id));
}

/** A rejection ends the thread. */
async function start(module: WebAssembly.Module): Promise<void> {
  const engine = await createDuckdbEngine(module);
  port?.on("message", (request: EngineRequest) => onRequest(engine, request));
  reply({ ready: true });
}

port.once("message", (module: WebAssembly.Module) => void start(module));
