/** Compares the rollups of a site with its events. Each salt period is computed once for all rollups that cover it, small periods together. */
import {
  isGrouping,
  isPropertyMeasure,
  type Measures,
  propertyMeasure,
  ROLLUP_COLUMNS,
  type RollupColumn,
  type RollupHeader,
} from "../../storage/rollup.ts";
import { isAskedFor } from "../duckdb/rollups/rollup-sum.ts";
import { RowSum } from "../query/row-sum.ts";
import { rowCountOf, type Columns } from "../../storage/columns.ts";
import type { SqlRow } from "../query/sql.ts";
import { type OpenedRollup, openRollup } from "../../storage/rollup-file.ts";
import { PROPERTY_KEYS_MAX, ROLLUP_MEASURE_ROWS_MAX, ROLLUP_PROPERTIES_MAX, VISITORS_COMPARED_MAX } from "../base/config/report-limits.ts";
import type { RolledMeasures } from "../duckdb/rollups/rollup-execution.ts";
import { addDays, firstDateOfPeriod, periodOf } from "../../storage/calendar.ts";
import type { LocalDate, SiteId } from "../../storage/event.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import { type PartitionFile, type Partitions, sizeGroups } from "../../storage/partitions.ts";
import { LISTING_ATTEMPTS_MAX, LOAD_BYTES_MAX } from "../base/config/limits.ts";
import { EngineFullError, EngineLostError } from "../duckdb/engine.ts";
import { type DateRange, rangeOfDays } from "../query/date-range.ts";
import { recordsFiles } from "../duckdb/rollups/rollup-origin.ts";
import { IncompleteDaysError, KEYS_MEASURE, type PeriodMeasures, type PeriodQuery } from "./period-measures.ts";

/** The sums of all measures over salt periods that are added one after another, in bounded memory. */
class MeasureSums {
  readonly #isNeeded: (measure: string) => boolean;
  readonly #sums = new Map<string, RowSum>();
  readonly #dropped = new Set<string>();

  /** A measure that is not needed is dropped if it has more rows, or is of more properties, than a rollup may have. */
  constructor(isNeeded: (measure: string) => boolean) {
    this.#isNeeded = isNeeded;
  }

