/** Writes journal segments to Parquet files, and inserts them into ClickHouse if it answers reports: by event count, bytes or age, and after a failure with growing delays. */
import type { EventStore } from "../../storage/event-store.ts";
import type { SiteId } from "../../storage/event.ts";
import type { Segment } from "../../storage/segment.ts";
import { severalAtOnce } from "../../storage/object-store.ts";
import { CLICKHOUSE_FILES_AT_ONCE, CLICKHOUSE_RETRY_MS_MAX } from "../base/config/clickhouse-limits.ts";
import { FLUSH_RETRY_MS_MAX, FLUSH_RETRY_MS_MIN } from "../base/config/limits.ts";
import { type Counters, Histogram } from "../base/metrics/metrics.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import type { Compaction } from "./compaction.ts";
import { PeriodicJob, type Run } from "../base/periodic-job.ts";

interface FlushPace {
  /** The longest wait of an event, where reports see it only after its flush. */
  readonly eventMs: number;
  readonly sitesAtOnce: number;
  readonly retryMsMax: number;
}

/** DuckDB: reports also read the journal, so a flush is never urgent. */
export const INTO_FILES: FlushPace = { eventMs: Number.POSITIVE_INFINITY, sitesAtOnce: 1, retryMsMax: FLUSH_RETRY_MS_MAX };

/** ClickHouse: reports see an event only after its flush. */
export const INTO_CLICKHOUSE: FlushPace = {
  ...INTO_FILES,
  sitesAtOnce: CLICKHOUSE_FILES_AT_ONCE,
  retryMsMax: CLICKHOUSE_RETRY_MS_MAX,
};

interface FlushOptions extends FlushPace {
  readonly eventStore: EventStore;
  readonly compaction: Pick<Compaction, "noteFiles">;
  readonly counters: Counters;
  readonly log: Log;
  readonly monotonicMs: () => number;
  readonly eventCount: number;
  /** Bytes of journal lines at which a flush begins, whatever the number of events. */
  readonly byteCount: number;
  readonly intervalSecs: number;
}

export class Flush {
  /** Durations of all flushes, including failed ones. */
  readonly durations = new Histogram();
  readonly #options: FlushOptions;
  readonly #job: PeriodicJob;
  /** Start of the wait of the oldest unflushed event. */
  #waitingSinceMs: number | null = null;
  #lastFlushMs: number;
  #failure: unknown = null;

  constructor(options: FlushOptions) {
    const { monotonicMs, retryMsMax } = options;
    this.#options = options;
    this.#lastFlushMs = monotonicMs();
    this.#job = new PeriodicJob({
      monotonicMs,
      isDue: () => this.#isDue(),
      run: (run) => this.#flush(run),
      retryMs: FLUSH_RETRY_MS_MIN,
      retryMsMax,
    });
  }

  tick(): void {
    this.#noteWaiting();
    this.#job.tick();
  }

  /** Called after each event: begins a flush if enough events wait. Only `tick` reads the clock, to keep ingestion fast. */
  noteEvent(): void {
    this.#noteWaiting();
    if (this.#isFull()) this.#job.tick();
  }

  #noteWaiting(): void {
    const { eventStore, monotonicMs } = this.#options;
    if (this.#waitingSinceMs === null && eventStore.unflushedEvents > 0) this.#waitingSinceMs = monotonicMs();
  }

  /** Flushes all events journaled now; returns false if some could not be written. They stay in the journal. */
  async run(): Promise<boolean> {
    // A running flush does not include events appended after its start.
    await this.#job.settled();
    return this.#job.run();
  }

  /**
   * Resolves once no event of the site that was accepted before the call is unflushed. Rejects with the reason of a flush that failed; at
   * once while the pause after it lasts.
   */
  async deliver(siteId: SiteId): Promise<void> {
    const { eventStore } = this.#options;
    if (!eventStore.hasUnflushed(siteId)) return;
    if (this.#job.isBackingOff || (!(await this.run()) && eventStore.hasUnflushed(siteId))) throw this.#failure;
  }

  /** ClickHouse responds again: the next tick, or report, tries at once. */
  endBackoff(): void {
    this.#job.endBackoff();
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  /** Flushes all events, or what can be flushed until the signal aborts. The rest stays in the journal. */
  async stop(late: AbortSignal): Promise<void> {
    const { eventStore, log } = this.#options;
    const abort = () => void this.#job.stop();
    if (late.aborted) abort();
    else late.addEventListener("abort", abort);
    await this.run();
    const events = eventStore.unflushedEvents;
    if (late.aborted && events > 0)
      log.warn("stopped before all events were written to files; the next start reads the rest from the journal", { events });
  }

  /** Age of the oldest unflushed event, as far as this process knows. */
  lagMs(): number {
    return this.#waitingSinceMs === null ? 0 : this.#options.monotonicMs() - this.#waitingSinceMs;
  }

  /** True if the open segment has as much as one flush should have. */
  get #isOpenFull(): boolean {
    const { eventStore, eventCount, byteCount } = this.#options;
    const { appended, bytes } = eventStore.openSegment;
    return appended >= eventCount || bytes >= byteCount;
  }

  #isFull(): boolean {
    const { eventStore } = this.#options;
    return this.#isOpenFull || eventStore.sealedSegments.length > 0 || eventStore.isUnsafe;
  }

  #isDue(): boolean {
    const { eventStore, intervalSecs, eventMs, monotonicMs } = this.#options;
    if (this.#isFull()) return true;
    return eventStore.unflushedEvents > 0 && (monotonicMs() - this.#lastFlushMs >= intervalSecs * 1000 || this.lagMs() >= eventMs);
  }

  async #flush({ signal, retryInMs }: Run): Promise<boolean> {
    const { eventStore, counters, log, monotonicMs } = this.#options;
    const beganMs = monotonicMs();
    this.#lastFlushMs = beganMs;
    try {
      if (eventStore.sealedSegments.length > 0 && !this.#isOpenFull) {
        // First, so that attempts that fail do not leave a small segment each.
        await eventStore.syncSealed();
        await this.#flushSealed(signal);
      }
      await eventStore.seal();
      await this.#flushSealed(signal);
      // All events that are unflushed now arrived since.
      this.#waitingSinceMs = eventStore.unflushedEvents > 0 ? beganMs : null;
      return true;
    } catch (error) {
      this.#failure = error;
      if (signal.aborted) return false;
      counters.flushFailures++;
      log.error("a flush failed; the events stay in the journal and it is tried again", {
        reason: reasonOf(error),
        retryInMs,
        bufferedEvents: eventStore.unflushedEvents,
      });
      return false;
    } finally {
      this.durations.observe(monotonicMs() - beganMs);
    }
  }

  async #flushSealed(signal: AbortSignal): Promise<void> {
    for (const segment of [...this.#options.eventStore.sealedSegments]) await this.#flushSegment(segment, signal);
  }

  async #flushSegment(segment: Segment, signal: AbortSignal): Promise<void> {
    const { eventStore, compaction, sitesAtOnce } = this.#options;
    await eventStore.replicate(segment, signal);
    await severalAtOnce(segment.sites, sitesAtOnce, async ([siteId, days]) => {
      signal.throwIfAborted();
      await eventStore.commitFlush(segment, siteId);
      compaction.noteFiles(siteId, days.keys());
    });
    await eventStore.drop(segment);
  }
}
