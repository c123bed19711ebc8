/** Opens a DuckDB-WASM database from a compiled module, the same on every host, with all connections that the engine uses. */
import type { DuckdbBindings } from "../src/runtime/duckdb/tables/connections.ts";
import { ENGINE_CONNECTIONS_MAX, ENGINE_STEP_MS } from "../src/runtime/base/config/limits.ts";

interface LibraryBindings extends DuckdbBindings {
  instantiate(onProgress: () => void): Promise<unknown>;
  open(config: { readonly path: string; readonly query: { readonly queryPollingInterval: number } }): void;
  connect(): { useUnsafe<T>(use: (bindings: unknown, connection: number) => T): T };
}

/** The method that creates the instance. The library's own would locate the module and compile it. */
interface Instantiating {
  instantiateWasm(
    imports: WebAssembly.Imports,
    onInstance: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): WebAssembly.Exports;
}

/** The library requires a list of bundles, but reads it only in the method that is replaced. */
const UNUSED = { mainModule: "unused", mainWorker: "" };
export const UNUSED_BUNDLES = { mvp: UNUSED, eh: UNUSED };

export interface Database {
  readonly bindings: DuckdbBindings;
  readonly connections: readonly number[];
}

/**
 * A new, empty database. It blocks the thread while it works, a query for `stepMs` at a time. `runtime` must be the one that the
 * bindings were created with.
 */
export async function openDatabase(
  bindings: LibraryBindings,
  runtime: unknown,
  module: WebAssembly.Module,
  stepMs = ENGINE_STEP_MS,
): Promise<Database> {
  (bindings as unknown as Instantiating).instantiateWasm = (imports, onInstance) => {
    (globalThis as unknown as Record<string, unknown>)["DUCKDB_RUNTIME"] = runtime;
    const instance = new WebAssembly.Instance(module, imports);
    // Only after this function has returned, because its result would replace the glue code's wrapped exports. The wrapped ones
    // return unsigned addresses. With signed ones, everything above 2 GB is written to the wrong place.
    void Promise.resolve().then(() => onInstance(instance, module));
    return {};
  };
  await bindings.instantiate(() => {});
  bindings.open({ path: ":memory:", query: { queryPollingInterval: stepMs } });
  const connections = Array.from({ length: ENGINE_CONNECTIONS_MAX + 1 }, () => bindings.connect().useUnsafe((_, connection) => connection));
  return { bindings, connections };
}
