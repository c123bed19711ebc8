/** DuckDB's build for browsers, put in by the build: the package does not export it. */
export * from "../../node_modules/@duckdb/duckdb-wasm/dist/duckdb-browser-blocking";
