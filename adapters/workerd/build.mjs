/** Bundles the Worker with every WebAssembly module that it needs, because workerd compiles none at run time. */
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildDashboard } from "../../dashboard/build.mjs";
import { slimEngineModule } from "../engine-module.mjs";
import { packScript } from "../pack-asset.mjs";
import { buildOptOut, buildTracker } from "../../tracker/build.mjs";
import { encodeCountryRanges } from "./encode-country-ranges.mjs";
import { recordModules } from "./record-modules.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

const { resolve } = createRequire(import.meta.url);

/** The folder of the package's browser build, which it does not export. */
const DUCKDB_DIST = join(resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm"), "..");

const COUNTRY_DATABASE = "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb";
const COUNTRY_RANGES = "country-ranges.bin";

const MAIN_MODULE = "duckdb-eh.wasm";

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: /** @type {const} */ ("browser"),
  conditions: ["workerd", "worker", "browser"],
  format: /** @type {const} */ ("esm"),
  target: "es2022",
  logLevel: /** @type {const} */ ("warning"),
};

/** @type {import("esbuild").Plugin} */
const duckdbPlugin = {
  name: "duckdb-browser",
  setup({ onResolve }) {
    onResolve({ filter: /\/duckdb-browser\.js$/ }, () => ({ path: join(DUCKDB_DIST, "duckdb-browser-blocking.mjs") }));
  },
};

/**
 * Keeps WebAssembly and binary files out of the Worker's script, and generates the table of precompiled modules.
 * @param {ReadonlyMap<string, string>} names of the modules' files by key
 * @returns {import("esbuild").Plugin}
 */
const filesPlugin = (names) => ({
  name: "files-beside",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.(wasm|bin)$/ }, ({ path }) => ({ path: `./${basename(path)}`, external: true }));
    onResolve({ filter: /\/precompiled-table\.js$/ }, () => ({ path: "precompiled-table", namespace: "generated" }));
    onLoad({ filter: /.*/, namespace: "generated" }, () => {
      const entries = [...names];
      const imports = entries.map(([, name], i) => `import m${i} from "./${name}";`);
      const pairs = entries.map(([key], i) => `["${key}", m${i}]`);
      return { contents: `${imports.join("\n")}\nexport const PRECOMPILED = new Map([${pairs.join(", ")}]);` };
    });
  },
});

async function bundleRecording() {
  const { outputFiles } = await build({
    ...shared,
    plugins: [duckdbPlugin],
    entryPoints: ["adapters/workerd/recording.ts"],
    format: "iife",
    globalName: "recording",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/** The platform uploads every module in the folder, so those of an earlier build have to go. @param {string} folder */
async function removeModulesOf(folder) {
  for (const name of await readdir(folder)) if (name.endsWith(".wasm")) await rm(join(folder, name));
}

/**
 * @param {string} outdir below the repository
 * @param {Readonly<Record<string, string>>} [otherEntries] entry points of further Workers by name, with the same modules
 */
export async function buildWorker(outdir, otherEntries = {}) {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const mainModule = slimEngineModule(await readFile(join(DUCKDB_DIST, MAIN_MODULE)));
  const modules = await recordModules(await bundleRecording(), mainModule);
  const folder = join(root, outdir);
  await mkdir(folder, { recursive: true });
  await removeModulesOf(folder);
  await writeFile(join(folder, MAIN_MODULE), mainModule);
  await writeFile(join(folder, COUNTRY_RANGES), encodeCountryRanges(await readFile(resolve(COUNTRY_DATABASE))));
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const [key, bytes] of modules) {
    names.set(key, `module-${key}.wasm`);
    await writeFile(join(folder, `module-${key}.wasm`), bytes);
  }
  await build({
    ...shared,
    external: ["cloudflare:workers"],
    entryPoints: { worker: "adapters/workerd/worker.ts", ...otherEntries },
    outdir,
    minify: true,
    // Log lines contain names of classes, and errors are distinguished by theirs.
    keepNames: true,
    sourcemap: true,
    plugins: [duckdbPlugin, filesPlugin(names)],
    define: {
      TRACKER_SCRIPT: JSON.stringify(packScript(await buildTracker())),
      DASHBOARD_ASSETS: JSON.stringify({ ...(await buildDashboard()), "opt-out.js": packScript(await buildOptOut()) }),
      VERSION: JSON.stringify(version),
    },
  });
}
