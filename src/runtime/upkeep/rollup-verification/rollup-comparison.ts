/** Compares a site's rollups with its events. Each salt period is computed once for all rollups that cover it, small ones together. */
import { addDays, firstDateOfPeriod, periodOf } from "../../../storage/calendar.ts";
import type { SiteId, LocalDate } from "../../../storage/event.ts";
import type { ObjectKey, ObjectStore } from "../../../storage/object-store.ts";
import type { PartitionFile } from "../../../storage/partition.ts";
import type { Partitions } from "../../../storage/partitions.ts";
import { sizeGroups } from "../../../storage/size-groups.ts";
import { openRollup } from "../../../storage/rollup-file.ts";
import { isPropertyMeasure, type Measures, type RollupHeader } from "../../../storage/rollup.ts";
import { LISTING_ATTEMPTS_MAX, LOAD_BYTES_MAX } from "../../base/config/limits.ts";
import { VISITORS_COMPARED_MAX } from "../../base/config/report-limits.ts";
import { EngineFullError, EngineLostError } from "../../duckdb/engine.ts";
import { IncompleteDaysError } from "../../duckdb/cache/loading.ts";
import { KEYS_MEASURE } from "../../duckdb/measure-computation.ts";
import type { RolledMeasures } from "../../duckdb/rollups/rolled-measures.ts";
import { rangeOfDays, type DateRange } from "../../query/date-range.ts";
import { recordsFiles } from "../../duckdb/rollups/rollup-origin.ts";
import { MeasureSums } from "./measure-sums.ts";
import type { PeriodMeasures, PeriodQuery } from "./period-measures.ts";
import { differencesOf } from "./rollup-differences.ts";

/** A rollup whose definitions this version of the program has. */
export interface ComparableRollup {
  readonly key: ObjectKey;
  readonly header: RollupHeader;
  readonly rolled: RolledMeasures;
}

/** `vanished`: it was deleted or replaced meanwhile. `outdated`: its events changed meanwhile. */
export type ComparisonOutcome = { readonly differences: readonly string[] } | { readonly notCompared: string } | "vanished" | "outdated";

export interface RollupComparisonOptions {
  readonly objects: Pick<ObjectStore, "get">;
  /** A new listing of the event files. */
  readonly listing: () => Partitions;
  readonly periodMeasures: PeriodMeasures;
  readonly onOutcome: (key: ObjectKey, outcome: ComparisonOutcome) => void;
}

const IDS_LAST_LONGER = "its visitor ids last longer than its salt periods: visitor_salt_rotation_days was shortened";

/** A rollup of which some periods are added up. */
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
    sums.add(computed.measures);
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
