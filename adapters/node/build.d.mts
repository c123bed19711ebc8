import type { Plugin } from "esbuild";

/** Writes `main.js` and the programs of its threads into a folder below the repository. A measurement may put other parts in. */
export function buildProgram(outdir: string, options?: { plugins?: readonly Plugin[] }): Promise<void>;
