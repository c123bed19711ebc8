/** The measures of the sum of several rollups, and their rows. */
import { HOURLY_DAYS_MAX } from "../../../shared/limits.ts";
import { daysBetween } from "../../../storage/calendar.ts";
import { compareCodePoints } from "../../../storage/code-point-order.ts";
import { type Columns, rowCountOf } from "../../../storage/columns.ts";
import {
  isGrouping,
  isPropertyMeasure,
  type Rollup,
  ROLLUP_COLUMNS,
  type RollupColumn,
  type RollupOrigin,
} from "../../../storage/rollup.ts";
import { ROLLUP_PROPERTIES_MAX } from "../../base/config/report-limits.ts";
import type { SqlRow } from "../../query/sql.ts";
import { compiledTest, searchTest } from "../../query/text-matching.ts";
import type { Top } from "../../query/plan.ts";
import { UNRECORDED } from "../../../shared/filters.ts";

type Values = Columns[string];

/** The group of a row: a single value as it is, several values as one text. */
type GroupKey = string | number;

const valueAt = ({ kind }: RollupColumn, values: Values, row: number): GroupKey =>
  kind === "text" ? String(values[row]) : Number(values[row]);

/** The keys of the groups of a column's rows. Lengths keep texts apart whatever characters they contain. */
function groupKeys(grouping: readonly RollupColumn[], columns: readonly Values[]): (row: number) => GroupKey {
  const [column, ...others] = grouping;
  const [values] = columns;
  if (!column || !values) return () => 0;
  if (others.length === 0) return (row) => valueAt(column, values, row);
  return (row) =>
    grouping
      .map((each, i) => String(valueAt(each, columns[i] ?? [], row)))
      .map((text) => `${text.length}:${text}`)
      .join("");
}

/** The sum of a measure's rows: rows with the same keys and texts become one. */
export class MeasureSum {
  #columns: readonly RollupColumn[] | null = null;
  readonly #groups = new Map<GroupKey, number>();
  readonly #keys = new Map<string, GroupKey[]>();
  readonly #counts = new Map<string, number[]>();
  readonly #amounts = new Map<string, bigint[]>();

  get rows(): number {
    return this.#groups.size;
  }

