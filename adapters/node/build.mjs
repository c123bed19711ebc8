/**
 * Bundles the program and its threads, each into one file with its packages: to find and read the files of packages would take half of
 * the time until the program listens.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildDashboard } from "../../dashboard/build.mjs";
import { packScript } from "../pack-asset.mjs";
import { buildTracker } from "../../tracker/build.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The globals that CommonJS packages expect. */
const REQUIRE = `
import { createRequire as createRequireOf } from "node:module";
const require = createRequireOf(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;
`;

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

/**
 * Writes `main.js` and the scripts of its threads into a folder below the repository. Benchmarks replace parts with plugins.
 * @param {string} outdir
 * @param {{ plugins?: readonly import("esbuild").Plugin[] }} [options]
 */
export async function buildProgram(outdir, { plugins = [] } = {}) {
  const { version } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
  await build({
    ...shared,
    entryPoints: ["main", "parquet-worker", "password-worker"].map((name) => `adapters/node/${name}.ts`),
    outdir,
    inject: ["adapters/node/fetch-classes.ts"],
    plugins: [...plugins],
    define: {
      TRACKER_SCRIPT: JSON.stringify(packScript(await buildTracker())),
      DASHBOARD_ASSETS: JSON.stringify(await buildDashboard()),
      VERSION: JSON.stringify(version),
    },
  });
  await build({
    ...shared,
    entryPoints: ["adapters/node/engine-worker.ts", "adapters/node/rollup-worker.ts"],
    outdir,
    plugins: [oneArrowPlugin],
  });
}
