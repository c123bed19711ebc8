/** The paths of the tests' build of the program. It is separate from `dist/`, which may be running. */
import { fileURLToPath } from "node:url";

/** Relative to the repository. */
export const BUILT_FOLDER = "test/.built";

const builtUrl = (name: string) => new URL(`../.built/${name}`, import.meta.url);

export const MAIN_PATH = fileURLToPath(builtUrl("main.js"));
export const ENGINE_WORKER_URL = builtUrl("engine-worker.js");
export const ENGINE_MODULE_URL = builtUrl("engine.wasm");
export const PARQUET_WORKER_URL = builtUrl("parquet-worker.js");
export const PASSWORD_WORKER_URL = builtUrl("password-worker.js");
export const ROLLUP_WORKER_URL = builtUrl("rollup-worker.js");
export const COUNTRY_DATABASE_URL = builtUrl("countries.mmdb");

/** The Worker, and the Worker of the tests, relative to the repository. */
export const BUILT_WORKER_FOLDER = `${BUILT_FOLDER}/workerd`;

export const WORKER_FOLDER = fileURLToPath(builtUrl("workerd"));
