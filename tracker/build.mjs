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

/** @returns {Promise<string>} the script as it is served */
export async function buildTracker() {
  const { outputFiles } = await build({
    ...COMMON,
    entryPoints: [pathOf("script.ts")],
    write: false,
    format: "iife",
    minify: true,
  });
  return outputFiles[0].text;
}

/** Writes the module for programs that bundle their scripts. Their bundlers minify it. */
export async function buildTrackerModule(outfile) {
  await build({ ...COMMON, entryPoints: [pathOf("module.ts")], outfile, format: "esm" });
}
