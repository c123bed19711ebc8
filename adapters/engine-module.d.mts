/** The module of `duckdb-eh.wasm` without its C++ exports: it starts in half the time and memory. */
export function slimEngineModule(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
