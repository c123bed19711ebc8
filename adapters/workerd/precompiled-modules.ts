/**
 * Replaces WebAssembly compilation by a lookup of modules that the build recorded. workerd compiles none at run time, but DuckDB's
 * glue code and hash-wasm compile small modules, always the same. To be imported before both.
 */
import { keyOf } from "./module-key.mjs";
import { PRECOMPILED } from "./precompiled-table.js";

function precompiled(source: BufferSource): WebAssembly.Module {
  const bytes = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
  const module = PRECOMPILED.get(keyOf(bytes));
  if (!module)
    throw new Error(
      `a WebAssembly module of ${bytes.length} bytes is not part of the build. Use what compiles it in adapters/workerd/recording.ts`,
    );
  return module;
}

WebAssembly.Module = new Proxy(WebAssembly.Module, {
  construct: (_compiler, [source]: [BufferSource]) => precompiled(source),
});
WebAssembly.compile = async (source) => precompiled(source);
