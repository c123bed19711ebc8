/** Builds the tracker: as a minified script that runs when it loads, and as a module to import. And the script of the visitor's choice. */

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

const COMMON = {
  bundle: true,
  target: "es2017",
  legalComments: "none",
  logLevel: "silent",
  // With tsconfig.json, esbuild would add a "use strict" directive to the script.
  tsconfigRaw: {},
};

/** Read from `window`: a page's own `const URL` or `const history` hides the global. */
const WINDOW_PROPERTIES = ["URL", "XMLHttpRequest", "history", "innerWidth", "localStorage", "navigation", "navigator", "screen"];

/** @param {string} entry @param {import("esbuild").Plugin[]} plugins @returns {Promise<string>} the script as served */
async function buildScript(entry, plugins) {
  const { outputFiles } = await build({
    ...COMMON,
    plugins,
    entryPoints: [pathOf(entry)],
    write: false,
    format: "iife",
    minify: true,
    define: Object.fromEntries(WINDOW_PROPERTIES.map((name) => [name, `window.${name}`])),
  });
  return outputFiles[0].text;
}

/** @param {import("esbuild").Plugin[]} [plugins] */
export const buildTracker = (plugins = []) => buildScript("script.ts", plugins);

/** @param {import("esbuild").Plugin[]} [plugins] */
export const buildOptOut = (plugins = []) => buildScript("opt-out.ts", plugins);

/** Writes the module; the application's bundler minifies it. @param {string} outfile */
export async function buildTrackerModule(outfile) {
  await build({ ...COMMON, entryPoints: [pathOf("module.ts")], outfile, format: "esm" });
}
