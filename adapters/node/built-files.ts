/** The files that the build writes beside the program: the scripts of its threads, and what they and it read. */
import { readFileSync } from "node:fs";
import { reasonOf } from "../../src/runtime/metrics/log.ts";

/** Names the build. Every script of a thread begins with the same line. */
declare const BUILD_LINE: string;

/** The database of the option `geoip_db = "builtin"`. */
export const COUNTRY_DATABASE = new URL("./countries.mmdb", import.meta.url);

/** What the threads of an instance run. */
export interface Threads {
  /** Scripts. */
  readonly engine: string;
  readonly parquet: string;
  readonly passwords: string;
  readonly rollups: string;
  /** The engine's module, which is compiled once, at the start. */
  readonly engineModule: URL;
}

/**
 * Reads the scripts, once per process: threads start whenever there is work, and an upgrade may have replaced or removed the files by
 * then. Throws if a file is missing, or comes from another build than the program.
 */
export const readThreads = (): Threads => ({
  engine: scriptOf("engine-worker.js"),
  parquet: scriptOf("parquet-worker.js"),
  passwords: scriptOf("password-worker.js"),
  rollups: scriptOf("rollup-worker.js"),
  engineModule: new URL("./engine.wasm", import.meta.url),
});

function scriptOf(name: string): string {
  const script = textOf(name);
  if (!script.startsWith(`${BUILD_LINE}\n`))
    throw new Error(
      `${name} belongs to another build than main.js. An upgrade is under way or was interrupted: finish it, and start again`,
    );
  return script;
}

function textOf(name: string): string {
  try {
    return readFileSync(new URL(name, import.meta.url), "utf8");
  } catch (cause) {
    throw new Error(`${name}, which belongs to the program, cannot be read: ${reasonOf(cause)}. Install it again`, { cause });
  }
}
