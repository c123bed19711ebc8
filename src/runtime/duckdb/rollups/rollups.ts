/** The job that makes rollups: one at a time, after flush and compaction, for changed sites first. */
import type { EventStore } from "../../../storage/event-store.ts";
import type { EpochMs, LocalDate, SiteId } from "../../../storage/event.ts";
import { areRollupsRemade } from "../../../shared/rollup-progress.ts";
import { ROLLUP_RETRY_MS_MAX, ROLLUP_RETRY_MS_MIN, ROLLUP_RUN_MS_MAX } from "../../base/config/report-limits.ts";
import type { Config } from "../../base/config/config.ts";
import type { Counters, RollupDays } from "../../base/metrics/metrics.ts";
import { reasonOf } from "../../base/metrics/log.ts";
import { type Job, PeriodicJob } from "../../base/periodic-job.ts";
import { NewDates } from "../../sites/site-calendar.ts";
import type { PartitionVersion } from "../../../storage/partitions.ts";
import { RollupMaker, type RollupMakerOptions } from "./rollup-maker.ts";
import type { RollupToMake } from "./rollup-store.ts";

interface SiteQueueOptions {
  readonly monotonicMs: () => number;
  /** The pause after a failure. It doubles with each failure that follows another, up to `retryMsMax`. */
  readonly retryMsMin: number;
  readonly retryMsMax: number;
}

/** The order of sites: changed ones first, then the others in turn. A site that failed waits, longer after each failure. */
export class SiteQueue {
  readonly #options: SiteQueueOptions;
  readonly #changed = new Set<SiteId>();
  readonly #others = new Set<SiteId>();
  /** Failures since a site's last success. */
  readonly #failed = new Map<SiteId, { readonly failures: number; readonly notBeforeMs: number }>();

  constructor(options: SiteQueueOptions) {
    this.#options = options;
  }

