/**
 * Globals that the code of DuckDB and hash-wasm expects and workerd lacks. Import this before either of them: workerd compiles no
 * WebAssembly at run time, but both compile small modules, always the same ones. The build records them, and they are looked up here.
 */
import { crc32 } from "../../src/storage/checksum.ts";
import { PRECOMPILED } from "./precompiled-table.js";

function precompiled(source: BufferSource): WebAssembly.Module {
  const bytes = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
  // The key that record-modules.mjs gives a module.
  const module = PRECOMPILED.get(`${bytes.length}-${crc32(bytes, 0, bytes.length).toString(16)}`);
  if (module) return module;
  throw new Error(
    `a WebAssembly module of ${bytes.length} bytes is not part of the build. Use what compiles it in adapters/workerd/recording.ts`,
  );
}

WebAssembly.Module = new Proxy(WebAssembly.Module, {
  construct: (_compiler, [source]: [BufferSource]) => precompiled(source),
});
WebAssembly.compile = async (source) => precompiled(source);

const globals = globalThis as unknown as Record<string, unknown>;

globals["location"] ??= { href: "http://localhost/", origin: "http://localhost", pathname: "/" };

// Never called with work to do: the blocking build is synchronous.
globals["setImmediate"] ??= (task: () => void) => setTimeout(task, 0);
