/** When and how journal segments become Parquet files: a segment at a time, again with growing pauses while the disk refuses. */
import type { Journal, Segment } from "../../storage/journal.ts";
import type { EpochMs } from "../../storage/event.ts";
import type { Partitions } from "../../storage/partitions.ts";
import type { Compaction } from "./compaction.ts";
import type { Counters } from "../metrics/counters.ts";
import type { PartitionCache } from "../engine/partition-cache.ts";
import { FLUSH_RETRY_MS_MAX, FLUSH_RETRY_MS_MIN } from "../config/limits.ts";
import { reasonOf, type Log } from "../metrics/log.ts";
import { Histogram } from "../metrics/prometheus.ts";

export interface FlusherOptions {
  readonly journal: Journal;
  readonly partitions: Partitions;
  readonly partitionCache: PartitionCache;
  readonly compaction: Compaction;
  readonly counters: Counters;
  readonly log: Log;
  readonly eventCount: number;
  /** Bytes of journal lines at which a flush begins, however few events they are. */
  readonly byteCount: number;
  readonly intervalSecs: number;
  readonly now: () => EpochMs;
}

export class Flusher {
  /** Of all flushes, failed ones too. */
  readonly durations = new Histogram();
  readonly #options: FlusherOptions;
  /** Since when an event has waited that is in no file yet. */
  #waitingSinceMs: EpochMs | null = null;
  #running: Promise<boolean> | null = null;
  #lastFlushMs: EpochMs;
  #failures = 0;
  #retryAtMs: EpochMs = 0;

  constructor(options: FlusherOptions, nowMs: EpochMs) {
    this.#options = options;
    this.#lastFlushMs = nowMs;
  }

  /** Resolves when no flush is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Begins a flush when enough events wait or the interval has passed. Never throws; the request that came along does not wait. */
  flushIfDue(nowMs: EpochMs): void {
    if (nowMs < this.#lastFlushMs) this.#followClockBack(nowMs);
    if (this.#options.journal.size > 0) this.#waitingSinceMs ??= nowMs;
    if (this.#running || (this.#failures > 0 && nowMs < this.#retryAtMs)) return;
    const { journal, eventCount, byteCount, intervalSecs } = this.#options;
    const isLarge = journal.openSize >= eventCount || journal.openBytes >= byteCount;
    const full = isLarge || journal.sealed.length > 0 || journal.isUnsafe;
    const late = journal.size > 0 && nowMs - this.#lastFlushMs >= intervalSecs * 1000;
    if (full || late) void this.#begin(nowMs);
  }

  /** What was to be at a time of a clock that was set back since would come that much later. */
  #followClockBack(nowMs: EpochMs): void {
    this.#lastFlushMs = nowMs;
    this.#retryAtMs = nowMs;
    if (this.#waitingSinceMs !== null) this.#waitingSinceMs = nowMs;
  }

  /** Writes everything that is journaled now; false when some of it could not be written. It stays journaled then. */
  async flush(nowMs: EpochMs): Promise<boolean> {
    // One that is under way leaves out what came after its beginning.
    await this.#running;
    return this.#begin(nowMs);
  }

  #begin(nowMs: EpochMs): Promise<boolean> {
    this.#running ??= this.#flushSegments(nowMs).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #flushSegments(nowMs: EpochMs): Promise<boolean> {
    const { journal, counters, log } = this.#options;
    this.#lastFlushMs = nowMs;
    const beganMs = this.#options.now();
    try {
      await journal.seal();
      for (const segment of [...journal.sealed]) await this.#flushSegment(segment);
      this.#failures = 0;
      // What is there now came since.
      this.#waitingSinceMs = journal.size > 0 ? beganMs : null;
      return true;
    } catch (error) {
      counters.flushFailures++;
      const pauseMs = Math.min(FLUSH_RETRY_MS_MAX, FLUSH_RETRY_MS_MIN * 2 ** this.#failures++);
      this.#retryAtMs = nowMs + pauseMs;
      log.error("a flush failed; the events stay in the journal and it is tried again", {
        reason: reasonOf(error),
        retryInMs: pauseMs,
        bufferedEvents: journal.size,
      });
      return false;
    } finally {
      this.durations.observe(this.#options.now() - beganMs);
    }
  }

  /** For how long the oldest event has waited that is in no file yet, as far as this process knows. */
  lagMs(nowMs: EpochMs): number {
    return this.#waitingSinceMs === null ? 0 : Math.max(0, nowMs - this.#waitingSinceMs);
  }

  async #flushSegment(segment: Segment): Promise<void> {
    const { journal, partitions, partitionCache, compaction } = this.#options;
    for (const [siteId, days] of [...segment.sites]) {
      const files = [];
      for (const [day, events] of days) files.push(await partitions.write(siteId, day, segment.number, events));
      await partitionCache.commitFlush(segment, siteId, files);
      compaction.noteFiles(siteId, days.keys());
    }
    await journal.drop(segment);
  }
}
