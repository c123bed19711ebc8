import type { Metafile, Plugin } from "esbuild";

/**
 * Writes `main.js`, the scripts of its threads and the files that they read into a folder below the repository. Benchmarks replace parts
 * with plugins. The metafiles list the modules that went into the bundles.
 */
export function buildProgram(outdir: string, options?: { plugins?: readonly Plugin[] }): Promise<{ metafiles: Metafile[] }>;
