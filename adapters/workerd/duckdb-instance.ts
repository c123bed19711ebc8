/** Starts DuckDB-WASM in an isolate: the blocking browser build with a module that the platform has compiled. */
import { BROWSER_RUNTIME, createDuckDB, VoidLogger } from "./duckdb-browser.js";
import { DuckdbEngine } from "../../src/runtime/duckdb/tables/duckdb-engine.ts";
import { openDatabase, UNUSED_BUNDLES, type Database } from "../duckdb-database.ts";

interface DuckdbInstanceOptions {
  /** `duckdb-eh.wasm` without the exports that `engine-module.mjs` removes. */
  readonly mainModule: WebAssembly.Module;
  /** DuckDB's limit for data and queries; a query that needs more fails. */
  readonly memoryLimitMb: number;
  /** Lets other work of the isolate run. Tests have one that they can stop. */
  readonly yieldToOthers?: () => Promise<void>;
  /** Tests have queries of several steps on few events. */
  readonly stepMs?: number;
}

const untilNextTimer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** A new, empty database. A query blocks the isolate for `ENGINE_STEP_MS` at a time. */
export async function openDuckdb({ mainModule, memoryLimitMb, stepMs }: DuckdbInstanceOptions): Promise<Database> {
  const bindings = await createDuckDB(UNUSED_BUNDLES, new VoidLogger(), BROWSER_RUNTIME);
  const database = await openDatabase(bindings, BROWSER_RUNTIME, mainModule, stepMs);
  const [first] = database.connections;
  if (first !== undefined) database.bindings.runQuery(first, `SET memory_limit = '${memoryLimitMb}MB'`);
  return database;
}

export const createDuckdbEngine = async (options: DuckdbInstanceOptions): Promise<DuckdbEngine> =>
  new DuckdbEngine({ ...(await openDuckdb(options)), yieldToOthers: options.yieldToOthers ?? untilNextTimer });