  async add(measures: Measures): Promise<void> {
    for (const [name, columns] of measures) {
      if (this.#dropped.has(name)) continue;
      const sum = this.#sums.get(name) ?? new RowSum();
      this.#sums.set(name, sum);
      await sum.add(columns);
      if (this.#isNeeded(name) || !(sum.rows > ROLLUP_MEASURE_ROWS_MAX || this.#hasTooManyProperties(name))) continue;
      this.#sums.delete(name);
      this.#dropped.add(name);
    }
  }

  #hasTooManyProperties(name: string): boolean {
    return isPropertyMeasure(name) && this.names.filter(isPropertyMeasure).length > ROLLUP_PROPERTIES_MAX;
  }

  get names(): readonly string[] {
    return [...this.#sums.keys()];
  }

  isDropped(name: string): boolean {
    return this.#dropped.has(name);
  }

  /** The sum of a measure; without rows if no part has it. */
  sum(name: string): RowSum {
    return this.#sums.get(name) ?? new RowSum();
  }
}

const SHOWN_CHARS_MAX = 100;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
};

const columnsIn = (row: SqlRow): readonly RollupColumn[] => ROLLUP_COLUMNS.filter(({ name }) => name in row);

/** Identifies a row among the others of its measure, e.g. `bucket 20527, value "/"`. */
function nameOf(row: SqlRow): string {
  const grouping = columnsIn(row).filter(isGrouping);
  return grouping.map(({ name }) => `${name} ${shown(row[name])}`).join(", ") || "of all events";
}

const keyOf = (row: SqlRow): string =>
  JSON.stringify(
    columnsIn(row)
      .filter(isGrouping)
      .map(({ name }) => row[name]),
  );

function differenceOfRow(stored: SqlRow | undefined, expected: SqlRow | undefined): string | null {
  if (!stored) return expected ? `the row ${nameOf(expected)} is missing` : null;
  if (!expected) return `the row ${nameOf(stored)} is not in the events`;
  const differing = columnsIn({ ...stored, ...expected }).find(({ name }) => stored[name] !== expected[name]);
  if (!differing) return null;
  const { name } = differing;
  return `the row ${nameOf(stored)} has ${name} ${shown(stored[name])}, and the events ${shown(expected[name])}`;
}

/** null if the rows are equal. With `rowsMax`, compares only the first rows in text order. */
async function differenceOf(stored: Columns, expected: RowSum, rowsMax?: number): Promise<string | null> {
  const sum = new RowSum();
  await sum.add(stored);
  const repeated = rowCountOf(stored) - new Set((await sum.toRows()).map(keyOf)).size;
  if (repeated > 0) return repeated === 1 ? "1 row is there twice" : `${repeated} rows are there twice`;
  const top = rowsMax === undefined ? undefined : { rowsMax };
  const missing = new Map((await expected.toRows(top)).map((row) => [keyOf(row), row]));
  const found: string[] = [];
  const note = (difference: string | null) => difference !== null && found.push(difference);
  for (const row of await sum.toRows(top)) {
    note(differenceOfRow(row, missing.get(keyOf(row))));
    missing.delete(keyOf(row));
  }
  for (const row of missing.values()) note(differenceOfRow(undefined, row));
  const [first] = found;
  if (first === undefined) return null;
  return found.length === 1 ? first : `${found.length} rows differ, one of them: ${first}`;
}

/** The measures of properties that the events have. */
interface ExpectedProperties {
  readonly measures: readonly string[];
  /** A rollup has room for all of them. */
  readonly fit: boolean;
}

async function propertiesIn(sums: MeasureSums): Promise<ExpectedProperties> {
  const keys = await sums.sum(KEYS_MEASURE).toRows({ rowsMax: PROPERTY_KEYS_MAX });
  return { measures: keys.map(({ value }) => propertyMeasure(String(value))), fit: keys.length <= ROLLUP_PROPERTIES_MAX };
}

/**
 * The differences, one for each measure. A rollup may lack measures only if they have too many rows or too many hours, and those of
 * custom properties also if there are too many, or if they did not fit into the engine's memory. Reports then read the events.
 */
async function differencesOf(file: OpenedRollup, sums: MeasureSums, rolled: RolledMeasures): Promise<string[]> {
  const { header } = file;
  const differences: string[] = [];
  for (const name of Object.keys(header.measures)) {
    const rowsMax = name === KEYS_MEASURE ? PROPERTY_KEYS_MAX : undefined;
    const difference = await differenceOf((await file.measure(name)) ?? {}, sums.sum(name), rowsMax);
    if (difference !== null) differences.push(`measure ${JSON.stringify(name)}: ${difference}`);
  }
  const has = (name: string) => Object.hasOwn(header.measures, name);
  const isOfProperties = new Map(rolled.measures.map(({ name, query }) => [name, query.property !== undefined]));
  const properties = await propertiesIn(sums);
  const mayLack = (name: string) =>
    (isPropertyMeasure(name) && !properties.fit) || ((isPropertyMeasure(name) || isOfProperties.get(name)) && !has(KEYS_MEASURE));
  for (const name of sums.names) {
    if (!has(name) && isAskedFor(name, header) && !mayLack(name)) differences.push(`measure ${JSON.stringify(name)}: it is missing`);
  }
  return [...differences, ...differenceOfProperties(file, sums, properties)];
}

/** Reports take a property that a rollup with all properties lacks for one that no event has. */
function differenceOfProperties({ header }: OpenedRollup, sums: MeasureSums, { measures, fit }: ExpectedProperties): string[] {
  const lacking = measures.filter((name) => !Object.hasOwn(header.measures, name));
  if (header.hasAllProperties) {
    return lacking.length === 0 ? [] : [`it says that it has all custom properties, but lacks ${JSON.stringify(lacking[0])}`];
  }
  const hasAll = Object.hasOwn(header.measures, KEYS_MEASURE) && fit && !measures.some((name) => sums.isDropped(name));
  return hasAll && lacking.length === 0 ? ["it says that it lacks custom properties, but has all"] : [];
}

/** A rollup whose definitions this version of the program has. */
export interface ComparableRollup {
  readonly key: ObjectKey;
  readonly header: RollupHeader;
  readonly rolled: RolledMeasures;
}

/** `vanished`: it was deleted or replaced meanwhile. `outdated`: its events changed meanwhile. */
export type ComparisonOutcome = { readonly differences: readonly string[] } | { readonly notCompared: string } | "vanished" | "outdated";

interface RollupComparisonOptions {
  readonly objects: Pick<ObjectStore, "get">;
  readonly listing: () => Partitions;
  readonly periodMeasures: PeriodMeasures;
  readonly onOutcome: (key: ObjectKey, outcome: ComparisonOutcome) => void;
}

const IDS_LAST_LONGER = "its visitor ids last longer than its salt periods: visitor_salt_rotation_days was shortened";

interface OpenComparison {
  readonly rollup: ComparableRollup;
  readonly sums: MeasureSums;
  /** Salt periods that are still to be added. */
  readonly periods: Set<number>;
}

interface ComputedRange {
  readonly range: DateRange;
  readonly files: ReadonlyMap<LocalDate, readonly PartitionFile[]>;
  readonly measures: Measures;
}

const periodsOf = ({ header: { events, saltRotationDays } }: ComparableRollup): Set<number> =>
  new Set(events.map(([day]) => periodOf(day, saltRotationDays)));

const beginComparison = (rollup: ComparableRollup): OpenComparison => ({
  rollup,
  sums: new MeasureSums((name) => Object.hasOwn(rollup.header.measures, name)),
  periods: periodsOf(rollup),
});

/** True if a rollup was made of exactly these days and files of the range. */
function isMadeOf({ header }: ComparableRollup, { firstDay, lastDay }: DateRange, files: ComputedRange["files"]): boolean {
  const days = header.events.filter(([day]) => firstDay <= day && day <= lastDay);
  return days.length === files.size && days.every(([day]) => recordsFiles(header, day, files.get(day) ?? []));
}

/** Consecutive periods that are part of the same rollups. */
function runsOf(open: readonly OpenComparison[]): number[][] {
  const runs: number[][] = [];
  let previous = "";
  for (const period of [...new Set(open.flatMap(({ periods }) => [...periods]))].sort((a, b) => a - b)) {
    const covering = open.map(({ periods }) => (periods.has(period) ? "1" : "0")).join("");
    if (covering !== previous) runs.push([]);
    runs.at(-1)?.push(period);
    previous = covering;
  }
  return runs;
}

export class RollupComparison {
  readonly #options: RollupComparisonOptions;
  #listing: Partitions;

