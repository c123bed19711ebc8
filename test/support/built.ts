/** The tests' build of the program: paths and scripts. It is separate from `dist/`, which may be running. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Relative to the repository. */
export const BUILT_FOLDER = "test/.built";

const builtUrl = (name: string) => new URL(`../.built/${name}`, import.meta.url);

export const MAIN_PATH = fileURLToPath(builtUrl("main.js"));
export const ENGINE_MODULE_URL = builtUrl("engine.wasm");
export const COUNTRY_DATABASE_URL = builtUrl("countries.mmdb");

/** The text of the script of a thread. */
export const threadScript = (name: "engine" | "parquet" | "password" | "rollup"): string =>
  readFileSync(builtUrl(`${name}-worker.js`), "utf8");

/** The Worker, and the Worker of the tests, relative to the repository. */
export const BUILT_WORKER_FOLDER = `${BUILT_FOLDER}/workerd`;

export const WORKER_FOLDER = fileURLToPath(builtUrl("workerd"));
