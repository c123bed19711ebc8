/** Dimensions: labels, cards and formats of values. A dimension new to the API does not compile without an entry. */
import { UNRECORDED, type Filter } from "../../src/shared/filters.ts";
import type { Card } from "../../src/shared/site-choices.ts";
import { osVersionLabel } from "../../src/shared/versions.ts";
import type { Dimension } from "../api/types.ts";
import { isVisitDimension, onlyValueOf, VISIT_PREFIX } from "../state/filters.ts";
import { words } from "../words/words.ts";
import { LOCALE } from "./locale.ts";
import { readable, type Spelling } from "../state/spelling.ts";

export type DimensionCard = Extract<Card, "sources" | "pages" | "locations" | "devices">;

/** Names of entry and exit pages in filters. */
type SessionPage = "entry-page" | "exit-page";

interface DimensionInfo {
  readonly singular: string;
  readonly plural: string;
  /** The card with its tab. Without one, the dimension appears in the filter menu, in Details, or as a drill-down. */
  readonly card?: DimensionCard;
  /** The tab's text if it differs from the plural. */
  readonly tab?: string;
  /** The menu that offers it instead of a tab. */
  readonly menu?: string;
  /** Replaces it once it is filtered by one value. */
  readonly drillDown?: Dimension;
  /** Values mean something only beside a value of this dimension, as a version does beside its browser. */
  readonly versionOf?: "browsers" | "os";
  /** Its name in filters if it differs (docs/http-api.md, "Filters"). */
  readonly filterBy?: SessionPage;
  /** Label of `(unknown)`. */
  readonly unknown?: string;
  /** What it says of visitors. Undefined where it is an answer like any other. */
  readonly without?: string;
  readonly format?: (value: string) => string;
  /** Values that are read in another spelling than they are stored in. The service finds them by both. */
  readonly spelling?: Spelling;
  /** The label of a version; `of` is what it is a version of, null if that may be anything. */
  readonly versionLabel?: (version: string, of: string | null) => string;
}

const { dimensions: names, direct: DIRECT, none: UNTAGGED } = words.format;
const CAMPAIGNS = names["visit-utm-campaigns"].plural;

const regionNames = new Intl.DisplayNames(LOCALE, { type: "region", fallback: "code" });

