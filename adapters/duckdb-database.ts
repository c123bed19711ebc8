/** What every host does alike to bring DuckDB-WASM up: an instance of a module that is compiled already, and connections to one database. */
import type { DuckdbBindings } from "../src/runtime/engine/duckdb/duckdb-bindings.ts";
import { ENGINE_CONNECTIONS_MAX } from "../src/runtime/config/limits.ts";

/** The library's bindings, of whichever of its builds. */
interface LibraryBindings extends DuckdbBindings {
  instantiate(onProgress: () => void): Promise<unknown>;
  open(config: { readonly path: string }): void;
  connect(): { useUnsafe<T>(use: (bindings: unknown, connection: number) => T): T };
}

/** How the bindings come by their instance. The library would find the module by itself and compile it. */
interface Instantiating {
  instantiateWasm(
    imports: WebAssembly.Imports,
    onInstance: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): WebAssembly.Exports;
}

/** For the library's list of its bundles, which is not looked at. */
const UNUSED = { mainModule: "unused", mainWorker: "" };
export const UNUSED_BUNDLES = { mvp: UNUSED, eh: UNUSED };

export interface Database {
  readonly bindings: DuckdbBindings;
  readonly connections: readonly number[];
}

/** A fresh, empty database in this thread, which it blocks while it works. `runtime` is what the bindings were made with. */
export async function openDatabase(bindings: LibraryBindings, runtime: unknown, module: WebAssembly.Module): Promise<Database> {
  (bindings as unknown as Instantiating).instantiateWasm = (imports, onInstance) => {
    (globalThis as unknown as Record<string, unknown>)["DUCKDB_RUNTIME"] = runtime;
    const instance = new WebAssembly.Instance(module, imports);
    // Not before this has returned: what is returned would take the place of what the glue makes of the exports, whose
    // addresses have no sign. With signed ones, everything written beyond two gigabytes lands in the wrong place.
    void Promise.resolve().then(() => onInstance(instance, module));
    return {};
  };
  await bindings.instantiate(() => {});
  bindings.open({ path: ":memory:" });
  const connections = Array.from({ length: ENGINE_CONNECTIONS_MAX + 1 }, () => bindings.connect().useUnsafe((_, connection) => connection));
  return { bindings, connections };
}
