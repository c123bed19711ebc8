/** Writes `main.js` and `engine-worker.js` into a folder below the repository. */
export function buildProgram(outdir: string): Promise<void>;
