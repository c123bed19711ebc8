/** Why events get their response and are not stored (docs/bots.md). */

/** Ordered as they are decided. */
export const DROP_REASONS = [
  "headless_browser",
  "bot",
  "excluded_address",
  "excluded_country",
  "excluded_network",
  "excluded_referrer",
  "excluded_page",
] as const;

export type DropReason = (typeof DROP_REASONS)[number];

export const isDropReason = (word: string): word is DropReason => DROP_REASONS.some((reason) => reason === word);

/** True if `filter_bots` drops it; else the site's settings do. */
export const isOfBot = (reason: DropReason): boolean => reason === "bot" || reason === "headless_browser";
