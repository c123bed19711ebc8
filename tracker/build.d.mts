/** The tracking script as served, minified. */
export function buildTracker(): Promise<string>;

/** Writes the importable module to a file. */
export function buildTrackerModule(outfile: string): Promise<void>;
