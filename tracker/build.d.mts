/** The tracking script as it is served, minified. */
export function buildTracker(): Promise<string>;

/** Writes the importable module to a file. */
export function buildTrackerModule(outfile: string): Promise<void>;
