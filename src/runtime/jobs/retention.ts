/** Days that are older than `retention_days` are erased, at the start and once a day, as if somebody had asked for it, while the clock can be trusted. */
import { DAY_MS, utcDayOf, type EpochMs, type SiteId, type UtcDay } from "../../storage/event.ts";
import type { Journal } from "../../storage/journal.ts";
import type { Partitions } from "../../storage/partitions.ts";
import type { Counters } from "../metrics/counters.ts";
import type { Erased, Erasure } from "./erasure.ts";
import { RETENTION_RETRY_MS } from "../config/limits.ts";
import { reasonOf, type Log } from "../metrics/log.ts";
import type { TrustedClock } from "./trusted-clock.ts";

export interface RetentionOptions {
  readonly erasure: Erasure;
  readonly partitions: Partitions;
  readonly journal: Journal;
  readonly counters: Counters;
  readonly log: Log;
  readonly clock: TrustedClock;
  /** 0 keeps everything. */
  readonly retentionDays: number;
}

const FIRST_DAY = "0001-01-01" as UtcDay;

export class Retention {
  readonly #options: RetentionOptions;
  #running: Promise<void> | null = null;
  /** The date that was last seen to. */
  #doneOn: UtcDay | null = null;
  #isStopped = false;
  #retryAtMs: EpochMs = 0;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Begins when a new date has come that can be trusted, and again some time after a failure. Nobody waits for it. */
  runIfDue(nowMs: EpochMs): void {
    const { clock, retentionDays } = this.#options;
    if (this.#isStopped || retentionDays === 0 || !clock.isTrusted(nowMs)) return;
    const isPause = nowMs < this.#retryAtMs && nowMs >= this.#retryAtMs - RETENTION_RETRY_MS;
    if (this.#running || isPause) return;
    if (this.#doneOn !== utcDayOf(nowMs)) void this.run(nowMs);
  }

  /** Erases what is too old, or waits for the end of the run that is under way. Never rejects. */
  run(nowMs: EpochMs): Promise<void> {
    this.#running ??= this.#eraseOldDays(nowMs).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Resolves when no run is under way and the time is recorded. */
  async settled(): Promise<void> {
    await this.#running;
    await this.#options.clock.settled();
  }

  /** Ends the run under way after the site that it is at, and begins no other. The next start goes on where this one was. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.settled();
  }

  async #eraseOldDays(nowMs: EpochMs): Promise<void> {
    const { counters, log, retentionDays } = this.#options;
    const lastDay = utcDayOf(nowMs - (retentionDays + 1) * DAY_MS);
    try {
      const { days, events } = await this.#eraseUpTo(lastDay, nowMs);
      this.#doneOn = utcDayOf(nowMs);
      if (days > 0) log.info("events older than retention_days were erased", { upTo: lastDay, days, events });
    } catch (error) {
      counters.retentionFailures++;
      this.#retryAtMs = nowMs + RETENTION_RETRY_MS;
      log.error("events older than retention_days could not all be erased; it is tried again", {
        upTo: lastDay,
        reason: reasonOf(error),
        retryInMs: RETENTION_RETRY_MS,
      });
    }
  }

  /** One site after the other, and every site although one fails. */
  async #eraseUpTo(lastDay: UtcDay, nowMs: EpochMs): Promise<Erased> {
    const { partitions, journal, erasure } = this.#options;
    const sites = new Set<SiteId>([...(await partitions.sites()), ...journal.unflushedSites()]);
    const failures: unknown[] = [];
    let [days, events] = [0, 0];
    for (const siteId of sites) {
      if (this.#isStopped) break;
      try {
        const erased = await erasure.erase(siteId, FIRST_DAY, lastDay, nowMs);
        days += erased.days;
        events += erased.events;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new Error(`${failures.length} of ${sites.size} sites: ${reasonOf(failures[0])}`);
    return { days, events };
  }
}
