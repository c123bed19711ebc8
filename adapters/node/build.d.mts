import type { Plugin } from "esbuild";

/** Writes `main.js` and the scripts of its threads into a folder below the repository. Benchmarks replace parts with plugins. */
export function buildProgram(outdir: string, options?: { plugins?: readonly Plugin[] }): Promise<void>;
