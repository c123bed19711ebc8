/** When and how the small files of a site's day become few: in the background, a day at a time, so that nobody waits for it. */
import { utcDayOf, type EpochMs, type SiteId, type UtcDay } from "../../storage/event.ts";
import type { Journal } from "../../storage/journal.ts";
import { planMerges } from "../../storage/merge-plan.ts";
import type { EventFile } from "../../storage/parquet-events.ts";
import type { ParquetWriter } from "../../storage/parquet-writer.ts";
import type { PartitionFile } from "../../storage/partition-path.ts";
import type { Partitions } from "../../storage/partitions.ts";
import type { SiteLocks } from "../../storage/site-locks.ts";
import type { Counters } from "../metrics/counters.ts";
import { COMPACTION_PAUSE_MS, COMPACTION_RETRY_MS, UNREADABLE_FILES_REMEMBERED_MAX } from "../config/limits.ts";
import { reasonOf, type Log } from "../metrics/log.ts";

export interface CompactionOptions {
  readonly partitions: Partitions;
  readonly parquet: ParquetWriter;
  readonly journal: Journal;
  readonly locks: SiteLocks;
  readonly counters: Counters;
  readonly log: Log;
  /** A past day with more files than this gets them merged; 0 = never. */
  readonly filesMax: number;
}

/** Sites with the days that are to be looked at. */
type Days = Map<SiteId, Set<UtcDay>>;

function addDays(days: Days, siteId: SiteId, more: Iterable<UtcDay>): void {
  let ofSite = days.get(siteId);
  if (!ofSite) days.set(siteId, (ofSite = new Set()));
  for (const day of more) ofSite.add(day);
}

export class Compaction {
  readonly #options: CompactionOptions;
  /** Days that have got files since they were last looked at. */
  #changed: Days = new Map();
  /** Days that got files while they were today: they are looked at once more when they are past. */
  #growing: Days = new Map();
  /** The date on which the last look was; null before the first, which is at everything. */
  #lookedOn: UtcDay | null = null;
  #nextAtMs: EpochMs = 0;
  #running: Promise<void> | null = null;
  #stopped = false;
  /** Files that no merge could read. They stay as they are and are reported once. */
  readonly #unreadable = new Set<string>();

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** Hears of days that have got a file. */
  noteFiles(siteId: SiteId, days: Iterable<UtcDay>): void {
    if (this.#options.filesMax > 0) addDays(this.#changed, siteId, days);
  }

  /** Begins a look when it is time for one. Nobody waits for it. */
  runIfDue(nowMs: EpochMs): void {
    // Unless the clock was set back, the pause is never longer than this.
    const isPause = nowMs < this.#nextAtMs && nowMs >= this.#nextAtMs - COMPACTION_RETRY_MS;
    if (this.#running || isPause) return;
    this.#nextAtMs = nowMs + COMPACTION_PAUSE_MS;
    void this.run(nowMs);
  }

  /** Merges whatever there is to merge, or waits for the run that is under way. Never rejects. */
  run(nowMs: EpochMs): Promise<void> {
    if (this.#options.filesMax === 0 || this.#stopped) return Promise.resolve();
    this.#running ??= this.#look(nowMs).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Begins nothing more and resolves when the merge under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Resolves when no run is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #look(nowMs: EpochMs): Promise<void> {
    const today = utcDayOf(nowMs);
    for (const [siteId, days] of await this.#due(today, nowMs)) {
      for (const day of days) {
        if (this.#stopped) return;
        if (day >= today) addDays(this.#growing, siteId, [day]);
        try {
          await this.#compactDay(siteId, day, day < today);
        } catch (error) {
          this.#failed(siteId, day, error, nowMs);
        }
      }
    }
  }

  /** What has changed; after midnight also what was today's; and everything at the first time, for a crash may have left work. */
  async #due(today: UtcDay, nowMs: EpochMs): Promise<Days> {
    const due = this.#changed;
    this.#changed = new Map();
    if (this.#lookedOn !== null && this.#lookedOn !== today) {
      for (const [siteId, days] of this.#growing) addDays(due, siteId, days);
      this.#growing = new Map();
    }
    if (this.#lookedOn === null) {
      try {
        const { partitions, locks } = this.#options;
        for (const siteId of await partitions.sites()) addDays(due, siteId, await locks.run(siteId, () => partitions.days(siteId)));
      } catch (error) {
        this.#changed = due;
        this.#nextAtMs = nowMs + COMPACTION_RETRY_MS;
        this.#options.log.warn("the files could not be listed; whether some are to be merged is looked at later", {
          reason: reasonOf(error),
        });
        return new Map();
      }
    }
    this.#lookedOn = today;
    return due;
  }

  #failed(siteId: SiteId, day: UtcDay, error: unknown, nowMs: EpochMs): void {
    const { counters, log } = this.#options;
    counters.compactionFailures++;
    addDays(this.#changed, siteId, [day]);
    this.#nextAtMs = nowMs + COMPACTION_RETRY_MS;
    log.warn("files could not be merged; they stay as they are and it is tried again", { site: siteId, day, reason: reasonOf(error) });
  }

  async #compactDay(siteId: SiteId, day: UtcDay, isPast: boolean): Promise<void> {
    const { partitions, journal, locks, filesMax } = this.#options;
    // Erasure leaves files of journaled segments, so nothing may be merged with these.
    const isMergeable = ({ first, last, key }: PartitionFile) => !journal.hasSegmentWithin(first, last) && !this.#unreadable.has(key);
    const groups = await locks.run(siteId, async () => {
      // A crash between a merge and the removal of its parts has left them.
      const superseded = await partitions.superseded(siteId, day);
      // What stands for them may be there only until the next crash.
      if (superseded.length > 0) await partitions.sync(siteId, day, day);
      await partitions.remove(siteId, superseded);
      return planMerges({ files: await partitions.files(siteId, day), isMergeable, isPast, filesMax });
    });
    for (const group of groups) if (!this.#stopped) await this.#merge(siteId, day, group);
  }

  async #merge(siteId: SiteId, day: UtcDay, group: readonly PartitionFile[]): Promise<void> {
    const { partitions, parquet, locks, counters, log } = this.#options;
    const files = await this.#read(group);
    if (!files) return;
    const merged = await parquet.merge(files);
    if ("unreadable" in merged) {
      if (this.#unreadable.size >= UNREADABLE_FILES_REMEMBERED_MAX) this.#unreadable.clear();
      this.#unreadable.add(merged.unreadable);
      addDays(this.#changed, siteId, [day]);
      log.error("a partition file cannot be read; it stays as it is and is not merged", { file: merged.unreadable, reason: merged.reason });
      return;
    }
    await locks.run(siteId, async () => {
      // Whatever was erased meanwhile must not come back.
      const now = new Set((await partitions.files(siteId, day)).map(({ key }) => key));
      if (!group.every(({ key }) => now.has(key))) return;
      await partitions.writeMerged(siteId, group, merged.bytes);
      await partitions.remove(siteId, group);
      counters.filesCompacted += group.length;
      log.debug("files were merged", { site: siteId, day, files: group.length, events: merged.events });
    });
  }

  /** Null when one is gone: it was erased. */
  async #read(group: readonly PartitionFile[]): Promise<EventFile[] | null> {
    const files: EventFile[] = [];
    for (const file of group) {
      const bytes = await this.#options.partitions.read(file);
      if (!bytes) return null;
      files.push({ key: file.key, bytes });
    }
    return files;
  }
}
