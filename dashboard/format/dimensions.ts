/** Every dimension: its labels, its card and how its values are written. A dimension new to the API does not compile without an entry. */
import type { Filter } from "../../src/shared/filters.ts";
import type { Card } from "../../src/shared/site-choices.ts";
import type { Dimension } from "../api/types.ts";
import { onlyValueOf } from "../state/filters.ts";
import { LOCALE } from "./locale.ts";

export type DimensionCard = Extract<Card, "sources" | "pages" | "locations" | "devices">;

/** The pages that visits begin and end with, as filters call them. */
type SessionPage = "entry-page" | "exit-page";

interface DimensionInfo {
  readonly singular: string;
  readonly plural: string;
  /** The card that shows it as a tab. Without one it appears in the filter menu, in Details, or as the drill-down of another. */
  readonly card?: DimensionCard;
  /** The tab's text, where it is not the plural. */
  readonly tab?: string;
  /** The menu that offers it in place of a tab of its own. */
  readonly menu?: string;
  /** Shown in its place once filtered by one of its values. */
  readonly drillDown?: Dimension;
  /** Its values mean something only beside a value of this dimension, as a version does beside its browser. */
  readonly versionOf?: Dimension;
  /** What a click on a value filters by, where filters have a name of their own for it (docs/http-api.md, "Filters"). */
  readonly filterBy?: SessionPage;
  /** What `(unknown)` means. */
  readonly unknown?: string;
  readonly format?: (value: string) => string;
}

const DIRECT = "Direct / none";
const UNTAGGED = "Not tagged";
const UTM = "UTM";

const regionNames = new Intl.DisplayNames(LOCALE, { type: "region", fallback: "code" });

export function countryName(code: string): string {
  try {
    return regionNames.of(code) ?? code;
  } catch {
    return code;
  }
}

const deviceName = (type: string): string => (type === "tv" ? "TV" : type.slice(0, 1).toUpperCase() + type.slice(1));

/** Tabs and the filter menu list them in this order. */
export const DIMENSIONS: Readonly<Record<Dimension, DimensionInfo>> = {
  sources: { singular: "Source", plural: "Sources", card: "sources", unknown: DIRECT },
  referrers: { singular: "Referrer", plural: "Referrers", card: "sources", unknown: DIRECT },
  "utm-campaigns": {
    singular: "UTM campaign",
    plural: "UTM campaigns",
    card: "sources",
    tab: "UTM campaign",
    menu: UTM,
    unknown: UNTAGGED,
  },
  "utm-sources": { singular: "UTM source", plural: "UTM sources", card: "sources", tab: "UTM source", menu: UTM, unknown: UNTAGGED },
  "utm-mediums": { singular: "UTM medium", plural: "UTM mediums", card: "sources", tab: "UTM medium", menu: UTM, unknown: UNTAGGED },
  "utm-contents": { singular: "UTM content", plural: "UTM contents", card: "sources", tab: "UTM content", menu: UTM, unknown: UNTAGGED },
  "utm-terms": { singular: "UTM term", plural: "UTM terms", card: "sources", tab: "UTM term", menu: UTM, unknown: UNTAGGED },
  pages: { singular: "Page", plural: "Top pages", card: "pages", tab: "Top" },
  "entry-pages": { singular: "Entry page", plural: "Entry pages", card: "pages", tab: "Entry", filterBy: "entry-page" },
  "exit-pages": { singular: "Exit page", plural: "Exit pages", card: "pages", tab: "Exit", filterBy: "exit-page" },
  hostnames: { singular: "Hostname", plural: "Hostnames", card: "pages" },
  countries: { singular: "Country", plural: "Countries", card: "locations", format: countryName },
  regions: { singular: "Region", plural: "Regions", card: "locations" },
  cities: { singular: "City", plural: "Cities", card: "locations" },
  browsers: { singular: "Browser", plural: "Browsers", card: "devices", drillDown: "browser-versions" },
  "browser-versions": { singular: "Browser version", plural: "Browser versions", versionOf: "browsers" },
  os: { singular: "OS", plural: "Operating systems", card: "devices", tab: "OS", drillDown: "os-versions" },
  "os-versions": { singular: "OS version", plural: "OS versions", versionOf: "os" },
  "screen-sizes": { singular: "Screen size", plural: "Screen sizes", card: "devices", tab: "Screen size", format: (px) => `${px} px` },
  devices: { singular: "Device", plural: "Devices", card: "devices", tab: "Device", format: deviceName },
  events: { singular: "Event", plural: "Events", format: (name) => (name === "pageview" ? "Pageview" : name) },
};

const ALL = Object.keys(DIMENSIONS) as readonly Dimension[];

export const isDimension = (slug: string): slug is Dimension => Object.hasOwn(DIMENSIONS, slug);

export const filterDimensionOf = (dimension: Dimension): Dimension | SessionPage => DIMENSIONS[dimension].filterBy ?? dimension;

/** The breakdown with the values of a filter; undefined for goals, properties and what does not exist. */
export const breakdownOf = (filterDimension: string): Dimension | undefined =>
  ALL.find((dimension) => filterDimensionOf(dimension) === filterDimension);

export const dimensionsOf = (card: DimensionCard): readonly Dimension[] => ALL.filter((dimension) => DIMENSIONS[dimension].card === card);

export const tabLabelOf = (dimension: Dimension): string => DIMENSIONS[dimension].tab ?? DIMENSIONS[dimension].plural;

/** What the service writes for a value that was not recorded. */
export const UNKNOWN = "(unknown)";

/** The code before a country's name; empty for everything else. */
export const countryMark = (dimension: Dimension, value: string): string => (dimension === "countries" && value !== UNKNOWN ? value : "");

/** Whether its unset values mean something of their own, as visits that came from nowhere do. */
export const hasDirect = (dimension: Dimension): boolean => DIMENSIONS[dimension].unknown === DIRECT;

/** What the realtime report writes for visitors without a source. No filter matches it. */
export const DIRECT_SOURCE = "(direct)";

/** The filter by one browser, say, under which versions are those of that browser. */
export const filterOfVersions = (dimension: Dimension, filters: readonly Filter[]): Filter | undefined =>
  filters.find((filter) => filter.dimension === DIMENSIONS[dimension].versionOf && onlyValueOf(filter) !== undefined);

/** What stands for `(unknown)`. */
export const unknownLabel = (dimension: Dimension): string => DIMENSIONS[dimension].unknown ?? "Unknown";

/** As it stands in a report under these filters: `Chrome 147` where they let only one browser through. */
export function formatValue(dimension: Dimension, value: string, filters: readonly Filter[] = []): string {
  const { format, versionOf } = DIMENSIONS[dimension];
  if (value === UNKNOWN) return unknownLabel(dimension);
  if (value === DIRECT_SOURCE) return DIRECT;
  const [whole] = filterOfVersions(dimension, filters)?.values ?? [];
  if (whole !== undefined && versionOf) return `${formatValue(versionOf, whole)} ${value}`;
  return format ? format(value) : value;
}
