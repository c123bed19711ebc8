/** Bundles the program and its engine's thread. Packages stay outside, where npm put them. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildDashboard } from "../../dashboard/build.mjs";
import { packScript } from "../pack-asset.mjs";
import { buildTracker } from "../../tracker/build.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Writes `main.js` and the programs of its threads into a folder below the repository. A measurement may put other parts in. */
export async function buildProgram(outdir, { plugins = [] } = {}) {
  const { version } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
  await build({
    absWorkingDir: root,
    entryPoints: ["main", "engine-worker", "parquet-worker", "password-worker"].map((name) => `adapters/node/${name}.ts`),
    outdir,
    bundle: true,
    packages: "external",
    inject: ["adapters/node/fetch-classes.ts"],
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    logLevel: "warning",
    plugins: [...plugins],
    define: {
      TRACKER_SCRIPT: JSON.stringify(packScript(await buildTracker())),
      DASHBOARD_ASSETS: JSON.stringify(await buildDashboard()),
      VERSION: JSON.stringify(version),
    },
  });
}
