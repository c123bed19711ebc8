/** How DuckDB-WASM is brought up on Node: the blocking build, compiled from the installed package. */
import { createRequire } from "node:module";
import { createDuckDB, NODE_RUNTIME, VoidLogger } from "@duckdb/duckdb-wasm/blocking";
import type { DuckdbBindings } from "../../src/runtime/engine/duckdb-bindings.ts";
import { DuckdbEngine } from "../../src/runtime/engine/duckdb-engine.ts";
import { ENGINE_CONNECTIONS_MAX } from "../../src/runtime/limits.ts";

const wasmPath = (kind: string) => createRequire(import.meta.url).resolve(`@duckdb/duckdb-wasm/dist/duckdb-${kind}.wasm`);

/** A fresh, empty database in this thread, which it blocks while it works. */
export async function openDuckdb(): Promise<{ bindings: DuckdbBindings; connections: readonly number[] }> {
  const bundle = (kind: string) => ({ mainModule: wasmPath(kind), mainWorker: "" });
  const bindings = await createDuckDB({ mvp: bundle("mvp"), eh: bundle("eh") }, new VoidLogger(), NODE_RUNTIME);
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
