/** The module of `duckdb-eh.wasm` without its C++ exports: it starts in half the time and memory. */
export function slimEngineModule(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
/** Appends a custom section, so that the file ends in `text`. */
export function markedModule(bytes: Uint8Array, text: string): Uint8Array<ArrayBuffer>;
