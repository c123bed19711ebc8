/** Output of the build: the assets and version inside the program, and the files beside it that its threads run and read. */
import type { PackedAsset, PackedAssets } from "../../src/runtime/service/assets.ts";
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { reasonOf } from "../../src/runtime/base/metrics/log.ts";

declare const TRACKER_SCRIPT: PackedAsset;
declare const DASHBOARD_ASSETS: PackedAssets;
declare const VERSION: string;

export const PACKED_TRACKER_SCRIPT = TRACKER_SCRIPT;
export const PACKED_DASHBOARD = DASHBOARD_ASSETS;
export const PROGRAM_VERSION = VERSION;

/** Names the build. Every script of a thread begins with the same line, and the engine's module ends in it. */
declare const BUILD_LINE: string;

const ENGINE_MODULE = "engine.wasm";

/** The program, to run a command in a process of its own. */
export const PROGRAM = fileURLToPath(new URL("./main.js", import.meta.url));

export const COUNTRY_DATABASE = new URL("./countries.mmdb", import.meta.url);

export interface Threads {
  readonly engine: string;
  readonly parquet: string;
  readonly passwords: string;
  readonly rollups: string;
  /**
   * Reads engine.wasm: at the start, or for the first query if the engine starts on demand. Rejects if it is missing or of another build.
   */
  readonly readEngineModule: () => Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Reads the scripts, once per process: threads start whenever there is work, and an upgrade may have replaced or removed the files by
 * then. Throws if a file is missing, or comes from another build than the program.
 */
export function readThreads(): Threads {
  requireBuildOf(ENGINE_MODULE, endOf(ENGINE_MODULE));
  return {
    engine: scriptOf("engine-worker.js"),
    parquet: scriptOf("parquet-worker.js"),
    passwords: scriptOf("password-worker.js"),
    rollups: scriptOf("rollup-worker.js"),
    readEngineModule,
  };
}

async function readEngineModule(): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readFile(urlOf(ENGINE_MODULE)).catch((error: unknown) => unreadable(ENGINE_MODULE, error));
  requireBuildOf(ENGINE_MODULE, bytes.toString("latin1", bytes.length - BUILD_LINE.length));
  return bytes;
}

function scriptOf(name: string): string {
  let script: string;
  try {
    script = readFileSync(urlOf(name), "utf8");
  } catch (error) {
    return unreadable(name, error);
  }
  requireBuildOf(name, script.slice(0, script.indexOf("\n")));
  return script;
}

function requireBuildOf(name: string, line: string): void {
  if (line === BUILD_LINE) return;
  throw new Error(`${name} belongs to another build than main.js. An upgrade is under way or was interrupted: finish it, and start again`);
}

/** The last characters of a file, as many as the build line has. Reading all of engine.wasm here would delay the start. */
function endOf(name: string): string {
  const end = Buffer.alloc(BUILD_LINE.length);
  let file: number | undefined;
  try {
    file = openSync(urlOf(name), "r");
    readSync(file, end, 0, end.length, Math.max(fstatSync(file).size - end.length, 0));
  } catch (error) {
    return unreadable(name, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return end.toString("latin1");
}

const urlOf = (name: string): URL => new URL(name, import.meta.url);

function unreadable(name: string, cause: unknown): never {
  throw new Error(`${name}, which belongs to the program, cannot be read: ${reasonOf(cause)}. Install it again`, { cause });
}