  /** Throws if the columns are not those of the rows added before. Without rows, there may be no columns. */
  add(added: Columns): void {
    if (rowCountOf(added) === 0) return;
    const columns = this.#columnsOf(added);
    const grouping = columns.filter(isGrouping);
    const places = this.#placesOf(grouping, added);
    for (const { name, kind } of columns) {
      const values = added[name] ?? [];
      if (kind === "count") addNumbers(this.#counts.get(name) ?? [], places, values);
      else if (kind === "amount") addAmounts(this.#amounts.get(name) ?? [], places, values);
    }
  }

  #columnsOf(added: Columns): readonly RollupColumn[] {
    const columns = (this.#columns ??= this.#begin(added));
    if (columns.length !== Object.keys(added).length || columns.some(({ name }) => !(name in added))) {
      throw new Error(`all rows of a measure must have the same columns, got ${Object.keys(added).join(", ")}`);
    }
    return columns;
  }

  #begin(added: Columns): readonly RollupColumn[] {
    const columns = ROLLUP_COLUMNS.filter(({ name }) => name in added);
    for (const { name, kind } of columns) {
      if (kind === "count") this.#counts.set(name, []);
      else if (kind === "amount") this.#amounts.set(name, []);
      else this.#keys.set(name, []);
    }
    return columns;
  }

  #placesOf(grouping: readonly RollupColumn[], added: Columns): Int32Array {
    const values = grouping.map(({ name }) => added[name] ?? []);
    const keyOf = groupKeys(grouping, values);
    const places = new Int32Array(rowCountOf(added));
    for (let row = 0; row < places.length; row++) {
      const key = keyOf(row);
      let place = this.#groups.get(key);
      if (place === undefined) {
        this.#groups.set(key, (place = this.#groups.size));
        grouping.forEach((column, i) => this.#keys.get(column.name)?.push(valueAt(column, values[i] ?? [], row)));
      }
      places[row] = place;
    }
    return places;
  }

  /** Rows in the order of `top`, as the engine returns them for the same rows. */
  toRows(top?: Top): SqlRow[] {
    const columns = this.#columns ?? [];
    const values = columns.map(({ name }) => this.#counts.get(name) ?? this.#keys.get(name) ?? this.#amounts.get(name)?.map(String) ?? []);
    return this.#placesIn(top).map((place) => Object.fromEntries(columns.map(({ name }, i) => [name, values[i]?.[place] ?? 0])));
  }

  /** Number of rows of the result without `rowsMax` and `offset`. */
  countRows(top?: Top): number {
    return this.#wantedPlaces(top).length;
  }

  /** The groups that are the result, in its order. */
  #placesIn(top: Top | undefined): number[] {
    const places = this.#wantedPlaces(top);
    if (!top) return places;
    const { by, isReversed = false, rowsMax, offset = 0 } = top;
    const byKey = this.#orderOf(by, isReversed);
    const byText = this.#textOrder(by === undefined && isReversed);
    return this.#candidates(places, top)
      .sort((a, b) => byKey(a, b) || byText(a, b))
      .slice(offset, offset + rowsMax);
  }

  #wantedPlaces(top: Top | undefined): number[] {
    const places = Array.from({ length: this.rows }, (_, place) => place);
    const [texts] = this.#texts();
    if (!top || !texts) return places;
    const { values, search, unknownLabel = UNRECORDED } = top;
    const isListed = values && compiledTest({ kind: "is", values });
    const isFound = search === undefined ? undefined : compiledTest(searchTest(search));
    if (!isListed && !isFound) return places;
    return places.filter((place) => {
      const text = String(texts[place]);
      return (isListed?.(text) ?? true) && (isFound?.(text === UNRECORDED ? unknownLabel : text) ?? true);
    });
  }

  #texts(): readonly (readonly GroupKey[])[] {
    return (this.#columns ?? []).filter(({ kind }) => kind === "text").map(({ name }) => this.#keys.get(name) ?? []);
  }