  add(siteId: SiteId): void {
    if (!this.#changed.has(siteId)) this.#others.add(siteId);
  }

  addChanged(siteId: SiteId): void {
    this.#others.delete(siteId);
    this.#changed.add(siteId);
  }

  /** The first site that is ready and does not wait after a failure. */
  next(isReady: (siteId: SiteId) => boolean): SiteId | undefined {
    for (const sites of [this.#changed, this.#others]) {
      for (const siteId of sites) if (this.#msUntil(siteId) === 0 && isReady(siteId)) return siteId;
    }
    return undefined;
  }

  /** Takes a site out. It may be added again at once. */
  remove(siteId: SiteId): void {
    this.#changed.delete(siteId);
    this.#others.delete(siteId);
  }

  noteSuccess(siteId: SiteId): void {
    this.#failed.delete(siteId);
  }

  /** Appends the site for another attempt after a pause. */
  retry(siteId: SiteId): void {
    const { monotonicMs, retryMsMin, retryMsMax } = this.#options;
    const failures = (this.#failed.get(siteId)?.failures ?? 0) + 1;
    const pauseMs = Math.min(retryMsMax, retryMsMin * 2 ** (failures - 1));
    this.#failed.set(siteId, { failures, notBeforeMs: monotonicMs() + pauseMs });
    this.add(siteId);
  }

  /** Time until a site has waited long enough after a failure; infinite if the queue is empty. */
  msUntilNext(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const siteId of [...this.#changed, ...this.#others]) least = Math.min(least, this.#msUntil(siteId));
    return least;
  }

  #msUntil(siteId: SiteId): number {
    const failed = this.#failed.get(siteId);
    return failed ? Math.max(0, failed.notBeforeMs - this.#options.monotonicMs()) : 0;
  }
}

interface RollupsOptions extends RollupMakerOptions {
  readonly eventStore: EventStore;
  /** Files of these sites are merged first, which changes the origin of a rollup. */
  readonly isDueForCompaction: (siteId: SiteId) => boolean;
  readonly rollupDays: RollupDays;
  readonly config: Pick<Config, "rollups">;
  readonly counters: Counters;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
}

const FIRST_DAY = "0001-01-01" as LocalDate;
const LAST_DAY = "9999-12-31" as LocalDate;

/** The rollup store leaves out days with events that are in no file yet. Days that are left out here look like these. */
const withoutDays = (
  days: readonly PartitionVersion[],
  isLeftOut: (version: PartitionVersion) => boolean | undefined,
): readonly PartitionVersion[] => days.map((version) => (isLeftOut(version) ? { ...version, hasUnflushed: true } : version));

export class Rollups implements Job {
  readonly #options: RollupsOptions;
  readonly #job: PeriodicJob;
  readonly #queue: SiteQueue;
  readonly #maker: RollupMaker;
  /** Days whose rollup could not be made. Others are tried before it. */
  readonly #passedOver = new Map<SiteId, Set<LocalDate>>();
  readonly #reported = new Set<SiteId>();
  /** The log says that many rollups are missing. */
  #isRemaking = false;
  /** Each midnight of a site makes one more of its days a past one. */
  readonly #newDates: NewDates;

  constructor(options: RollupsOptions) {
    const { config, eventStore, monotonicMs } = options;
    this.#options = options;
    this.#maker = new RollupMaker(options);
    this.#newDates = new NewDates(options);
    this.#queue = new SiteQueue({ monotonicMs, retryMsMin: ROLLUP_RETRY_MS_MIN, retryMsMax: ROLLUP_RETRY_MS_MAX });
    this.#job = new PeriodicJob({
      monotonicMs,
      isDue: () => this.#isDue(),
      run: ({ signal }) => this.#makeSome(signal),
      retryMs: ROLLUP_RETRY_MS_MIN,
      retryMsMax: ROLLUP_RETRY_MS_MAX,
    });
    if (!config.rollups) return;
    eventStore.observe({
      beforeRelease: async (siteId, _segment, days) => this.#noteFlushed(siteId, days.keys()),
      beforeDelete: async (siteId) => this.#queue.addChanged(siteId),
    });
    options.rollupStore.onForget((siteId) => this.#queue.addChanged(siteId));
  }

  /** The site says something else about arrivals, so that its rollups have to be made again. */
  noteRules(siteId: SiteId): void {
    if (this.#options.config.rollups) this.#queue.addChanged(siteId);
  }

  /** Files of the site were rewritten, so that rollups of their days do not count any more. */
  noteFiles(siteId: SiteId): void {
    if (this.#options.config.rollups) this.#queue.addChanged(siteId);
  }

  tick(): void {
    this.#job.tick();
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  stop(): Promise<void> {
    return this.#job.stop();
  }

  /** True if it looks for rollups to make or makes one, or is about to. */
  get isBusy(): boolean {
    return this.#job.isRunning || this.#nextSite() !== undefined;
  }

  /** The time until there may be something to do; infinite if nothing is due before midnight or the next change. */
  msUntilDue(): number {
    if (!this.#options.config.rollups) return Number.POSITIVE_INFINITY;
    return this.#newDates.areDue ? 0 : this.#queue.msUntilNext();
  }

  #todayOf(siteId: SiteId): LocalDate {
    const { calendarOf, now } = this.#options;
    return calendarOf(siteId).dateOf(now());
  }

  #noteFlushed(siteId: SiteId, days: Iterable<LocalDate>): void {
    const today = this.#todayOf(siteId);
    if ([...days].some((day) => day < today)) this.#queue.addChanged(siteId);
  }

  #isDue(): boolean {
    return this.#options.config.rollups && (this.#newDates.areDue || this.#nextSite() !== undefined);
  }

  /** Skips sites whose segment is being flushed: their files are not settled, and no observer reports when they are. */
  #nextSite(): SiteId | undefined {
    const { eventStore, isDueForCompaction } = this.#options;
    return eventStore.sealedSegments.length > 0 ? undefined : this.#queue.next((siteId) => !isDueForCompaction(siteId));
  }

  async #makeSome(signal: AbortSignal): Promise<boolean> {
    const { monotonicMs } = this.#options;
    const endMs = monotonicMs() + ROLLUP_RUN_MS_MAX;
    if (!(await this.#queueNewDates())) return false;
    while (!signal.aborted && monotonicMs() < endMs) {
      const siteId = this.#nextSite();
      if (siteId === undefined) break;
      this.#queue.remove(siteId);
      await this.#lookAt(siteId, signal).catch((error: unknown) => this.#failed(siteId, error, signal));
    }
    return true;
  }

  async #queueNewDates(): Promise<boolean> {
    const { eventStore, log } = this.#options;
    if (!this.#newDates.areDue) return true;
    try {
      for (const siteId of this.#newDates.take(await eventStore.sites())) this.#queue.add(siteId);
      return true;
    } catch (error) {
      log.warn("the sites could not be listed, so no rollup is made; it is tried again", { reason: reasonOf(error) });
      return false;
    }
  }

  /** Makes the site's next rollup, if one is due, and then queues the site again for the one after it. */
  async #lookAt(siteId: SiteId, signal: AbortSignal): Promise<void> {
    const { eventStore, rollupStore, rollupDays } = this.#options;
    const days = await eventStore.versions(siteId, FIRST_DAY, LAST_DAY);
    const possible = withoutDays(days, (version) => this.#maker.isSkipped(siteId, version));
    rollupDays.note(siteId, await rollupStore.dayCounts(siteId, this.#todayOf(siteId), possible));
    this.#logProgress();
    const next = await this.#nextToMake(siteId, days);
    if (!next) {
      await rollupStore.deleteOutdated(siteId, days);
      this.#queue.noteSuccess(siteId);
      this.#reported.delete(siteId);
    } else {
      await this.#make(next, days, signal);
    }
  }

  #logProgress(): void {
    const { log, rollupDays } = this.#options;
    const { stored, stale, missing } = rollupDays.total;
    const isRemaking = areRollupsRemade(stored, stored + stale + missing);
    if (isRemaking && !this.#isRemaking)
      log.info("rollups of past days are made, newest days first; until then, reports over them read their events", {
        stored,
        stale,
        missing,
      });
    if (this.#isRemaking && stale + missing === 0) log.info("all rollups of past days are made", { stored });
    this.#isRemaking = isRemaking || (this.#isRemaking && stale + missing > 0);
  }

  async #nextToMake(siteId: SiteId, days: readonly PartitionVersion[]): Promise<RollupToMake | null> {
    const { rollupStore } = this.#options;
    const next = await rollupStore.nextToMake(siteId, this.#todayOf(siteId), this.#usable(siteId, days));
    if (next || !this.#passedOver.delete(siteId)) return next;
    return rollupStore.nextToMake(siteId, this.#todayOf(siteId), this.#usable(siteId, days));
  }

  #usable(siteId: SiteId, days: readonly PartitionVersion[]): readonly PartitionVersion[] {
    const passedOver = this.#passedOver.get(siteId);
    return withoutDays(days, (version) => passedOver?.has(version.day) || this.#maker.isSkipped(siteId, version));
  }

  async #make(next: RollupToMake, days: readonly PartitionVersion[], signal: AbortSignal): Promise<void> {
    const { counters, monotonicMs } = this.#options;
    const { siteId } = next.origin;
    const beganMs = monotonicMs();
    try {
      const outcome = await this.#maker.make(next, days, signal);
      if (outcome === "made") counters.rollupsMade++;
      if (outcome === "skipped") counters.rollupFailures++;
      if (outcome === "changed") this.#queue.retry(siteId);
      else this.#queue.add(siteId);
    } catch (error) {
      this.#passOver(next);
      throw error;
    } finally {
      counters.rollupMs += monotonicMs() - beganMs;
    }
  }

  #passOver({ origin: { siteId, events } }: RollupToMake): void {
    let days = this.#passedOver.get(siteId);
    if (!days) this.#passedOver.set(siteId, (days = new Set()));
    for (const [day] of events) days.add(day);
  }

  async #failed(siteId: SiteId, error: unknown, signal: AbortSignal): Promise<void> {
    const { rollupStore, counters, log } = this.#options;
    if (signal.aborted) return;
    counters.rollupFailures++;
    this.#queue.retry(siteId);
    if (!this.#reported.has(siteId))
      log.warn("a rollup could not be made; it is tried again, and meanwhile reports read the events", {
        site: siteId,
        reason: reasonOf(error),
      });
    this.#reported.add(siteId);
    // A rollup that it was to be added up from may be gone.
    await rollupStore.forget(siteId);
  }
}
