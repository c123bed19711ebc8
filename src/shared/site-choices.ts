/** The choices of a site's settings, in the order of the dashboard. */

export const WEEK_STARTS = ["monday", "sunday", "saturday"] as const;
export type WeekStart = (typeof WEEK_STARTS)[number];

/** Cards of the dashboard that a site may hide. */
export const CARDS = [
  "sources",
  "pages",
  "locations",
  "devices",
  "goals",
  "properties",
  "revenue",
  "funnel",
  "retention",
  "sequences",
  "flow",
] as const;

export type Card = (typeof CARDS)[number];
