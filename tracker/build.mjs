/** Decides how the tracker is built: as one script that runs at once, as small as it can be, and as a module to import. */

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));

const COMMON = {
  bundle: true,
  target: "es2017",
  legalComments: "none",
  logLevel: "silent",
  // The compiler's options are for checking; here they would only add a directive to what is sent.
  tsconfigRaw: {},
};

/** Of the window, even where the page has a `const URL` or `const history` of its own, which hides the browser's. */
const WINDOW_PROPERTIES = ["URL", "XMLHttpRequest", "history", "innerWidth", "localStorage", "navigator"];

/** @returns {Promise<string>} the script as it is served */
export async function buildTracker() {
  const { outputFiles } = await build({
    ...COMMON,
    entryPoints: [pathOf("script.ts")],
    write: false,
    format: "iife",
    minify: true,
    define: Object.fromEntries(WINDOW_PROPERTIES.map((name) => [name, `window.${name}`])),
  });
  return outputFiles[0].text;
}

/** Writes the module for programs that bundle their scripts. Their bundlers minify it. */
export async function buildTrackerModule(outfile) {
  await build({ ...COMMON, entryPoints: [pathOf("module.ts")], outfile, format: "esm" });
}
