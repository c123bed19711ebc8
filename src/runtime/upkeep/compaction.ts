/** Merges the small files of a site's day into few: in the background, a day at a time. */
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { type PartitionFile, planMerges } from "../../storage/partitions.ts";
import type { EventFile, ParquetWriter } from "../../storage/parquet-events.ts";
import { COMPACTION_PAUSE_MS, COMPACTION_RETRY_MS, UNREADABLE_FILES_REMEMBERED_MAX } from "../base/config/limits.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import type { LeftOutFiles } from "../base/metrics/storage-faults.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import type { CalendarOf } from "../sites/sites.ts";
import { NewDates } from "../sites/site-calendar.ts";
import { PeriodicJob, type Job } from "../base/periodic-job.ts";

interface CompactionOptions {
  readonly eventStore: EventStore;
  readonly parquet: ParquetWriter;
  readonly calendarOf: CalendarOf;
  readonly counters: Counters;
  readonly leftOutFiles: LeftOutFiles;
  readonly log: Log;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  /** A past day with more files than this gets them merged; 0 = never. */
  readonly filesMax: number;
}

type Days = Map<SiteId, Set<LocalDate>>;

function addTo(days: Days, siteId: SiteId, more: Iterable<LocalDate>): void {
  let ofSite = days.get(siteId);
  if (!ofSite) days.set(siteId, (ofSite = new Set()));
  for (const day of more) ofSite.add(day);
}

export class Compaction implements Job {
  readonly #options: CompactionOptions;
  readonly #job: PeriodicJob;
  /** Days with new files since their last check. */
  #changed: Days = new Map();
  /** Days of the current look, as far as they are not checked yet. */
  #checking: Days = new Map();
  /** Days that got files on the day itself: checked once more when they are past. */
  readonly #growing: Days = new Map();
  readonly #newDates: NewDates;
  /** There was a check. The first covers all days. */
  #hasLooked = false;
  /** Unreadable files. They are not changed, and are reported once. */
  readonly #unreadable = new Set<string>();

  constructor(options: CompactionOptions) {
    this.#options = options;
    this.#newDates = new NewDates(options);
    this.#job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => options.filesMax > 0,
      run: ({ signal }) => this.#look(signal),
      pauseMs: COMPACTION_PAUSE_MS,
      retryMs: COMPACTION_RETRY_MS,
    });
  }

  /** Notifies the job of a day with a new file. */
  noteFiles(siteId: SiteId, days: Iterable<LocalDate>): void {
    if (this.#options.filesMax > 0) addTo(this.#changed, siteId, days);
  }

  /** True if files of the site's past days may still be merged now. */
  hasWork(siteId: SiteId): boolean {
    if (this.#options.filesMax === 0) return false;
    const today = this.#todayOf(siteId);
    const days = [this.#changed, this.#checking, this.#growing].flatMap((ofSites) => [...(ofSites.get(siteId) ?? [])]);
    return !this.#hasLooked || days.some((day) => day < today);
  }

  #todayOf(siteId: SiteId): LocalDate {
    const { calendarOf, now } = this.#options;
    return calendarOf(siteId).dateOf(now());
  }

  tick(): void {
    this.#job.tick();
  }

  /** Runs all merges that are due, or waits for the current run. Never rejects. */
  async run(): Promise<void> {
    if (this.#options.filesMax > 0) await this.#job.run();
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  /** Stops after the current merge, which the host may end. */
  stop(): Promise<void> {
    return this.#job.stop();
  }

  async #look(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return true;
    const due = await this.#due();
    let isDone = due !== null;
    for (const [siteId, days] of due ?? []) {
      for (const day of days) {
        if (signal.aborted) return true;
        const today = this.#todayOf(siteId);
        if (day >= today) addTo(this.#growing, siteId, [day]);
        try {
          await this.#compactDay(siteId, day, day < today, signal);
        } catch (error) {
          if (signal.aborted) return true;
          isDone = false;
          this.#failed(siteId, day, error);
        }
      }
      due?.delete(siteId);
    }
    return isDone;
  }

  /**
   * Changed days; after a site's midnight also yesterday; and all days at the first time, because a crash may have left work. null if it
   * cannot be known.
   */
  async #due(): Promise<Days | null> {
    const due = this.#changed;
    this.#changed = new Map();
    this.#checking = due;
    if (this.#newDates.areDue) this.#takeGrown(due);
    if (!this.#hasLooked && !(await this.#addAll(due))) {
      this.#changed = due;
      this.#checking = new Map();
      return null;
    }
    this.#hasLooked = true;
    return due;
  }

  #takeGrown(due: Days): void {
    for (const siteId of this.#newDates.take(this.#growing.keys())) {
      addTo(due, siteId, this.#growing.get(siteId) ?? []);
      this.#growing.delete(siteId);
    }
  }

  async #addAll(due: Days): Promise<boolean> {
    const { eventStore, log } = this.#options;
    try {
      for (const siteId of await eventStore.sites()) addTo(due, siteId, await eventStore.days(siteId));
      return true;
    } catch (error) {
      log.warn("the files could not be listed; whether some are to be merged is looked at later", { reason: reasonOf(error) });
      return false;
    }
  }

  #failed(siteId: SiteId, day: LocalDate, error: unknown): void {
    const { counters, log } = this.#options;
    counters.compactionFailures++;
    addTo(this.#changed, siteId, [day]);
    log.warn("files could not be merged; they stay as they are and it is tried again", { site: siteId, day, reason: reasonOf(error) });
  }

  async #compactDay(siteId: SiteId, day: LocalDate, isPast: boolean, signal: AbortSignal): Promise<void> {
    const { eventStore, filesMax } = this.#options;
    const files = await eventStore.deleteSuperseded(siteId, day);
    const isMergeable = (file: PartitionFile) => eventStore.isSettled(file) && !this.#unreadable.has(file.key);
    for (const group of planMerges({ files, isMergeable, isPast, filesMax })) {
      if (!signal.aborted) await this.#merge(siteId, day, group);
    }
  }

  async #merge(siteId: SiteId, day: LocalDate, group: readonly PartitionFile[]): Promise<void> {
    const { eventStore, parquet, counters, log } = this.#options;
    const files = await this.#read(siteId, group);
    if (!files) return;
    const merged = await parquet.merge(files);
    if ("unreadable" in merged) {
      this.#noteUnreadable(merged.unreadable, merged.reason);
      addTo(this.#changed, siteId, [day]);
      return;
    }
    if (!(await eventStore.replaceFiles(siteId, day, group, merged.bytes))) return;
    counters.filesCompacted += group.length;
    log.debug("files were merged", { site: siteId, day, files: group.length, events: merged.events });
  }

  #noteUnreadable(file: string, reason: string): void {
    if (this.#unreadable.size >= UNREADABLE_FILES_REMEMBERED_MAX) this.#unreadable.clear();
    this.#unreadable.add(file);
    this.#options.leftOutFiles.note(file);
    this.#options.log.error("a partition file cannot be read; it stays as it is and is not merged", { file, reason });
  }

  /** Returns null if a file is missing: it was erased. */
  async #read(siteId: SiteId, group: readonly PartitionFile[]): Promise<EventFile[] | null> {
    const files: EventFile[] = [];
    for (const file of group) {
      const bytes = await this.#options.eventStore.read(file);
      if (!bytes) return null;
      files.push({ key: file.key, siteId, bytes });
    }
    return files;
  }
}