  constructor(options: RollupComparisonOptions) {
    this.#options = options;
    this.#listing = options.listing();
  }

  /** Calls `onOutcome` once for each rollup. All are of one site, and have the same measures. */
  async compare(siteId: SiteId, rollups: readonly ComparableRollup[]): Promise<void> {
    let open = rollups.map(beginComparison);
    for (const periods of await this.#groupsOf(siteId, open)) {
      const covering = open.filter((comparison) => periods.every((period) => comparison.periods.has(period)));
      if (covering.length === 0) continue;
      const computed = await this.#compute(siteId, periods, covering);
      const ended = new Set<OpenComparison>();
      for (const comparison of covering) if (await this.#add(siteId, comparison, periods, computed)) ended.add(comparison);
      open = open.filter((comparison) => !ended.has(comparison));
    }
  }

  /** Runs of periods, up to a size: each computation takes some time, however few events there are. */
  async #groupsOf(siteId: SiteId, open: readonly OpenComparison[]): Promise<number[][]> {
    const bytes = new Map<number, number>();
    for (const day of await this.#listing.days(siteId)) {
      const period = periodOf(day, open[0]?.rollup.header.saltRotationDays ?? 1);
      for (const file of await this.#listing.files(siteId, day)) bytes.set(period, (bytes.get(period) ?? 0) + file.sizeBytes);
    }
    return runsOf(open).flatMap((run) => sizeGroups(run, (period) => bytes.get(period) ?? 0, LOAD_BYTES_MAX));
  }

  /** The measures of periods, or why there are none. */
  async #compute(siteId: SiteId, periods: readonly number[], covering: readonly OpenComparison[]): Promise<ComputedRange | string> {
    const { periodMeasures } = this.#options;
    const names = new Set(covering.flatMap(({ rollup }) => Object.keys(rollup.header.measures)));
    const properties = new Set([...names].filter(isPropertyMeasure));
    const wanted = { withProperties: names.has(KEYS_MEASURE) || properties.size > 0, properties };
    const [{ rollup }] = covering as readonly [OpenComparison];
    return this.#read(siteId, periods, rollup, async (query) => {
      const { range, files } = query;
      const isNeeded = covering.some((comparison) => isMadeOf(comparison.rollup, range, files));
      const measures: Measures | null = isNeeded ? await periodMeasures.measures({ ...query, ...wanted }) : new Map();
      return measures && { range, files, measures };
    });
  }

  /** The result of a task over the files of periods, or why there is none. Repeated while files vanish, because they are merged. */
  async #read<T>(
    siteId: SiteId,
    periods: readonly number[],
    { header, rolled }: ComparableRollup,
    task: (query: PeriodQuery) => Promise<T | null>,
  ): Promise<T | string> {
    const { saltRotationDays, sessionWindowMinutes } = header;
    const [first, last] = [Math.min(...periods), Math.max(...periods)];
    const end = firstDateOfPeriod(last + 1, saltRotationDays);
    const range = rangeOfDays(firstDateOfPeriod(first, saltRotationDays), addDays(end, -1));
    const query = { siteId, range, rolled, sessionWindowMinutes, withProperties: false, properties: new Set<string>() };
    try {
      for (let attempt = 1; attempt <= LISTING_ATTEMPTS_MAX; attempt++) {
        const result = await task({ ...query, files: await this.#filesOf(siteId, range) });
        if (result !== null) return result;
        this.#listing = this.#options.listing();
      }
      return "the files of its events vanish faster than they can be read";
    } catch (error) {
      const isKnown = error instanceof EngineFullError || error instanceof EngineLostError || error instanceof IncompleteDaysError;
      if (isKnown) return error.message;
      throw error;
    }
  }

  async #filesOf(siteId: SiteId, { firstDay, lastDay }: DateRange): Promise<ComputedRange["files"]> {
    const days = (await this.#listing.days(siteId)).filter((day) => firstDay <= day && day <= lastDay).sort();
    const files = new Map<LocalDate, readonly PartitionFile[]>();
    for (const day of days) files.set(day, await this.#listing.files(siteId, day));
    return files;
  }

  /** Adds periods to the sums. Returns whether the comparison has ended. */
  async #add(
    siteId: SiteId,
    { rollup, sums, periods }: OpenComparison,
    added: readonly number[],
    computed: ComputedRange | string,
  ): Promise<boolean> {
    const { onOutcome } = this.#options;
    if (typeof computed === "string") {
      onOutcome(rollup.key, { notCompared: computed });
      return true;
    }
    if (!isMadeOf(rollup, computed.range, computed.files)) {
      onOutcome(rollup.key, "outdated");
      return true;
    }
    await sums.add(computed.measures);
    for (const period of added) periods.delete(period);
    if (periods.size > 0) return false;
    onOutcome(rollup.key, await this.#end(siteId, rollup, sums));
    return true;
  }

  async #end(siteId: SiteId, rollup: ComparableRollup, sums: MeasureSums): Promise<ComparisonOutcome> {
    const bytes = await this.#options.objects.get(rollup.key);
    if (!bytes) return "vanished";
    const differences = await differencesOf(openRollup(bytes), sums, rollup.rolled);
    if (differences.length > 0 && (await this.#haveVisitorsInCommon(siteId, rollup))) return { notCompared: IDS_LAST_LONGER };
    return { differences };
  }

  /** True if visitors have events in several salt periods. Then a rollup depends on which periods were computed together. */
  async #haveVisitorsInCommon(siteId: SiteId, rollup: ComparableRollup): Promise<boolean> {
    const known = new Set<string>();
    for (const period of periodsOf(rollup)) {
      const visitors = await this.#read(siteId, [period], rollup, (query) => this.#options.periodMeasures.visitors(query));
      if (typeof visitors === "string" || known.size > VISITORS_COMPARED_MAX) return false;
      if (visitors.some((visitor) => known.has(visitor))) return true;
      for (const visitor of visitors) known.add(visitor);
    }
    return false;
  }
}
