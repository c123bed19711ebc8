/**
 * Writes `worker.js` and the WebAssembly modules it needs into a folder below the repository, and further Workers' entries
 * by name.
 */
export function buildWorker(outdir: string, otherEntries?: Readonly<Record<string, string>>): Promise<void>;
