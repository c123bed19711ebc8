/**
 * workerd compiles no WebAssembly while it runs. DuckDB's glue code and hash-wasm do: small modules, always the same. The build
 * has recorded them, and here their compilation becomes a look-up. Imported before both.
 */
import { keyOf } from "./module-key.mjs";
import { PRECOMPILED } from "./precompiled-table.js";

function precompiled(source: BufferSource): WebAssembly.Module {
  const bytes = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
  const module = PRECOMPILED.get(keyOf(bytes));
  if (!module)
    throw new Error(
      `a WebAssembly module of ${bytes.length} bytes is not part of the build: adapters/workerd/recording.ts does not use all that the service uses`,
    );
  return module;
}

WebAssembly.Module = new Proxy(WebAssembly.Module, {
  construct: (_compiler, [source]: [BufferSource]) => precompiled(source),
});
WebAssembly.compile = async (source) => precompiled(source);
