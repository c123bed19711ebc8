/** How DuckDB-WASM is brought up in an isolate: the blocking browser build around a module that the platform has compiled. */
import "./browser-globals.ts";
import { BROWSER_RUNTIME, createDuckDB, VoidLogger } from "./duckdb-browser.js";
import { DuckdbEngine } from "../../src/runtime/engine/duckdb-engine.ts";
import { ENGINE_CONNECTIONS_MAX } from "../../src/runtime/limits.ts";

/** How the bindings come by their instance. The library would fetch the module and compile it. */
interface Instantiating {
  instantiateWasm(
    imports: WebAssembly.Imports,
    onInstance: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): WebAssembly.Exports;
}

/** The bundles are not looked at. */
const UNUSED = { mainModule: "unused", mainWorker: "" };

export interface DuckdbInstanceOptions {
  /** `duckdb-eh.wasm`, as the build has made it. */
  readonly mainModule: WebAssembly.Module;
  /** What DuckDB may allocate for data and for work on it; a query that needs more fails. */
  readonly memoryLimitMb: number;
}

/** A fresh, empty engine in this isolate, which it blocks for about a tenth of a second at a time while it works. */
export async function createDuckdbEngine({ mainModule, memoryLimitMb }: DuckdbInstanceOptions): Promise<DuckdbEngine> {
  const bindings = await createDuckDB({ mvp: UNUSED, eh: UNUSED }, new VoidLogger(), BROWSER_RUNTIME);
  (bindings as unknown as Instantiating).instantiateWasm = (imports, onInstance) => {
    (globalThis as unknown as Record<string, unknown>)["DUCKDB_RUNTIME"] = BROWSER_RUNTIME;
    const instance = new WebAssembly.Instance(mainModule, imports);
    onInstance(instance, mainModule);
    return instance.exports;
  };
  await bindings.instantiate(() => {});
  bindings.open({ path: ":memory:" });
  const connections = Array.from({ length: ENGINE_CONNECTIONS_MAX + 1 }, () =>
    bindings.connect().useUnsafe((_, connection) => connection),
  );
  const [first] = connections;
  if (first !== undefined) bindings.runQuery(first, `SET memory_limit = '${memoryLimitMb}MB'`);
  return new DuckdbEngine({
    bindings,
    connections,
    yieldToOthers: () => new Promise((resolve) => setTimeout(resolve, 0)),
  });
}
