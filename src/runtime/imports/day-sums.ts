/** Rows of days added up to the measures that reports ask for (`storage/day-sums.ts`). */
import { UNRECORDED } from "../../shared/filters.ts";
import { cutToChars, wellFormed } from "../../shared/text.ts";
import { dayNumberOf } from "../../storage/calendar.ts";
import type { Columns } from "../../storage/columns.ts";
import { CUSTOM_EVENTS, DAY_TOTALS, daySums, measuresOfDays } from "../../storage/day-sums.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { type Measures, propertyMeasure, type Rollup } from "../../storage/rollup.ts";
import { bareHost, campaignSource, sourceOfReferrer } from "../arrivals/source-names.ts";
import { IMPORT_DAY_PROPERTIES_MAX, IMPORT_NAME_CHARS_MAX, PROPS_CHARS_MAX, URL_CHARS_MAX, UTM_CHARS_MAX } from "../base/config/limits.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import type { DataMinimisation } from "../ingest/accept-event.ts";
import { parseReferrer } from "../ingest/referrer.ts";
import { type PageRules, parsePageUrl } from "../ingest/urls.ts";
import { DAY_MEASURES, type DayCount } from "../query/day-sums.ts";
import type { DayCounts, DayDimension, DayRow, DayTable } from "./rows.ts";

/** The measures of a table, each by the dimension whose values it has. */
const MEASURES: Readonly<Record<DayTable, readonly (readonly [measure: string, dimension: DayDimension])[]>> = {
  totals: [],
  sources: [
    [DAY_MEASURES.sources, "referrerSource"],
    [DAY_MEASURES.referrers, "referrer"],
    [DAY_MEASURES["utm-sources"], "utmSource"],
    [DAY_MEASURES["utm-mediums"], "utmMedium"],
    [DAY_MEASURES["utm-campaigns"], "utmCampaign"],
    [DAY_MEASURES["utm-contents"], "utmContent"],
    [DAY_MEASURES["utm-terms"], "utmTerm"],
  ],
  // Visitors of a host have several pages, and do not add up over them.
  pages: [[DAY_MEASURES.pages, "pathname"]],
  "entry-pages": [["entry-pages", "pathname"]],
  "exit-pages": [["exit-pages", "pathname"]],
  locations: [
    [DAY_MEASURES.countries, "countryCode"],
    [DAY_MEASURES.regions, "region"],
    [DAY_MEASURES.cities, "city"],
  ],
  devices: [[DAY_MEASURES.devices, "deviceType"]],
  browsers: [
    [DAY_MEASURES.browsers, "browser"],
    [DAY_MEASURES["browser-versions"], "browserVersion"],
  ],
  "operating-systems": [
    [DAY_MEASURES.os, "os"],
    [DAY_MEASURES["os-versions"], "osVersion"],
  ],
  events: [[DAY_MEASURES.events, "eventName"]],
  properties: [],
};

const SECOND_MS = 1000;

/** The counts of a row as columns of a measure; absent ones are not known. */
const columnsOf = ({ visitors, pageviews, events, visits, bounces, durationSeconds }: DayCounts): Partial<Record<DayCount, number>> => ({
  ...(visitors !== undefined && { visitors }),
  ...(pageviews !== undefined && { pageviews }),
  ...(events !== undefined && { events }),
  ...(visits !== undefined && { sessions: visits }),
  ...(bounces !== undefined && { bounces }),
  ...(durationSeconds !== undefined && { duration_ms: durationSeconds * SECOND_MS }),
});

/** The sums of one measure by day and value. */
class Sums {
  readonly #hasValues: boolean;
  readonly #places = new Map<string, number>();
  readonly #days: number[] = [];
  readonly #values: string[] = [];
  /** Columns that all rows so far have. */
  #counts: Map<DayCount, number[]> | null = null;

  constructor(hasValues: boolean) {
    this.#hasValues = hasValues;
  }

