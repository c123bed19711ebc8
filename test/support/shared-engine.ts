/** One DuckDB for all targets of a test file, because starting it takes a second. */
import { createDuckdbEngine } from "../../adapters/node/threads/duckdb-instance.ts";
import type { Engine } from "../../src/runtime/duckdb/engine.ts";
import { engineModule } from "./engine-module.ts";
import { shareOf } from "../../adapters/workerd/shared-engine.ts";

let instance: Promise<Engine> | null = null;

/** An engine for one target. */
export async function createEngineShare(): Promise<Engine> {
  instance ??= engineModule().then(createDuckdbEngine);
  return shareOf(await instance);
}
