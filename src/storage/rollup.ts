/** A rollup: the partial aggregates of a site's whole salt periods, by measure, and exactly what they were made of. */
import type { Columns } from "./columns.ts";
import type { SiteId, LocalDate } from "./event.ts";

/**
 * What a column of a measure holds. `key`: an integer that rows are grouped by. `text`: a text that rows are grouped by.
 * `count`: an integer of at most 2^53 that is summed. `amount`: an integer of any size that is summed, in decimal digits.
 */
export type RollupColumnKind = "key" | "text" | "count" | "amount";

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

/** Undoes `propertyMeasure`. */
export const propertyKeyOf = (measure: string): string => measure.slice(PROPERTY_PREFIX.length);
