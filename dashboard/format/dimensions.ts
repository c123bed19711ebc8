/** What the dimensions of figures are called, and how their values are written. */
import { LOCALE } from "./locale.ts";

export interface DimensionWords {
  /** Over a list of values. */
  readonly title: string;
  /** Before a value of a filter. */
  readonly one: string;
}

export const DIMENSIONS: Readonly<Record<string, DimensionWords>> = {
  sources: { title: "Sources", one: "Source" },
  referrers: { title: "Referrers", one: "Referrer" },
  "utm-sources": { title: "UTM sources", one: "UTM source" },
  "utm-mediums": { title: "UTM mediums", one: "UTM medium" },
  "utm-campaigns": { title: "UTM campaigns", one: "UTM campaign" },
  "utm-contents": { title: "UTM contents", one: "UTM content" },
  "utm-terms": { title: "UTM terms", one: "UTM term" },
  pages: { title: "Top pages", one: "Page" },
  "entry-pages": { title: "Entry pages", one: "Page" },
  "exit-pages": { title: "Exit pages", one: "Page" },
  countries: { title: "Countries", one: "Country" },
  regions: { title: "Regions", one: "Region" },
  cities: { title: "Cities", one: "City" },
  browsers: { title: "Browsers", one: "Browser" },
  "browser-versions": { title: "Browser versions", one: "Browser version" },
  os: { title: "Operating systems", one: "Operating system" },
  "os-versions": { title: "Versions of operating systems", one: "Version of operating system" },
  devices: { title: "Device types", one: "Device type" },
  "screen-sizes": { title: "Screen widths", one: "Screen width" },
  events: { title: "Events", one: "Event" },
};

/** Those that a filter can name. */
export const FILTERABLE = Object.keys(DIMENSIONS).filter((slug) => slug !== "entry-pages" && slug !== "exit-pages");

/** Sessions cannot be filtered by where they begin or end; the page itself can be. */
export const filterDimensionOf = (slug: string): string => (slug === "entry-pages" || slug === "exit-pages" ? "pages" : slug);

export const UNKNOWN = "(unknown)";

const UNRECORDED: Readonly<Record<string, string>> = {
  sources: "Direct / none",
  referrers: "Direct / none",
  "utm-sources": "Not tagged",
  "utm-mediums": "Not tagged",
  "utm-campaigns": "Not tagged",
  "utm-contents": "Not tagged",
  "utm-terms": "Not tagged",
};

const regionNames = new Intl.DisplayNames(LOCALE, { type: "region", fallback: "code" });

export function countryName(code: string): string {
  try {
    return regionNames.of(code) ?? code;
  } catch {
    return code;
  }
}

const DEVICES: Readonly<Record<string, string>> = {
  desktop: "Desktop",
  mobile: "Mobile",
  tablet: "Tablet",
  tv: "TV",
  console: "Console",
  wearable: "Wearable",
};

export function valueText(dimension: string, value: string): string {
  if (value === UNKNOWN) return UNRECORDED[dimension] ?? "Unknown";
  if (value === "(direct)") return "Direct / none";
  if (dimension === "countries") return countryName(value);
  if (dimension === "devices") return DEVICES[value] ?? value;
  if (dimension === "screen-sizes") return `${value} px`;
  if (dimension === "events" && value === "pageview") return "Pageview";
  return value;
}
