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
import { slimEngineModule } from "../engine-module.mjs";
import { BundledLicenses } from "../licenses.mjs";
import { packScript } from "../pack-asset.mjs";
import { buildTracker } from "../../tracker/build.mjs";
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

/** How the names of folders begin in which builds are made. */
const UNFINISHED = ".build-";

/** A build takes seconds. */
const BUILD_MS_MAX = 600_000;

/** Not minified, so that stacks name functions; without source maps, which Node reads only when asked to and which weigh 11 MB. */
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: /** @type {const} */ ("node"),
  format: /** @type {const} */ ("esm"),
  target: "node20",
  banner: { js: BANNER },
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

/** @param {string} folder @param {readonly import("esbuild").Plugin[]} plugins @param {BundledLicenses} licenses */
async function bundleProgram(folder, plugins, licenses) {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  await build({
    ...shared,
    entryPoints: ["main", "threads/parquet-worker", "threads/password-worker", "threads/rollup-worker"].map(
      (path) => `adapters/node/${path}.ts`,
    ),
    entryNames: "[name]",
    outdir: folder,
    inject: ["adapters/node/http/fetch-classes.ts"],
    plugins: [...plugins, licenses.plugin],
    define: {
      TRACKER_SCRIPT: JSON.stringify(packScript(await buildTracker([licenses.plugin]))),
      DASHBOARD_ASSETS: JSON.stringify(await buildDashboard([licenses.plugin])),
      VERSION: JSON.stringify(version),
    },
  });
}

/** @param {string} folder @param {BundledLicenses} licenses */
const bundleEngineThread = (folder, licenses) =>
  build({ ...shared, entryPoints: ["adapters/node/threads/engine-worker.ts"], outdir: folder, plugins: [oneArrowPlugin, licenses.plugin] });

/** @param {string} folder */
const writeEngineModule = async (folder) => writeFile(join(folder, "engine.wasm"), slimEngineModule(await readFile(ENGINE_MODULE)));

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
 * Moves the files of a build into place one by one, so that a program that starts meanwhile finds each of them complete. The stamp is
 * absent until all are in place: an interrupted build counts as none.
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
  try {
    await Promise.all([
      bundleProgram(built, plugins, licenses),
      bundleEngineThread(built, licenses),
      writeEngineModule(built),
      copyFile(COUNTRY_DATABASE, join(built, "countries.mmdb")),
    ]);
    await writeFile(join(built, "THIRD-PARTY-LICENSES.txt"), await licenses.notice());
    await replaceBuild(built, folder, sources);
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}
