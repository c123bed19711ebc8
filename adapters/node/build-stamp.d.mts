/** A hash of the names and contents of all sources, those below the further folders included. */
export function hashOfSources(furtherFolders?: readonly string[]): string;

/** True if the folder has a complete build of the current sources. */
export function isCurrent(folder: string, furtherFolders?: readonly string[]): boolean;

export function writeStamp(folder: string, sources: string, names: readonly string[]): Promise<void>;

export function removeStamp(folder: string): Promise<void>;
