/** Files beside the scripts that the page loads when it needs them. */

/** Defined by the build: names with a hash of the content, by what they are without it. */
declare const LATER_FILES: Readonly<Record<string, string>>;

export const addressOf = (file: string): string => new URL(LATER_FILES[file] ?? "", import.meta.url).href;
