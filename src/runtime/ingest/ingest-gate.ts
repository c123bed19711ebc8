/** Refuses events with 503 while they cannot be stored; the log says so once a minute, not for each event. */
import type { EpochMs, StoredEvent } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import type { Counters } from "../base/metrics/counters.ts";
import { AppError, STORAGE_RETRY_SECS } from "../base/errors.ts";
import { FLUSH_RETRY_MS_MAX, INGEST_RECOVERY_MS, REFUSED_EVENTS_LOG_MS, UNFLUSHED_EVENTS_MAX } from "../base/config/limits.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";

export interface IngestGateOptions {
  readonly eventStore: EventStore;
  readonly counters: Counters;
  readonly log: Log;
  /** Bytes of journal lines that may wait for a flush. */
  readonly unflushedBytesMax: number;
}

const refusal = (retryAfterSecs: number): AppError =>
  new AppError({ code: "unavailable", retryAfterSecs }, "The service cannot store events at the moment. Try again later.");

export class IngestGate {
  readonly #options: IngestGateOptions;
  /** Events refused in the current outage. */
  #refused = 0;
  /** Both by the monotonic clock, as are all times here. */
  #refusedAtMs = 0;
  #loggedAtMs = 0;

  constructor(options: IngestGateOptions) {
    this.#options = options;
  }

  /** False from the first refused event until no event has been refused for `INGEST_RECOVERY_MS`. */
  get isOpen(): boolean {
    return this.#refused === 0;
  }

  /** True if the next event is expected to be stored. Time alone makes it true again: while it is false, nobody may send events. */
  isAccepting(nowMs: number): boolean {
    return this.#hasRoom && (this.isOpen || nowMs - this.#refusedAtMs >= INGEST_RECOVERY_MS);
  }

  get #hasRoom(): boolean {
    const { eventStore, unflushedBytesMax } = this.#options;
    return eventStore.unflushedEvents < UNFLUSHED_EVENTS_MAX && eventStore.unflushedBytes < unflushedBytesMax;
  }

  /** Resolves when the event is in the journal; 503 when it cannot be, or when too many wait for a flush. */
  async store(event: StoredEvent, nowMs: EpochMs): Promise<void> {
    const { eventStore } = this.#options;
    if (!this.#hasRoom) {
      this.#refuse("too many events wait to be written to files", nowMs);
      throw refusal(FLUSH_RETRY_MS_MAX / 1000);
    }
    try {
      await eventStore.append(event);
    } catch (error) {
      throw this.#refusalFor(error, nowMs);
    }
    if (this.#refused > 0) this.#reopen(nowMs);
  }

  /** Renews the salt that an event's visitor id needs; 503 when its secret cannot be stored. */
  async storeSalt(renew: () => Promise<void>, nowMs: number): Promise<void> {
    try {
      await renew();
    } catch (error) {
      throw this.#refusalFor(error, nowMs);
    }
  }

  #refusalFor(error: unknown, nowMs: number): AppError {
    this.#refuse(reasonOf(error), nowMs);
    return refusal(STORAGE_RETRY_SECS);
  }

  #refuse(reason: string, nowMs: number): void {
    const { counters, log } = this.#options;
    counters.eventsRefused++;
    this.#refused++;
    this.#refusedAtMs = nowMs;
    if (this.#refused > 1 && nowMs - this.#loggedAtMs < REFUSED_EVENTS_LOG_MS) return;
    this.#loggedAtMs = nowMs;
    log.error("events are refused because they cannot be stored", { reason, refusedEvents: this.#refused });
  }

  /** Not on the first stored event: a full disk still accepts a short event now and then. */
  #reopen(nowMs: number): void {
    if (nowMs - this.#refusedAtMs < INGEST_RECOVERY_MS) return;
    this.#options.log.info("events can be stored again", { refusedEvents: this.#refused });
    this.#refused = 0;
  }
}