  /** Returns whether the day and value are new. */
  add(day: number, value: string, counts: Partial<Record<DayCount, number>>): boolean {
    const key = `${day} ${value}`;
    const known = this.#places.get(key);
    const place = known ?? this.#days.length;
    if (known === undefined) {
      this.#places.set(key, place);
      this.#days.push(day);
      this.#values.push(value);
    }
    const entries = Object.entries(counts) as [DayCount, number][];
    this.#counts ??= new Map(entries.map(([name]) => [name, []]));
    for (const name of this.#counts.keys()) if (!(name in counts)) this.#counts.delete(name);
    for (const [name, count] of entries) {
      const sums = this.#counts.get(name);
      if (sums) sums[place] = (sums[place] ?? 0) + count;
    }
    return known === undefined;
  }

  toColumns(): Columns {
    const counts = [...(this.#counts ?? [])].map(([name, sums]) => [name, Float64Array.from(sums)] as const);
    return { bucket: Float64Array.from(this.#days), ...(this.#hasValues && { value: this.#values }), ...Object.fromEntries(counts) };
  }
}

export interface DaySumsOptions {
  readonly pageRules: PageRules;
  readonly minimisation: DataMinimisation;
}

/** What of an import is not written yet. */
export class DaySums {
  readonly #options: DaySumsOptions;
  readonly #measures = new Map<string, Sums>();
  readonly #days = new Set<LocalDate>();
  #groups = 0;
  #chars = 0;

  constructor(options: DaySumsOptions) {
    this.#options = options;
  }

  /** Different days and values of all measures. */
  get groups(): number {
    return this.#groups;
  }

  /** Characters of their values. */
  get chars(): number {
    return this.#chars;
  }

  add({ table, date, values, counts }: DayRow): void {
    this.#days.add(date);
    const columns = columnsOf(counts);
    if (table === "totals") {
      this.#add(DAY_TOTALS, date, null, columns);
    } else if (table === "properties") {
      this.#addProperty(date, values, columns);
    } else {
      if (table === "events" && values.eventName === PAGEVIEW) return;
      for (const [measure, dimension] of MEASURES[table]) {
        const value = values[dimension];
        if (value !== undefined) this.#add(measure, date, storedValue(dimension, value, this.#options), columns);
      }
      if (table === "events" && columns.events !== undefined) this.#add(CUSTOM_EVENTS, date, null, { events: columns.events });
    }
  }

  #addProperty(date: LocalDate, { property, value = null }: DayRow["values"], columns: Partial<Record<DayCount, number>>): void {
    const key = propertyKey(property);
    if (key !== null) this.#add(propertyMeasure(key), date, storedText(value, PROPS_CHARS_MAX) ?? UNRECORDED, columns);
  }

  /** `value` is null where the measure has none. */
  #add(measure: string, date: LocalDate, value: string | null, columns: Partial<Record<DayCount, number>>): void {
    let sums = this.#measures.get(measure);
    if (!sums) this.#measures.set(measure, (sums = new Sums(value !== null)));
    if (!sums.add(dayNumberOf(date), value ?? "", columns)) return;
    this.#groups++;
    this.#chars += value?.length ?? 0;
  }

  /** The file of what was added on these days. */
  toRollup(siteId: SiteId, importNumber: number, days: readonly LocalDate[] = [...this.#days].sort()): Rollup {
    const measures: Measures = new Map([...this.#measures].map(([name, sums]) => [name, sums.toColumns()]));
    return daySums(siteId, importNumber, days, days.length < this.#days.size ? measuresOfDays(measures, days) : measures);
  }

  get days(): ReadonlySet<LocalDate> {
    return this.#days;
  }
}

const propertyKey = (property: string | null | undefined): string | null => storedText(property, IMPORT_NAME_CHARS_MAX);

/** The custom properties of an import: the first ones of its rows, wherever its checkpoints are. */
export class PropertyKeys {
  readonly #keys = new Set<string>();

  /** Takes note of the row's property. False if there are too many before it. */
  admits({ table, values }: DayRow): boolean {
    const key = table === "properties" ? propertyKey(values.property) : null;
    if (key === null || this.#keys.has(key)) return true;
    if (this.#keys.size >= IMPORT_DAY_PROPERTIES_MAX) return false;
    this.#keys.add(key);
    return true;
  }
}

function storedText(text: string | null | undefined, charsMax: number): string | null {
  const trimmed = wellFormed(text ?? "").trim();
  return trimmed === "" ? null : cutToChars(trimmed, charsMax);
}

/** The value by the rules for own events. */
function storedValue(dimension: DayDimension, value: string | null, { pageRules, minimisation }: DaySumsOptions): string {
  return (value === null ? null : valueBy(dimension, value, pageRules, minimisation)) ?? UNRECORDED;
}

function valueBy(dimension: DayDimension, value: string, pageRules: PageRules, minimisation: DataMinimisation): string | null {
  const { geoipPrecision, stripReferrerQuery: stripQuery, suppressBrowserVersion, suppressOsVersion } = minimisation;
  switch (dimension) {
    case "pathname":
      return parsePageUrl(cutToChars(wellFormed(value), URL_CHARS_MAX), pageRules).pathname;
    case "referrer":
      return parseReferrer(storedText(value, URL_CHARS_MAX), null, { stripQuery }).referrer;
    case "referrerSource":
      return sourceName(storedText(value, IMPORT_NAME_CHARS_MAX));
    case "browserVersion":
      return suppressBrowserVersion ? null : storedText(value, IMPORT_NAME_CHARS_MAX);
    case "osVersion":
      return suppressOsVersion ? null : storedText(value, IMPORT_NAME_CHARS_MAX);
    case "countryCode":
      return geoipPrecision === "none" ? null : value;
    case "region":
      return geoipPrecision === "city" || geoipPrecision === "region" ? storedText(value, IMPORT_NAME_CHARS_MAX) : null;
    case "city":
      return geoipPrecision === "city" ? storedText(value, IMPORT_NAME_CHARS_MAX) : null;
    default:
      return storedText(value, UTM_CHARS_MAX);
  }
}

const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

/** Products call the same sources otherwise: `google`, `Google`, `google.com`. */
function sourceName(label: string | null): string | null {
  if (label === null) return null;
  const isHost = HOST.test(label);
  return campaignSource(label)?.source ?? (isHost ? (sourceOfReferrer(label.toLowerCase()) ?? bareHost(label.toLowerCase())) : label);
}
