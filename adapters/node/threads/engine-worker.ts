/** Entry point of the engine thread: starts the engine with the module of the first message, then serves the calls of later ones. */
import { parentPort } from "node:worker_threads";
import type { DuckdbEngine } from "../../../src/runtime/duckdb/tables/duckdb-engine.ts";
import { isFatal } from "../../../src/runtime/duckdb/tables/duckdb-bindings.ts";
import type { Columns } from "../../../src/storage/columns.ts";
import type { EngineCall, EngineReply, EngineRequest } from "./engine-messages.ts";
import { createDuckdbEngine } from "./duckdb-instance.ts";
import { lowerPriority } from "./task-thread.ts";

const port = parentPort;
if (!port) throw new Error("engine-worker must run in a worker thread");

lowerPriority("query");

const running = new Map<number, AbortController>();
const reply = (message: EngineReply, transferred: readonly ArrayBuffer[] = []) => port.postMessage(message, transferred);

/** Long results are transferred; everything else is copied. */
function transferablesOf(call: EngineCall, result: Awaited<ReturnType<typeof serve>>): ArrayBuffer[] {
  if (call.kind !== "queryColumns") return [];
  return Object.values(result as Columns).flatMap((column) => ("buffer" in column ? [column.buffer as ArrayBuffer] : []));
}

async function serve(engine: DuckdbEngine, call: EngineCall, signal: AbortSignal) {
  if (call.kind === "append") return engine.append(call.block, call.source);
  if (call.kind === "storeSessions") return engine.storeSessions(call.blocks, signal);
  if (call.kind === "dropProps") return engine.dropProps(call.blocks);
  if (call.kind === "propsTexts") return engine.propsTexts(call.siteId, call.numbers);
  if (call.kind === "drop") return engine.drop(call.blocks);
  if (call.kind === "behavioralFailure") return engine.behavioralFailure();
  if (call.kind === "queryColumns") return engine.queryColumns(call.query, signal);
  if (call.kind === "storePartial") return engine.storePartial(call.table, call.part, call.query, signal);
  if (call.kind === "dropPartials") return engine.dropPartials(call.id, call.parts);
  return engine.query(call.query, signal);
}

function onRequest(engine: DuckdbEngine, request: EngineRequest): void {
  if ("cancel" in request) {
    running.get(request.id)?.abort();
    return;
  }
  const { id, call } = request;
  const controller = new AbortController();
  running.set(id, controller);
  serve(engine, call, controller.signal)
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
