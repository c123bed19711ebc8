/** A rollup: the partial aggregates of a site's whole salt periods, by measure, and exactly what they were made of. */
import { crc32 } from "./checksum.ts";
import type { Columns } from "./columns.ts";
import { isLocalDate, type LocalDate, type SiteId } from "./event.ts";
import type { ObjectKey } from "./object-store.ts";
import { siteFolderIn } from "./partitions.ts";

/**
 * What a column of a measure holds. `key`: an integer that rows are grouped by. `text`: a text that rows are grouped by.
 * `count`: an integer of at most 2^53 that is summed. `amount`: an integer of any size that is summed, in decimal digits.
 */
type RollupColumnKind = "key" | "text" | "count" | "amount";

export interface RollupColumn {
  readonly name: string;
  readonly kind: RollupColumnKind;
}

/** True if the rows of a measure differ in the column. */
export const isGrouping = ({ kind }: RollupColumn): boolean => kind === "key" || kind === "text";

/** All columns that measures have, in the order of the file. New ones go to the end. */
export const ROLLUP_COLUMNS: readonly RollupColumn[] = [
  { name: "bucket", kind: "key" },
  { name: "value", kind: "text" },
  { name: "currency", kind: "text" },
  { name: "visitors", kind: "count" },
  { name: "pageviews", kind: "count" },
  { name: "events", kind: "count" },
  { name: "sessions", kind: "count" },
  { name: "bounces", kind: "count" },
  { name: "duration_ms", kind: "count" },
  { name: "transactions", kind: "count" },
  { name: "paying_visitors", kind: "count" },
  { name: "total", kind: "amount" },
];

/** Measures by name: rows that are unique in their `key` and `text` columns. */
export type Measures = ReadonlyMap<string, Columns>;

/** The data and the method from which the rows of a rollup were computed. Equal for two rollups only if their measures are equal. */
export interface RollupOrigin {
  readonly siteId: SiteId;
  /** The first day of the first salt period, and the last day of the last. */
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  /** Identifies how the measures are computed (see `definitionsVersion`). */
  readonly definitions: string;
  readonly sessionWindowMinutes: number;
  readonly saltRotationDays: number;
  /** Identifies what the site said about arrivals (`RolledMeasures.arrivalsOf`); empty for nothing. */
  readonly arrivals: string;
  /** The days with events, oldest first, with the segment ranges of their files, oldest first, as `<first>-<last>,…`. */
  readonly events: readonly (readonly [day: LocalDate, files: string])[];
}

export interface RollupHeader extends RollupOrigin {
  /** The number of rows of each measure. A measure with more rows than a rollup may have is left out. */
  readonly measures: Readonly<Record<string, number>>;
  /** All custom properties of the events have a measure. */
  readonly hasAllProperties: boolean;
}

/** A rollup as its file holds it (docs/data-format.md, "Rollups"). */
export interface Rollup extends RollupOrigin {
  readonly measures: Measures;
  readonly hasAllProperties: boolean;
}

const PROPERTY_PREFIX = "property-values/";

/** The measure with the values of a custom property. */
export const propertyMeasure = (key: string): string => PROPERTY_PREFIX + key;

export const isPropertyMeasure = (measure: string): boolean => measure.startsWith(PROPERTY_PREFIX);

/** Begins the names of measures with the visits of each day by value. */
export const VISITS_BY_DAY = "visits-by-day/";

/** Undoes `propertyMeasure`. */
export const propertyKeyOf = (measure: string): string => measure.slice(PROPERTY_PREFIX.length);

/** The folder of all rollups. */
export const ROLLUPS_FOLDER = "rollups";

export interface RollupFile {
  readonly key: ObjectKey;
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  /** Hash of definitions and settings. A listing alone shows that a rollup has others; only the header shows that it has the same. */
  readonly definitionsHash: string;
  /** Hash of the events' files, so that rollups of different events have different keys. */
  readonly eventsHash: string;
}

/** The folder of a site's rollups, e.g. `rollups/site_id=example.com`. */
export const rollupFolder = (siteId: SiteId): ObjectKey => siteFolderIn(ROLLUPS_FOLDER, siteId);

const encoder = new TextEncoder();

/**
 * Encodes a rollup's site, days, definitions and events in the key of its file.
 *
 * Eight hexadecimal digits that differ for different values, with rare exceptions.
 */
export function hashOf(value: unknown): string {
  const bytes = encoder.encode(JSON.stringify(value));
  return crc32(bytes, 0, bytes.length).toString(16).padStart(8, "0");
}

/** A file is never changed: a rollup of other events or definitions has another key. */
export function rollupFileOf(siteId: SiteId, file: Omit<RollupFile, "key">): RollupFile {
  const { firstDay, lastDay, definitionsHash, eventsHash } = file;
  return { ...file, key: `${rollupFolder(siteId)}/${firstDay}_${lastDay}_${definitionsHash}_${eventsHash}.parquet` };
}

const nameIn = (siteId: SiteId, key: ObjectKey): string => key.slice(rollupFolder(siteId).length + 1);

/** The days that a key below a site's folder begins with, also one of an unknown format; null if it does not. */
export function daysOfRollupKey(siteId: SiteId, key: ObjectKey): Pick<RollupFile, "firstDay" | "lastDay"> | null {
  const [, firstDay = "", lastDay = ""] = /^(\d{4}-\d{2}-\d{2})_(\d{4}-\d{2}-\d{2})/.exec(nameIn(siteId, key)) ?? [];
  return isLocalDate(firstDay) && isLocalDate(lastDay) && firstDay <= lastDay ? { firstDay, lastDay } : null;
}

/** Parses a key below a site's folder; null if it is not that of a rollup. */
export function parseRollupKey(siteId: SiteId, key: ObjectKey): RollupFile | null {
  const days = daysOfRollupKey(siteId, key);
  const [, definitionsHash, eventsHash] = /^[\d-]{10}_[\d-]{10}_([0-9a-f]{8})_([0-9a-f]{8})\.parquet$/.exec(nameIn(siteId, key)) ?? [];
  if (!days || definitionsHash === undefined || eventsHash === undefined) return null;
  return { key, ...days, definitionsHash, eventsHash };
}
