/** The dimensions of breakdowns and filters, and the stored column that each reads (docs/http-api.md, "Breakdowns"). */
import { invalidInput } from "../base/errors.ts";
import type { ColumnName } from "./sql.ts";

const DIMENSION_COLUMNS = {
  pages: "pathname",
  hostnames: "hostname",
  referrers: "referrer",
  sources: "referrer_source",
  countries: "country_code",
  regions: "region",
  cities: "city",
  browsers: "browser",
  "browser-versions": "browser_version",
  os: "os",
  "os-versions": "os_version",
  devices: "device_type",
  "screen-sizes": "screen_size",
  "utm-sources": "utm_source",
  "utm-mediums": "utm_medium",
  "utm-campaigns": "utm_campaign",
  "utm-contents": "utm_content",
  "utm-terms": "utm_term",
  events: "event_name",
} as const satisfies Record<string, ColumnName>;

export type Dimension = keyof typeof DIMENSION_COLUMNS;

export const DIMENSIONS = Object.keys(DIMENSION_COLUMNS) as readonly Dimension[];

export const columnOf = (dimension: Dimension): ColumnName => DIMENSION_COLUMNS[dimension];

/** Dimensions of sessions, not of events: they need the behavioral extension and cannot be filtered on. */
export const SESSION_DIMENSIONS = ["entry-pages", "exit-pages"] as const;
export type SessionDimension = (typeof SESSION_DIMENSIONS)[number];

export const isDimension = (slug: string): slug is Dimension => Object.hasOwn(DIMENSION_COLUMNS, slug);

export const isSessionDimension = (slug: string): slug is SessionDimension => (SESSION_DIMENSIONS as readonly string[]).includes(slug);

/** 400 for an unknown slug, with a list of the known ones. */
export function parseDimension(slug: string): Dimension | SessionDimension {
  if (isDimension(slug) || isSessionDimension(slug)) return slug;
  throw invalidInput(`Unknown dimension "${slug}". Use one of: ${[...DIMENSIONS, ...SESSION_DIMENSIONS].join(", ")}`);
}
