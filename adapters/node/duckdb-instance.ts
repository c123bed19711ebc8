/** Starts DuckDB-WASM on Node: the blocking build, compiled from the installed package. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createDuckDB, NODE_RUNTIME, VoidLogger } from "@duckdb/duckdb-wasm/blocking";
import { DuckdbEngine } from "../../src/runtime/engine/duckdb/duckdb-engine.ts";
import { openDatabase, UNUSED_BUNDLES, type Database } from "../duckdb-database.ts";
import { slimEngineModule } from "../engine-module.mjs";

let compiled: Promise<WebAssembly.Module> | null = null;

async function compileModule(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm");
  return WebAssembly.compile(slimEngineModule(await readFile(path)));
}

export async function openDuckdb(): Promise<Database> {
  compiled ??= compileModule();
  const module = await compiled;
  return openDatabase(await createDuckDB(UNUSED_BUNDLES, new VoidLogger(), NODE_RUNTIME), NODE_RUNTIME, module);
}

export async function createDuckdbEngine(): Promise<DuckdbEngine> {
  return new DuckdbEngine({
    ...(await openDuckdb()),
    yieldToOthers: () => new Promise((resolve) => setImmediate(resolve)),
  });
}
