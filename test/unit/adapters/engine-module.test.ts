import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { slimEngineModule } from "../../../adapters/engine-module.mjs";

const WASM_PATH = createRequire(import.meta.url).resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm");

it("removes exactly the exported C++ symbols whose addresses the module does not import", async () => {
  const bytes = await readFile(WASM_PATH);
  const whole = await WebAssembly.compile(bytes);
  const slim = await WebAssembly.compile(slimEngineModule(bytes));

  const asked = new Set(
    WebAssembly.Module.imports(whole)
      .filter(({ module }) => module.startsWith("GOT."))
      .map(({ name }) => name),
  );
  const isKept = ({ name }: WebAssembly.ModuleExportDescriptor) => !/^(?:orig\$)?_Z/.test(name) || asked.has(name.replace(/^orig\$/, ""));
  const exports = WebAssembly.Module.exports(whole);
  expect(WebAssembly.Module.exports(slim)).toEqual(exports.filter(isKept));
  expect(WebAssembly.Module.imports(slim)).toEqual(WebAssembly.Module.imports(whole));
  expect(WebAssembly.Module.customSections(slim, "dylink.0")).toEqual(WebAssembly.Module.customSections(whole, "dylink.0"));
  // Otherwise the package has changed, and removing them is useless.
  expect(WebAssembly.Module.exports(slim).length).toBeLessThan(exports.length / 10);
  expect(asked.size).toBeGreaterThan(0);
});