export function countryName(code: string): string {
  try {
    return regionNames.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Our name of a value; of a value without one, the value. */
const nameIn = (ours: Readonly<Record<string, string>>, value: string): string =>
  (Object.hasOwn(ours, value) ? ours[value] : null) ?? value;

export const channelName = (channel: string): string => nameIn(words.format.channels, channel);

const deviceName = (type: string): string => nameIn(words.format.devices, type);

/** Listed in this order by tabs and filter menu. */
export const DIMENSIONS: Readonly<Record<Dimension, DimensionInfo>> = {
  "visit-channels": { ...names["visit-channels"], card: "sources", format: channelName },
  "visit-sources": { ...names["visit-sources"], card: "sources", unknown: DIRECT, spelling: "source" },
  "visit-referrers": { ...names["visit-referrers"], card: "sources", unknown: DIRECT, spelling: "url" },
  "visit-utm-campaigns": {
    ...names["visit-utm-campaigns"],
    card: "sources",
    tab: names["visit-utm-campaigns"].singular,
    menu: CAMPAIGNS,
    unknown: UNTAGGED,
    without: words.without.campaign,
  },
  "visit-utm-sources": {
    ...names["visit-utm-sources"],
    card: "sources",
    tab: names["visit-utm-sources"].singular,
    menu: CAMPAIGNS,
    unknown: UNTAGGED,
    without: words.without.utmSource,
  },
  "visit-utm-mediums": {
    ...names["visit-utm-mediums"],
    card: "sources",
    tab: names["visit-utm-mediums"].singular,
    menu: CAMPAIGNS,
    unknown: UNTAGGED,
    without: words.without.utmMedium,
  },
  "visit-utm-contents": {
    ...names["visit-utm-contents"],
    card: "sources",
    tab: names["visit-utm-contents"].singular,
    menu: CAMPAIGNS,
    unknown: UNTAGGED,
    without: words.without.utmContent,
  },
  "visit-utm-terms": {
    ...names["visit-utm-terms"],
    card: "sources",
    tab: names["visit-utm-terms"].singular,
    menu: CAMPAIGNS,
    unknown: UNTAGGED,
    without: words.without.utmTerm,
  },
  "visit-hostnames": { ...names["visit-hostnames"], spelling: "host", without: words.without.hostname },
  // What single events recorded. Views of earlier versions filter by them.
  sources: { ...names.sources, unknown: DIRECT, spelling: "source" },
  referrers: { ...names.referrers, unknown: DIRECT, spelling: "url" },
  "utm-campaigns": { ...names["utm-campaigns"], unknown: UNTAGGED, without: words.without.campaign },
  "utm-sources": { ...names["utm-sources"], unknown: UNTAGGED, without: words.without.utmSource },
  "utm-mediums": { ...names["utm-mediums"], unknown: UNTAGGED, without: words.without.utmMedium },
  "utm-contents": { ...names["utm-contents"], unknown: UNTAGGED, without: words.without.utmContent },
  "utm-terms": { ...names["utm-terms"], unknown: UNTAGGED, without: words.without.utmTerm },
  pages: { ...names.pages, card: "pages", spelling: "path" },
  "entry-pages": {
    ...names["entry-pages"],
    card: "pages",
    tab: words.format.entryTab,
    filterBy: "entry-page",
    spelling: "path",
    without: words.without.pageview,
  },
  "exit-pages": {
    ...names["exit-pages"],
    card: "pages",
    tab: words.format.exitTab,
    filterBy: "exit-page",
    spelling: "path",
    without: words.without.pageview,
  },
  hostnames: { ...names.hostnames, card: "pages", spelling: "host", without: words.without.hostname },
  countries: { ...names.countries, card: "locations", format: countryName, without: words.without.country },
  regions: { ...names.regions, card: "locations", without: words.without.region },
  cities: { ...names.cities, card: "locations", without: words.without.city },
  browsers: { ...names.browsers, card: "devices", drillDown: "browser-versions", without: words.without.browser },
  "browser-versions": {
    ...names["browser-versions"],
    versionOf: "browsers",
    without: words.without.version,
  },
  os: {
    ...names.os,
    card: "devices",
    tab: names.os.singular,
    drillDown: "os-versions",
    without: words.without.os,
  },
  "os-versions": {
    ...names["os-versions"],
    versionOf: "os",
    versionLabel: osVersionLabel,
    without: words.without.version,
  },
  "screen-sizes": {
    ...names["screen-sizes"],
    card: "devices",
    tab: names["screen-sizes"].singular,
    format: (px) => `${px} px`,
    without: words.without.screenSize,
  },
  devices: { ...names.devices, card: "devices", tab: names.devices.singular, format: deviceName, without: words.without.device },
  events: { ...names.events, format: (name) => (name === "pageview" ? words.format.pageview : name) },
};

const ALL = Object.keys(DIMENSIONS) as readonly Dimension[];

export const isDimension = (slug: string): slug is Dimension => Object.hasOwn(DIMENSIONS, slug);

export const filterDimensionOf = (dimension: Dimension): Dimension | SessionPage => DIMENSIONS[dimension].filterBy ?? dimension;

/** The breakdown of a filter's values; undefined for goals, properties and unknown dimensions. */
export const breakdownOf = (filterDimension: string): Dimension | undefined =>
  ALL.find((dimension) => filterDimensionOf(dimension) === filterDimension);

export const dimensionsOf = (card: DimensionCard): readonly Dimension[] => ALL.filter((dimension) => DIMENSIONS[dimension].card === card);

/** The dimension of single events whose place a dimension of visits has taken: the id of its tab in earlier links. */
export const eventDimensionOf = (dimension: Dimension): string | undefined =>
  isVisitDimension(dimension) ? dimension.slice(VISIT_PREFIX.length) : undefined;

export const tabLabelOf = (dimension: Dimension): string => DIMENSIONS[dimension].tab ?? DIMENSIONS[dimension].plural;

/** Unset values have a meaning of their own: visits that came from nowhere. */
export const hasDirect = (dimension: Dimension): boolean => DIMENSIONS[dimension].unknown === DIRECT;

/** Values that say something. The others are told of in a note: they would flatten the bars of a list. */
export const isAnswer = (dimension: Dimension, value: string): boolean =>
  value !== UNRECORDED || DIMENSIONS[dimension].without === undefined;

/** The realtime report's text for visitors without a source. No filter matches it. */
export const DIRECT_SOURCE = "(direct)";

/** The filter by one browser or system, which makes versions unambiguous. */
export const filterOfVersions = (dimension: Dimension, filters: readonly Filter[]): Filter | undefined =>
  filters.find((filter) => filter.dimension === DIMENSIONS[dimension].versionOf && onlyValueOf(filter) !== undefined);

export const unknownLabel = (dimension: Dimension): string => DIMENSIONS[dimension].unknown ?? words.format.unknown;

/** `Chrome 147` if the filters let only one browser through. */
export function formatValue(dimension: Dimension, value: string, filters: readonly Filter[] = []): string {
  const { format, spelling, versionOf, versionLabel } = DIMENSIONS[dimension];
  if (value === UNRECORDED) return unknownLabel(dimension);
  if (value === DIRECT_SOURCE) return DIRECT;
  const [whole = null] = filterOfVersions(dimension, filters)?.values ?? [];
  const text = spelling ? readable(value, spelling) : value;
  const label = versionLabel?.(value, whole) ?? format?.(value) ?? text;
  return whole !== null && versionOf ? `${formatValue(versionOf, whole)} ${label}` : label;
}
