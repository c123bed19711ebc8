/** When days older than `retention_days` are erased: at the start and once a day, while the clock is trusted. */
import { addDays, type Calendar } from "../../storage/calendar.ts";
import type { EpochMs, UtcDay } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { RETENTION_RETRY_MS } from "../config/limits.ts";
import type { Counters } from "../metrics/counters.ts";
import { reasonOf, type Log } from "../metrics/log.ts";
import type { Erased, Erasure } from "./erasure.ts";
import { PeriodicJob, type Job, type Run } from "./periodic-job.ts";
import type { TrustedClock } from "./trusted-clock.ts";

export interface RetentionOptions {
  readonly erasure: Erasure;
  readonly eventStore: EventStore;
  readonly calendar: Calendar;
  readonly counters: Counters;
  readonly log: Log;
  readonly clock: TrustedClock;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  /** 0 disables retention. */
  readonly retentionDays: number;
  /** Deletes expired events of other nodes that cannot do so themselves. */
  readonly deleteExpiredOfAbsent: (lastDay: UtcDay) => Promise<void>;
}

const FIRST_DAY = "0001-01-01" as UtcDay;

export class Retention implements Job {
  readonly #options: RetentionOptions;
  readonly #job: PeriodicJob;
  /** The date of the last complete run. */
  #doneOn: UtcDay | null = null;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => this.#doneOn !== this.#today(),
      run: (run) => this.#eraseOldDays(run),
      retryMs: RETENTION_RETRY_MS,
    });
  }

  /** Begins a run on each new date that is trusted. */
  tick(): void {
    const { clock, retentionDays, now } = this.#options;
    // The clock must be read on every tick, even during a run.
    if (retentionDays > 0 && clock.isTrusted(now())) this.#job.tick();
  }

  /** Erases expired days, or waits for the current run. */
  async run(): Promise<void> {
    await this.#job.run();
  }

  /** Resolves when no run is active and the time is recorded. */
  async settled(): Promise<void> {
    await this.#job.settled();
    await this.#options.clock.settled();
  }

  /** Stops the current run after its current site. The next start continues with the rest. */
  async stop(): Promise<void> {
    await this.#job.stop();
    await this.settled();
  }

  #today(): UtcDay {
    const { calendar, now } = this.#options;
    return calendar.dateOf(now());
  }

  async #eraseOldDays({ signal, retryInMs }: Run): Promise<boolean> {
    const { counters, log, retentionDays } = this.#options;
    const today = this.#today();
    const upTo = addDays(today, -retentionDays - 1);
    try {
      const { days, events } = await this.#eraseUpTo(upTo, signal);
      this.#doneOn = today;
      if (days > 0) log.info("events older than retention_days were erased", { upTo, days, events });
      return true;
    } catch (error) {
      counters.retentionFailures++;
      log.error("events older than retention_days could not all be erased; it is tried again", {
        upTo,
        reason: reasonOf(error),
        retryInMs,
      });
      return false;
    }
  }

  /**
   * One site after another; a failure of one does not stop the others. The replica follows with all sites at once, also of days whose
   * files an interrupted run has erased.
   */
  async #eraseUpTo(lastDay: UtcDay, signal: AbortSignal): Promise<Erased> {
    const { eventStore, erasure, deleteExpiredOfAbsent } = this.#options;
    const sites = await eventStore.sites();
    const failures: unknown[] = [];
    let [days, events] = [0, 0];
    for (const siteId of sites) {
      if (signal.aborted) break;
      try {
        const erased = await erasure.erase(siteId, FIRST_DAY, lastDay, "filesOnly");
        days += erased.days;
        events += erased.events;
      } catch (error) {
        failures.push(error);
      }
    }
    if (!signal.aborted) {
      await eventStore.deleteExpiredInReplica(lastDay);
      await deleteExpiredOfAbsent(lastDay);
    }
    if (failures.length > 0) throw new Error(`${failures.length} of ${sites.size} sites: ${reasonOf(failures[0])}`);
    return { days, events };
  }
}
