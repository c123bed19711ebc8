/** Engines that cannot create their behavioral macros. */
import { DuckdbEngine } from "../../src/runtime/duckdb/tables/duckdb-engine.ts";
import type { DuckdbBindings } from "../../src/runtime/duckdb/tables/connections.ts";
import type { Database } from "../../adapters/duckdb-database.ts";

function engineThatCreates({ bindings, connections }: Database, beforeSessionize: (connection: number) => unknown): DuckdbEngine {
  const crippled: DuckdbBindings = Object.assign(Object.create(bindings) as DuckdbBindings, {
    runQuery(connection: number, statement: string): Uint8Array {
      if (/^CREATE MACRO sessionize\b/.test(statement)) beforeSessionize(connection);
      return bindings.runQuery(connection, statement);
    },
  });
  return new DuckdbEngine({ bindings: crippled, connections, yieldToOthers: () => new Promise((resolve) => setTimeout(resolve, 0)) });
}

/** An engine that finds the name of a macro taken. */
export const crippledEngine = (database: Database): DuckdbEngine =>
  engineThatCreates(database, (connection) => database.bindings.runQuery(connection, "CREATE MACRO sessionize(anything) AS anything"));

/** Throws the error of an engine that has too little memory for its macros. */
export const starvedEngine = (database: Database): DuckdbEngine =>
  engineThatCreates(database, () => {
    throw new Error("Out of Memory Error: could not allocate block of size 256.0 KiB (1.0 MiB/1.0 MiB used)");
  });
