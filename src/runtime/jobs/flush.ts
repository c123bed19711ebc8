/** When journal segments become Parquet files: when enough events wait or for long enough, and again with growing pauses while the disk refuses. */
import type { EventStore } from "../../storage/event-store.ts";
import type { Segment } from "../../storage/segment.ts";
import { FLUSH_RETRY_MS_MAX, FLUSH_RETRY_MS_MIN } from "../config/limits.ts";
import type { Counters } from "../metrics/counters.ts";
import { reasonOf, type Log } from "../metrics/log.ts";
import { Histogram } from "../metrics/prometheus.ts";
import type { Compaction } from "./compaction.ts";
import { PeriodicJob, type Job, type Run } from "./periodic-job.ts";

export interface FlushOptions {
  readonly eventStore: EventStore;
  readonly compaction: Pick<Compaction, "noteFiles">;
  readonly counters: Counters;
  readonly log: Log;
  readonly monotonicMs: () => number;
  readonly eventCount: number;
  /** Bytes of journal lines at which a flush begins, however few events they are. */
  readonly byteCount: number;
  readonly intervalSecs: number;
}

export class Flush implements Job {
  /** Of all flushes, failed ones too. */
  readonly durations = new Histogram();
  readonly #options: FlushOptions;
  readonly #job: PeriodicJob;
  /** Since when an event has waited that is in no file yet. */
  #waitingSinceMs: number | null = null;
  #lastFlushMs: number;

  constructor(options: FlushOptions) {
    const { monotonicMs } = options;
    this.#options = options;
    this.#lastFlushMs = monotonicMs();
    this.#job = new PeriodicJob({
      monotonicMs,
      isDue: () => this.#isDue(),
      run: (run) => this.#flush(run),
      retryMs: FLUSH_RETRY_MS_MIN,
      retryMsMax: FLUSH_RETRY_MS_MAX,
    });
  }

  tick(): void {
    this.#noteWaiting();
    this.#job.tick();
  }

  /** To be called after each event: begins a flush when enough wait. The clock is left to `tick`, because events are many. */
  noteEvent(): void {
    this.#noteWaiting();
    if (this.#isFull()) this.#job.tick();
  }

  #noteWaiting(): void {
    const { eventStore, monotonicMs } = this.#options;
    if (this.#waitingSinceMs === null && eventStore.unflushedEvents > 0) this.#waitingSinceMs = monotonicMs();
  }

  /** Writes everything that is journaled now; false when some of it could not be written. It stays journaled then. */
  async run(): Promise<boolean> {
    // One that is under way leaves out what came after its beginning.
    await this.#job.settled();
    return this.#job.run();
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  /** Writes what it can. The rest is left in the journal. */
  async stop(): Promise<void> {
    await this.run();
  }

  /** For how long the oldest event has waited that is in no file yet, as far as this process knows. */
  lagMs(): number {
    return this.#waitingSinceMs === null ? 0 : this.#options.monotonicMs() - this.#waitingSinceMs;
  }

  #isFull(): boolean {
    const { eventStore, eventCount, byteCount } = this.#options;
    const { appended, bytes } = eventStore.openSegment;
    return appended >= eventCount || bytes >= byteCount || eventStore.sealedSegments.length > 0 || eventStore.isUnsafe;
  }

  #isDue(): boolean {
    const { eventStore, intervalSecs, monotonicMs } = this.#options;
    if (this.#isFull()) return true;
    return eventStore.unflushedEvents > 0 && monotonicMs() - this.#lastFlushMs >= intervalSecs * 1000;
  }

  async #flush({ retryInMs }: Run): Promise<boolean> {
    const { eventStore, counters, log, monotonicMs } = this.#options;
    const beganMs = monotonicMs();
    this.#lastFlushMs = beganMs;
    try {
      await eventStore.seal();
      for (const segment of [...eventStore.sealedSegments]) await this.#flushSegment(segment);
      // What is there now came since.
      this.#waitingSinceMs = eventStore.unflushedEvents > 0 ? beganMs : null;
      return true;
    } catch (error) {
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

  async #flushSegment(segment: Segment): Promise<void> {
    const { eventStore, compaction } = this.#options;
    for (const [siteId, days] of [...segment.sites]) {
      await eventStore.commitFlush(segment, siteId);
      compaction.noteFiles(siteId, days.keys());
    }
    await eventStore.drop(segment);
  }
}
