/** Starts DuckDB-WASM on Node: the blocking build. */
import { createDuckDB, NODE_RUNTIME, VoidLogger } from "@duckdb/duckdb-wasm/blocking";
import { DuckdbEngine } from "../../../src/runtime/duckdb/tables/duckdb-engine.ts";
import { openDatabase, UNUSED_BUNDLES, type Database } from "../../duckdb-database.ts";

/** `module` is the compiled `engine.wasm` of the build. */
export const openDuckdb = async (module: WebAssembly.Module): Promise<Database> =>
  openDatabase(await createDuckDB(UNUSED_BUNDLES, new VoidLogger(), NODE_RUNTIME), NODE_RUNTIME, module);

export async function createDuckdbEngine(module: WebAssembly.Module): Promise<DuckdbEngine> {
  return new DuckdbEngine({
    ...(await openDuckdb(module)),
    yieldToOthers: () => new Promise((resolve) => setImmediate(resolve)),
  });
}
