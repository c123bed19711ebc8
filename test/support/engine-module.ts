/** The engine's module of the tests' build, compiled once for all engines of a test file. */
import { readFile } from "node:fs/promises";
import { ENGINE_MODULE_URL } from "./built.ts";

let compiled: Promise<WebAssembly.Module> | null = null;

export const engineModule = (): Promise<WebAssembly.Module> =>
  (compiled ??= readFile(ENGINE_MODULE_URL).then((bytes) => WebAssembly.compile(bytes)));
