/** Records the WebAssembly modules that the service compiles at run time, by running it twice in a realm like workerd's. */
import { webcrypto } from "node:crypto";
import { createContext, runInContext } from "node:vm";
import { crc32 } from "node:zlib";

/** Larger modules must be imported as files. */
const SMALL_BYTES_MAX = 1_000_000;

/** The key of a module, by which globals.ts finds it at run time. @param {Uint8Array} bytes */
const keyOf = (bytes) => `${bytes.length}-${crc32(bytes).toString(16)}`;

/** A realm without `process` and `require`, in which the libraries' glue code believes that it runs in a browser worker. */
function createRealm() {
  const realm = createContext({
    AbortController,
    AbortSignal,
    Headers,
    Request,
    Response,
    TextDecoder,
    TextEncoder,
    URL,
    atob,
    btoa,
    clearTimeout,
    console,
    crypto: webcrypto,
    location: { href: "http://localhost/", origin: "http://localhost", pathname: "/" },
    performance,
    setImmediate,
    setTimeout,
  });
  runInContext("globalThis.self = globalThis; globalThis.WorkerGlobalScope = globalThis.constructor", realm);
  return realm;
}

/**
 * Runs the recording and passes each module that is compiled to `replace`.
 * @param {string} script
 * @param {Uint8Array} mainModule
 * @param {(bytes: Uint8Array, compile: () => WebAssembly.Module) => WebAssembly.Module} replace
 */
async function run(script, mainModule, replace) {
  const realm = createRealm();
  realm.mainModuleBytes = mainModule;
  realm.replace = replace;
  await runInContext(
    `(async () => {
      const { Module } = WebAssembly;
      const mainModule = new Module(mainModuleBytes);
      const compiled = (source) => {
        const bytes = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
        return replace(bytes.slice(), () => new Module(bytes));
      };
      WebAssembly.Module = new Proxy(Module, { construct: (_, [source]) => compiled(source) });
      WebAssembly.compile = async (source) => compiled(source);
      ${script}
      await recording.useEverything(mainModule);
    })()`,
    realm,
  );
}

/**
 * The modules by key. Rejects if there are none, if two share a key, or if the second run compiles one that the first did not:
 * modules that differ from run to run cannot be bundled.
 * @param {string} script
 * @param {Uint8Array} mainModule
 * @returns {Promise<Map<string, Uint8Array>>}
 */
export async function recordModules(script, mainModule) {
  /** @type {Map<string, Uint8Array>} */
  const modules = new Map();
  await run(script, mainModule, (bytes, compile) => {
    const key = keyOf(bytes);
    const known = modules.get(key);
    if (known && Buffer.compare(known, bytes) !== 0)
      throw new Error(`two WebAssembly modules have the key ${key}. Make keyOf in record-modules.mjs longer`);
    if (bytes.length > SMALL_BYTES_MAX)
      throw new Error(`a WebAssembly module of ${bytes.length} bytes is compiled at run time. Import it as a file instead`);
    modules.set(key, bytes);
    return compile();
  });
  if (modules.size === 0) throw new Error("no WebAssembly module was compiled: recording.ts no longer reaches the libraries");
  await run(script, mainModule, (bytes, compile) => {
    const key = keyOf(bytes);
    if (!modules.has(key)) throw new Error(`the WebAssembly module ${key} differs from run to run and cannot be bundled`);
    return compile();
  });
  return modules;
}
