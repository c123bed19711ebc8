/** Adds the engaged time of pings to the page views of days that are over, a day of a site at a time. */
import { addDays } from "../../storage/calendar.ts";
import { engagedSecondsOf, pageViewsFor, planRewrites } from "../../storage/engagement.ts";
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import type { EventFile, ParquetWriter } from "../../storage/parquet-events.ts";
import { importOf, type PartitionFile } from "../../storage/partitions.ts";
import type { Pings } from "../../storage/pings.ts";
import { ENGAGED_SECONDS_MAX, PINGS_LATE_DAYS, PINGS_RETRY_MS } from "../base/config/limits.ts";
import { type Log, reasonOf } from "../base/metrics/log.ts";
import { type Job, PeriodicJob } from "../base/periodic-job.ts";
import type { CalendarOf } from "../sites/sites.ts";

interface EngagementOptions {
  readonly pings: Pings;
  readonly eventStore: EventStore;
  readonly parquet: ParquetWriter;
  readonly calendarOf: CalendarOf;
  /** The name that a site has now. */
  readonly siteOf: (siteId: SiteId) => SiteId;
  /** Files of the day have other names. */
  readonly onRewritten: (siteId: SiteId, day: LocalDate) => void;
  readonly log: Log;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
}

export class Engagement implements Job {
  readonly #options: EngagementOptions;
  readonly #job: PeriodicJob;

  constructor(options: EngagementOptions) {
    this.#options = options;
    const { eventStore, monotonicMs, pings, siteOf } = options;
    this.#job = new PeriodicJob({
      monotonicMs,
      isDue: () => this.#due().length > 0,
      run: ({ signal }) => this.#addAll(signal),
      pauseMs: PINGS_RETRY_MS,
      retryMs: PINGS_RETRY_MS,
    });
    eventStore.observe({
      beforeErasure: async (siteId, firstDay, lastDay) => {
        for (const name of pings.sites()) {
          if (name === siteId || siteOf(name) === siteId) await pings.erase(name, firstDay, lastDay);
        }
      },
    });
  }

  tick(): void {
    this.#job.tick();
  }

  /** Adds all that can be added, or waits for the current run. */
  async run(): Promise<void> {
    await this.#job.run();
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  stop(): Promise<void> {
    return this.#job.stop();
  }

  #todayOf(siteId: SiteId): LocalDate {
    const { calendarOf, siteOf, now } = this.#options;
    return calendarOf(siteOf(siteId)).dateOf(now());
  }

  #due(): [SiteId, LocalDate][] {
    return this.#options.pings.days().filter(([siteId, day]) => day < this.#todayOf(siteId));
  }

  async #addAll(signal: AbortSignal): Promise<boolean> {
    const { pings } = this.#options;
    let isDone = true;
    for (const [siteId, day] of this.#due()) {
      if (signal.aborted) return true;
      const isLate = day < addDays(this.#todayOf(siteId), -PINGS_LATE_DAYS);
      if (isLate || (await this.#succeeds(() => this.#addTo(siteId, day), { site: siteId, day }))) pings.finish(siteId, day);
      else isDone = false;
    }
    const isSwept = await this.#succeeds(async () => {
      await pings.sweep();
      return true;
    });
    return isDone && isSwept;
  }

  async #succeeds(task: () => Promise<boolean>, details: { readonly site?: SiteId; readonly day?: LocalDate } = {}): Promise<boolean> {
    try {
      return await task();
    } catch (error) {
      this.#options.log.warn("engaged time could not be added to page views; it is tried again", { ...details, reason: reasonOf(error) });
      return false;
    }
  }

  /** Returns false if it has to be tried again. Each step may be repeated: page views that have their time keep it. */
  async #addTo(ofPings: SiteId, day: LocalDate): Promise<boolean> {
    const { eventStore, onRewritten, parquet, pings, siteOf } = this.#options;
    const siteId = siteOf(ofPings);
    if (await eventStore.isJournaled(siteId, day, day)) return false;
    const files = (await eventStore.deleteSuperseded(siteId, day)).filter((file) => importOf(file) === null);
    const added = await this.#secondsByFile(siteId, files, pings.of(ofPings, day));
    for (const group of planRewrites(files, (file) => added.has(file))) {
      const parts: EventFile[] = [];
      for (const file of group) parts.push({ ...(await this.#read(siteId, file)), engagedSeconds: added.get(file) ?? new Map() });
      const merged = await parquet.merge(parts);
      if ("unreadable" in merged) throw new Error(`${merged.unreadable} cannot be read: ${merged.reason}`);
      if (!(await eventStore.replaceFiles(siteId, day, group, merged.bytes))) return false;
      onRewritten(siteId, day);
    }
    return true;
  }

  /** Throws if the file was merged or erased meanwhile. */
  async #read(siteId: SiteId, file: PartitionFile): Promise<EventFile> {
    const bytes = await this.#options.eventStore.read(file);
    if (bytes === null) throw new Error(`${file.key} is gone`);
    return { key: file.key, siteId, bytes };
  }

  async #secondsByFile(siteId: SiteId, files: readonly PartitionFile[], pings: ReturnType<Pings["of"]>) {
    const pageViews: (ReturnType<typeof pageViewsFor>[number] & { readonly file: PartitionFile })[] = [];
    for (const file of files) {
      const read = await this.#read(siteId, file);
      for (const pageView of pageViewsFor(pings, read)) pageViews.push({ ...pageView, file });
    }
    const added = new Map<PartitionFile, Map<number, number>>();
    for (const [place, seconds] of engagedSecondsOf(pageViews, pings, ENGAGED_SECONDS_MAX)) {
      const pageView = pageViews[place];
      if (!pageView) continue;
      const ofFile = added.get(pageView.file) ?? new Map<number, number>();
      added.set(pageView.file, ofFile.set(pageView.row, seconds));
    }
    return added;
  }
}
