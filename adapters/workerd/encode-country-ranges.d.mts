/** A country database in MaxMind format as `openCountryRanges` reads it. */
export function encodeCountryRanges(database: Uint8Array): Uint8Array;
