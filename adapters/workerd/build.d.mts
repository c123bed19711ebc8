/**
 * Writes `worker.js` and its WebAssembly modules into a folder below the repository, and further Workers from their entry points
 * by name.
 */
export function buildWorker(outdir: string, otherEntries?: Readonly<Record<string, string>>): Promise<void>;
