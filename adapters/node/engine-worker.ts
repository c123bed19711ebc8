/** The engine's thread: serves the calls that come as messages. */
import { parentPort } from "node:worker_threads";
import { isFatal } from "../../src/runtime/engine/duckdb/duckdb-bindings.ts";
import type { NumberColumns } from "../../src/runtime/engine/engine.ts";
import type { EngineCall, EngineReply, EngineRequest } from "./engine-messages.ts";
import { createDuckdbEngine } from "./duckdb-instance.ts";

const port = parentPort;
if (!port) throw new Error("the engine worker runs as a worker thread only");

const engine = await createDuckdbEngine();
const running = new Map<number, AbortController>();
const reply = (message: EngineReply, handedOver: readonly ArrayBuffer[] = []) => port.postMessage(message, handedOver);

/** The memory of long results changes hands; everything else is copied. */
function memoryOf(call: EngineCall, result: Awaited<ReturnType<typeof serve>>): ArrayBuffer[] {
  if (call.kind !== "queryNumbers") return [];
  return Object.values(result as NumberColumns).map(({ buffer }) => buffer as ArrayBuffer);
}

async function serve(call: EngineCall, signal: AbortSignal) {
  if (call.kind === "append") return engine.append(call.block, call.source);
  if (call.kind === "dropProps") return engine.dropProps(call.blocks);
  if (call.kind === "propsTexts") return engine.propsTexts(call.siteId, call.numbers);
  if (call.kind === "drop") return engine.drop(call.blocks);
  if (call.kind === "loadExtension") return engine.loadExtension(call.extension);
  if (call.kind === "queryNumbers") return engine.queryNumbers(call.query, signal);
  if (call.kind === "summarise") return engine.summarise(call.summary, call.part, call.query, signal);
  if (call.kind === "dropSummary") return engine.dropSummary(call.id, call.parts);
  return engine.query(call.query, signal);
}

port.on("message", (request: EngineRequest) => {
  if ("cancel" in request) {
    running.get(request.id)?.abort();
    return;
  }
  const { id, call } = request;
  const controller = new AbortController();
  running.set(id, controller);
  serve(call, controller.signal)
    .then(
      (result) => reply({ id, result }, memoryOf(call, result)),
      (error: unknown) => {
        // The thread ends, and a new one takes over.
        if (isFatal(error)) throw error;
        const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
        reply({ id, error: { name, message } });
      },
    )
    .finally(() => running.delete(id));
});

reply({ ready: true });
