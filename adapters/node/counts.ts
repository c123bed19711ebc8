/** How commands print counts. */

/** Formats with commas: `1,234`. */
export const formatCount = (count: number): string => count.toLocaleString("en-US");

/** `1 file`, `2 files`. */
export const counted = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
