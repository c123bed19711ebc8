/** How DuckDB-WASM is brought up in an isolate: the blocking browser build around a module that the platform has compiled. */
import "./browser-globals.ts";
import { BROWSER_RUNTIME, createDuckDB, VoidLogger } from "./duckdb-browser.js";
import { DuckdbEngine } from "../../src/runtime/engine/duckdb/duckdb-engine.ts";
import { openDatabase, UNUSED_BUNDLES } from "../duckdb-database.ts";

export interface DuckdbInstanceOptions {
  /** `duckdb-eh.wasm`, as the build has made it. */
  readonly mainModule: WebAssembly.Module;
  /** What DuckDB may allocate for data and for work on it; a query that needs more fails. */
  readonly memoryLimitMb: number;
}

/** A fresh, empty engine in this isolate, which it blocks for about a tenth of a second at a time while it works. */
export async function createDuckdbEngine({ mainModule, memoryLimitMb }: DuckdbInstanceOptions): Promise<DuckdbEngine> {
  const { bindings, connections } = await openDatabase(
    await createDuckDB(UNUSED_BUNDLES, new VoidLogger(), BROWSER_RUNTIME),
    BROWSER_RUNTIME,
    mainModule,
  );
  const [first] = connections;
  if (first !== undefined) bindings.runQuery(first, `SET memory_limit = '${memoryLimitMb}MB'`);
  return new DuckdbEngine({
    bindings,
    connections,
    yieldToOthers: () => new Promise((resolve) => setTimeout(resolve, 0)),
  });
}
