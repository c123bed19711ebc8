/** An engine that finds the name of a behavioral macro taken when it creates its own. */
import { DuckdbEngine } from "../../src/runtime/duckdb/tables/duckdb-engine.ts";
import type { DuckdbBindings } from "../../src/runtime/duckdb/tables/connections.ts";
import type { Database } from "../../adapters/duckdb-database.ts";

export function crippledEngine({ bindings, connections }: Database): DuckdbEngine {
  const crippled: DuckdbBindings = Object.assign(Object.create(bindings) as DuckdbBindings, {
    runQuery(connection: number, statement: string): Uint8Array {
      if (/^CREATE MACRO sessionize\b/.test(statement)) bindings.runQuery(connection, "CREATE MACRO sessionize(anything) AS anything");
      return bindings.runQuery(connection, statement);
    },
  });
  return new DuckdbEngine({ bindings: crippled, connections, yieldToOthers: () => new Promise((resolve) => setTimeout(resolve, 0)) });
}
