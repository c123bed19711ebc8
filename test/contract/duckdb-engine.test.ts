/** DuckDB in the same thread keeps the promises of the port. */
import { createDuckdbEngine } from "../../adapters/node/duckdb-instance.ts";
import { describeEngine } from "./engine.suite.ts";

describeEngine("DuckDB in the same thread", createDuckdbEngine);
