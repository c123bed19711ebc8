/** DuckDB's browser build, which the package does not export. The build resolves it. */
export * from "../../node_modules/@duckdb/duckdb-wasm/dist/duckdb-browser-blocking";
