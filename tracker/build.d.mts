/** The tracking script as it is served, minified. */
export function buildTracker(): Promise<string>;
