/**
 * Bundles the program and its threads, each into one file with its packages: to find and read the files of packages would take half of
 * the time until the program listens.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildDashboard } from "../../dashboard/build.mjs";
import { slimEngineModule } from "../engine-module.mjs";
import { packScript } from "../pack-asset.mjs";
import { buildTracker } from "../../tracker/build.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The globals that CommonJS packages expect. */
const REQUIRE = `
import { createRequire as createRequireOf } from "node:module";
const require = createRequireOf(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;
`;

const ENGINE_MODULE = createRequire(import.meta.url).resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm");

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: /** @type {const} */ ("node"),
  format: /** @type {const} */ ("esm"),
  target: "node20",
  sourcemap: true,
  banner: { js: REQUIRE },
  logLevel: /** @type {const} */ ("warning"),
};

/** DuckDB-WASM requires Arrow and we import it. Both get the same copy. @type {import("esbuild").Plugin} */
const oneArrowPlugin = {
  name: "one-arrow",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^apache-arrow$/, namespace: "file" }, ({ kind, resolveDir }) =>
      kind === "require-call" ? resolve("apache-arrow", { kind: "import-statement", resolveDir }) : undefined,
    );
  },
};

/** @param {string} outdir */
async function writeEngineModule(outdir) {
  const folder = join(root, outdir);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "engine.wasm"), slimEngineModule(await readFile(ENGINE_MODULE)));
}

/** @param {string} outdir */
const buildEngineThread = (outdir) =>
  build({ ...shared, entryPoints: ["adapters/node/engine-worker.ts"], outdir, plugins: [oneArrowPlugin] });

/**
 * Writes `main.js`, the scripts of its threads and the engine's module into a folder below the repository. Benchmarks replace parts with plugins.
 * @param {string} outdir
 * @param {{ plugins?: readonly import("esbuild").Plugin[] }} [options]
 */
export async function buildProgram(outdir, { plugins = [] } = {}) {
  const { version } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
  const program = build({
    ...shared,
    entryPoints: ["main", "parquet-worker", "password-worker", "rollup-worker"].map((name) => `adapters/node/${name}.ts`),
    outdir,
    inject: ["adapters/node/fetch-classes.ts"],
    plugins: [...plugins],
    define: {
      TRACKER_SCRIPT: JSON.stringify(packScript(await buildTracker())),
      DASHBOARD_ASSETS: JSON.stringify(await buildDashboard()),
      VERSION: JSON.stringify(version),
    },
  });
  await Promise.all([program, buildEngineThread(outdir), writeEngineModule(outdir)]);
}
