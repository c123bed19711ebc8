import type { Plugin } from "esbuild";

/**
 * Writes `main.js`, the scripts of its threads and the files that they read into a folder below the repository. Benchmarks replace parts
 * with plugins.
 */
export function buildProgram(outdir: string, options?: { plugins?: readonly Plugin[] }): Promise<void>;
