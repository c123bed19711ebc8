/**
 * Bundles the program and its threads, each into one file with its packages: to find and read the files of packages would take half of
 * the time until the program listens, and an installed program needs no other package.
 */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildDashboard } from "../../dashboard/build.mjs";
import { markedModule, slimEngineModule } from "../engine-module.mjs";
import { BundledLicenses } from "../licenses.mjs";
import { packScript } from "../pack-asset.mjs";
import { buildOptOut, buildTracker } from "../../tracker/build.mjs";
import { hashOfSources, removeStamp, writeStamp } from "./build-stamp.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The first line lets a shell run the program. After it, the globals that CommonJS packages expect. */
const BANNER = `#!/usr/bin/env node
import { createRequire as createRequireOf } from "node:module";
const require = createRequireOf(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;
`;

const packages = createRequire(import.meta.url);
const ENGINE_MODULE = packages.resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm");
const COUNTRY_DATABASE = packages.resolve("@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb");

const UNFINISHED = ".build-";

/** A build takes seconds. */
const BUILD_MS_MAX = 600_000;

/** Not minified, so that stacks name functions; without source maps, which Node reads only when asked to and which weigh 11 MB. */
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: /** @type {const} */ ("node"),
  target: "node20",
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
 * @typedef {object} Parts
 * @property {readonly import("esbuild").Plugin[]} plugins
 * @property {BundledLicenses} licenses
 * @property {string} buildLine
 */

/** @param {string} folder @param {Parts} parts */
async function bundleProgram(folder, { plugins, licenses, buildLine }) {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  await build({
    ...shared,
    format: "esm",
    banner: { js: BANNER },
    entryPoints: ["adapters/node/main.ts"],
    outdir: folder,
    inject: ["adapters/node/http/fetch-classes.ts"],
    plugins: [...plugins, licenses.plugin],
    define: {
      BUILD_LINE: JSON.stringify(buildLine),
      TRACKER_SCRIPT: JSON.stringify(packScript(await buildTracker([licenses.plugin]))),
      DASHBOARD_ASSETS: JSON.stringify({
        ...(await buildDashboard(licenses)),
        "opt-out.js": packScript(await buildOptOut([licenses.plugin])),
      }),
      VERSION: JSON.stringify(version),
    },
  });
}

/** Threads run the text of their script, which therefore is not a module. @param {string} folder @param {Parts} parts */
const bundleThreads = (folder, { plugins, licenses, buildLine }) =>
  build({
    ...shared,
    format: "iife",
    banner: { js: buildLine },
    entryPoints: ["engine", "parquet", "password", "rollup"].map((name) => `adapters/node/threads/${name}-worker.ts`),
    outdir: folder,
    plugins: [...plugins, oneArrowPlugin, licenses.plugin],
  });

/** It ends in the line that scripts of threads begin with. @param {string} folder @param {Parts} parts */
const writeEngineModule = async (folder, { buildLine }) =>
  writeFile(join(folder, "engine.wasm"), markedModule(slimEngineModule(await readFile(ENGINE_MODULE)), buildLine));

/** Removes what builds left behind that were killed. @param {string} folder */
async function removeAbandoned(folder) {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(UNFINISHED)) continue;
    // Another build may be removing its own.
    const status = await stat(path).catch(() => null);
    if (status === null || Date.now() - status.mtimeMs < BUILD_MS_MAX) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/**
 * Moves the files of a build into place one by one, so that a program that starts meanwhile finds each of them complete, and notices
 * scripts of another build. The stamp is absent until all are in place: an interrupted build counts as none.
 * @param {string} built @param {string} folder @param {string} sources
 */
async function replaceBuild(built, folder, sources) {
  await removeStamp(folder);
  const names = await readdir(built);
  for (const name of names) await rename(join(built, name), join(folder, name));
  await writeStamp(folder, sources, names);
}

/**
 * Writes `main.js`, the scripts of its threads, the engine's module, the country database and the licenses of all packages in them into a
 * folder below the repository. Benchmarks replace parts with plugins.
 * @param {string} outdir
 * @param {{ plugins?: readonly import("esbuild").Plugin[] }} [options]
 */
export async function buildProgram(outdir, { plugins = [] } = {}) {
  const sources = hashOfSources();
  const folder = join(root, outdir);
  await mkdir(folder, { recursive: true });
  await removeAbandoned(folder);
  const built = await mkdtemp(join(folder, UNFINISHED));
  const licenses = new BundledLicenses();
  const parts = { plugins, licenses, buildLine: `// Build ${sources}` };
  try {
    await Promise.all([
      bundleProgram(built, parts),
      bundleThreads(built, parts),
      writeEngineModule(built, parts),
      copyFile(COUNTRY_DATABASE, join(built, "countries.mmdb")),
    ]);
    await writeFile(join(built, "THIRD-PARTY-LICENSES.txt"), await licenses.notice());
    await replaceBuild(built, folder, sources);
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}