  #textOrder(isDescending: boolean): (a: number, b: number) => number {
    const texts = this.#texts();
    const ascending = (a: number, b: number): number => {
      for (const column of texts) {
        const order = compareCodePoints(String(column[a]), String(column[b]));
        if (order !== 0) return order;
      }
      return 0;
    };
    return isDescending ? (a, b) => ascending(b, a) : ascending;
  }

  /** Largest first, or smallest first. */
  #orderOf(by: Top["by"], isReversed: boolean): (a: number, b: number) => number {
    const amounts = typeof by === "string" ? this.#amounts.get(by) : undefined;
    if (amounts) return (a, b) => (isReversed ? -1 : 1) * compareAmounts(amounts[b] ?? 0n, amounts[a] ?? 0n);
    const numberOf = this.#numberOf(by);
    return (a, b) => (isReversed ? numberOf(a) - numberOf(b) : numberOf(b) - numberOf(a));
  }

  #numberOf(by: Top["by"]): (place: number) => number {
    if (by === undefined) return () => 0;
    if (typeof by !== "string") {
      const [part, whole] = [this.#numberOf(by.part), this.#numberOf(by.whole)];
      return (place) => part(place) / whole(place);
    }
    const numbers = this.#counts.get(by) ?? this.#keys.get(by) ?? [];
    return (place) => Number(numbers[place]);
  }

  /** Leaves out what is certainly not among the largest: a sort of numbers is much faster than one of rows. */
  #candidates(places: number[], { by, isReversed, rowsMax, offset = 0 }: Top): number[] {
    const numbers = typeof by === "string" && !isReversed ? this.#counts.get(by) : undefined;
    const needed = offset + rowsMax;
    if (!numbers || places.length <= needed) return places;
    const least = Float64Array.from(places, (place) => numbers[place] ?? 0).sort()[places.length - needed] ?? 0;
    return places.filter((place) => (numbers[place] ?? 0) >= least);
  }

  toColumns(): Columns {
    const columnOf = ({ name, kind }: RollupColumn): Values => {
      if (kind === "text") return (this.#keys.get(name) ?? []).map(String);
      if (kind === "amount") return (this.#amounts.get(name) ?? []).map(String);
      return Float64Array.from(this.#counts.get(name) ?? this.#keys.get(name) ?? [], Number);
    };
    return Object.fromEntries((this.#columns ?? []).map((column) => [column.name, columnOf(column)]));
  }
}

const compareAmounts = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b));

function addNumbers(sums: number[], places: Int32Array, values: Values): void {
  for (let row = 0; row < places.length; row++) {
    const place = places[row] ?? 0;
    sums[place] = (sums[place] ?? 0) + Number(values[row]);
  }
}

function addAmounts(sums: bigint[], places: Int32Array, values: Values): void {
  for (let row = 0; row < places.length; row++) {
    const place = places[row] ?? 0;
    sums[place] = (sums[place] ?? 0n) + BigInt(values[row] ?? 0);
  }
}

/** A part of a sum: a rollup, or rows computed from events. */
export interface RollupSource {
  readonly measures: ReadonlySet<string>;
  readonly hasAllProperties: boolean;
  /** The rows of a measure; no columns if it has no such measure. */
  read(measure: string): Promise<Columns>;
}

/** Measures whose names end so have a row for each hour. */
const HOURLY_SUFFIX = "-by-hour";

/** True if a part has all rows of a measure (see `hasMeasure`). */
const covers = ({ measures, hasAllProperties }: RollupSource, measure: string): boolean =>
  measures.has(measure) || (isPropertyMeasure(measure) && hasAllProperties);

/** Reports ask for hours in short ranges only. */
export const isAskedFor = (measure: string, { firstDay, lastDay }: Pick<RollupOrigin, "firstDay" | "lastDay">): boolean =>
  isPropertyMeasure(measure) || !measure.endsWith(HOURLY_SUFFIX) || daysBetween(firstDay, lastDay) < HOURLY_DAYS_MAX;

async function sumOf(measure: string, sources: readonly RollupSource[], rowsMax: number): Promise<Columns | null> {
  const sum = new MeasureSum();
  for (const source of sources) {
    if (source.measures.has(measure)) sum.add(await source.read(measure));
    if (sum.rows > rowsMax) return null;
  }
  return sum.toColumns();
}

const eventsOf = ({ events }: Columns): number => Array.from(events ?? [], Number).reduce((sum, count) => sum + count, 0);

/** The properties beyond `ROLLUP_PROPERTIES_MAX`: those that the fewest events have. */
function rareProperties(measures: ReadonlyMap<string, Columns>): string[] {
  return Array.from(measures, ([name, columns]) => ({ name, events: eventsOf(columns) }))
    .filter(({ name }) => isPropertyMeasure(name))
    .sort((a, b) => b.events - a.events || compareCodePoints(a.name, b.name))
    .slice(ROLLUP_PROPERTIES_MAX)
    .map(({ name }) => name);
}

/** A measure that a part lacks, or with too many rows, is left out, and so are properties beyond `ROLLUP_PROPERTIES_MAX`. */
export async function sumOfParts(origin: RollupOrigin, sources: readonly RollupSource[], measureRowsMax: number): Promise<Rollup> {
  const names = new Set(sources.flatMap(({ measures }) => [...measures]));
  const measures = new Map<string, Columns>();
  for (const name of names) {
    if (!isAskedFor(name, origin) || !sources.every((source) => covers(source, name))) continue;
    const columns = await sumOf(name, sources, measureRowsMax);
    if (columns) measures.set(name, columns);
  }
  for (const name of rareProperties(measures)) measures.delete(name);
  const lacksNone = [...names].every((name) => !isPropertyMeasure(name) || measures.has(name));
  return { ...origin, measures, hasAllProperties: lacksNone && sources.every(({ hasAllProperties }) => hasAllProperties) };
}
