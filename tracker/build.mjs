/** Decides how the tracking script is made from its modules: one function that runs at once, as small as it can be. */

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

/** @returns {Promise<string>} the script as it is served */
export async function buildTracker() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("script.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2017",
    minify: true,
    legalComments: "none",
    logLevel: "silent",
    // The compiler's options are for checking; here they would only add a directive to what is sent.
    tsconfigRaw: {},
  });
  return outputFiles[0].text;
}
