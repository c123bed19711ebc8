/** Makes a rollup from other rollups and from events, a chunk at a time. Remembers days that cannot be in one. */
import type { SiteId, LocalDate } from "../../../storage/event.ts";
import type { Config } from "../../base/config/config.ts";
import { ROLLUP_DAYS_SKIPPED_MAX } from "../../base/config/report-limits.ts";
import type { Behavioral } from "../behavioral.ts";
import { EngineFullError, type Engine } from "../engine.ts";
import { IncompleteDaysError } from "../cache/loading.ts";
import type { PartitionCache } from "../cache/partition-cache.ts";
import type { PartitionVersion } from "../cache/partition-version.ts";
import { bytesOf, chunkBytesMax, cutIntoChunks } from "../chunks.ts";
import { computeMeasures } from "../measure-computation.ts";
import type { QueryLimiter } from "../../results/query-limiter.ts";
import type { RolledMeasures } from "./rolled-measures.ts";
import { reasonOf, type Log } from "../../base/metrics/log.ts";
import type { DateRange } from "../../query/date-range.ts";
import type { ComputedMeasures, RollupCalculator } from "./rollup-calculator.ts";
import type { RollupStore, RollupToMake } from "./rollup-store.ts";
import { unlessAborted } from "../../base/queue.ts";
import type { CalendarOf } from "../../sites/sites.ts";

export interface RollupMakerOptions {
  readonly engine: Engine;
  readonly partitionCache: PartitionCache;
  readonly calculator: RollupCalculator;
  readonly rollupStore: RollupStore;
  readonly rolled: RolledMeasures;
  readonly calendarOf: CalendarOf;
  readonly behavioral: Pick<Behavioral, "require">;
  readonly limiter: Pick<QueryLimiter, "areAllFree">;
  readonly budgetBytes: number;
  readonly config: Pick<Config, "rollups" | "behavioral" | "visitorSaltRotationDays">;
  readonly log: Log;
}

/** `changed`: events were added or deleted meanwhile. `skipped`: its days are skipped from now on. */
export type MakeOutcome = "made" | "changed" | "skipped";

const isWithin = ({ firstDay, lastDay }: DateRange, day: LocalDate): boolean => firstDay <= day && day <= lastDay;

export class RollupMaker {
  readonly #options: RollupMakerOptions;
  /** The versions of skipped days, by site and day. */
  readonly #skipped = new Map<string, string>();

  constructor(options: RollupMakerOptions) {
    this.#options = options;
  }

  /** True if the day cannot be in a rollup until its events change: files cannot be read, or the events exceed the engine's memory. */
  isSkipped(siteId: SiteId, { day, version }: PartitionVersion): boolean {
    return this.#skipped.get(`${siteId} ${day}`) === version;
  }

  /** Makes and stores a rollup; `days` are those of the site. Rejects if it may be tried again. */
  async make({ origin, rollups, events }: RollupToMake, days: readonly PartitionVersion[], signal: AbortSignal): Promise<MakeOutcome> {
    const { behavioral, calculator, config, rollupStore } = this.#options;
    if (config.behavioral) await behavioral.require();
    const computed: ComputedMeasures[] = [];
    for (const range of events.flatMap((wanted) => this.#chunksOf(wanted, days))) {
      const measures = await this.#compute(origin.siteId, range, days, signal);
      if (!measures) return "skipped";
      computed.push(measures);
    }
    const bytes = await unlessAborted(calculator.make(origin, rollups, computed), signal);
    return (await rollupStore.put(origin, bytes)) ? "made" : "changed";
  }

  #chunksOf(range: DateRange, days: readonly PartitionVersion[]): readonly DateRange[] {
    const { budgetBytes, config } = this.#options;
    const inRange = days.filter(({ day }) => isWithin(range, day));
    const bytesMax = chunkBytesMax(budgetBytes);
    return bytesOf(inRange) <= bytesMax
      ? [range]
      : cutIntoChunks(range, inRange, config.visitorSaltRotationDays, bytesMax).map((chunk) => chunk.range);
  }

  /** null if the days of the range are skipped from now on. */
  async #compute(
    siteId: SiteId,
    range: DateRange,
    days: readonly PartitionVersion[],
    signal: AbortSignal,
  ): Promise<ComputedMeasures | null> {
    const { rolled, limiter, calendarOf } = this.#options;
    try {
      return await computeMeasures({ siteId, range }, rolled, { ...this.#options, calendar: calendarOf(siteId), signal });
    } catch (error) {
      // Queries that run take memory, so without them the events may fit.
      const isLasting = error instanceof IncompleteDaysError || (error instanceof EngineFullError && limiter.areAllFree);
      if (!isLasting) throw error;
      this.#skip(siteId, range, days, error);
      return null;
    }
  }

  #skip(siteId: SiteId, range: DateRange, days: readonly PartitionVersion[], error: Error): void {
    if (this.#skipped.size >= ROLLUP_DAYS_SKIPPED_MAX) this.#skipped.clear();
    for (const { day, version } of days) if (isWithin(range, day)) this.#skipped.set(`${siteId} ${day}`, version);
    this.#options.log.warn("days cannot be in a rollup until their events change; reports read their events", {
      site: siteId,
      firstDay: range.firstDay,
      lastDay: range.lastDay,
      reason: reasonOf(error),
    });
  }
}
