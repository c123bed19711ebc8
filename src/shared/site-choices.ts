/** The choices of a site's settings, in the order of the dashboard. */

export const WEEK_STARTS = ["monday", "sunday", "saturday"] as const;
export type WeekStart = (typeof WEEK_STARTS)[number];

/** Parameters of a page's URL that a site may count as `utm_source`. */
export const SOURCE_PARAMETERS = ["ref", "source"] as const;

export type SourceParameter = (typeof SOURCE_PARAMETERS)[number];

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
