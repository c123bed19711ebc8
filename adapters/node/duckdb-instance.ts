/** How DuckDB-WASM is brought up on Node: the blocking build, compiled from the installed package. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createDuckDB, NODE_RUNTIME, VoidLogger } from "@duckdb/duckdb-wasm/blocking";
import type { DuckdbBindings } from "../../src/runtime/engine/duckdb-bindings.ts";
import { DuckdbEngine } from "../../src/runtime/engine/duckdb-engine.ts";
import { ENGINE_CONNECTIONS_MAX } from "../../src/runtime/limits.ts";
import { slimEngineModule } from "../engine-module.mjs";

/** How the bindings come by their instance. The library would compile the whole module, once for each of them. */
interface Instantiating {
  instantiateWasm(
    imports: WebAssembly.Imports,
    onInstance: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): WebAssembly.Exports;
}

/** The bundles are not looked at. */
const UNUSED = { mainModule: "unused", mainWorker: "" };

let compiled: Promise<WebAssembly.Module> | null = null;

async function compileModule(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm");
  return WebAssembly.compile(slimEngineModule(await readFile(path)));
}

/** A fresh, empty database in this thread, which it blocks while it works. */
export async function openDuckdb(): Promise<{ bindings: DuckdbBindings; connections: readonly number[] }> {
  compiled ??= compileModule();
  const module = await compiled;
  const bindings = await createDuckDB({ mvp: UNUSED, eh: UNUSED }, new VoidLogger(), NODE_RUNTIME);
  (bindings as unknown as Instantiating).instantiateWasm = (imports, onInstance) => {
    (globalThis as unknown as Record<string, unknown>)["DUCKDB_RUNTIME"] = NODE_RUNTIME;
    const instance = new WebAssembly.Instance(module, imports);
    onInstance(instance, module);
    return instance.exports;
  };
  await bindings.instantiate(() => {});
  bindings.open({ path: ":memory:" });
  const connections = Array.from({ length: ENGINE_CONNECTIONS_MAX + 1 }, () =>
    bindings.connect().useUnsafe((_, connection) => connection),
  );
  return { bindings, connections };
}

export async function createDuckdbEngine(): Promise<DuckdbEngine> {
  return new DuckdbEngine({
    ...(await openDuckdb()),
    yieldToOthers: () => new Promise((resolve) => setImmediate(resolve)),
  });
}
