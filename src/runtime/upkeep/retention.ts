/** Deletes expired days: at the start, on each new date of a site, and when its retention changes; only while the clock is trusted. */
import { addDays, type Calendar } from "../../storage/calendar.ts";
import type { EventStore, ExpiredDays } from "../../storage/event-store.ts";
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import { calendarFrom, QUARTER_MS } from "../sites/site-calendar.ts";
import type { Sites } from "../sites/sites.ts";
import { RETENTION_RETRY_MS } from "../base/config/limits.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import type { Erased, Erasure } from "./erasure.ts";
import { PeriodicJob, type Job, type Run } from "../base/periodic-job.ts";
import type { TrustedClock } from "./trusted-clock.ts";

interface ExpiryOptions {
  readonly sites: Pick<Sites, "settingsOf" | "calendarOf" | "defaultCalendar" | "recorded">;
  /** Retention of sites without one of their own; 0 keeps their events for ever. */
  readonly retentionDays: number;
  readonly now: () => EpochMs;
}

export class Expiry {
  readonly #options: ExpiryOptions;

  constructor(options: ExpiryOptions) {
    this.#options = options;
  }

  get isPossible(): boolean {
    const { sites, retentionDays } = this.#options;
    return retentionDays > 0 || [...sites.recorded()].some((siteId) => this.daysOf(siteId) > 0);
  }

  /** Days before its date that a site keeps; 0 keeps all. */
  daysOf(siteId: SiteId): number {
    const { sites, retentionDays } = this.#options;
    return sites.settingsOf(siteId).retentionDays ?? retentionDays;
  }

  /** The last expired day of a site; null if its events never expire. */
  lastDayOf(siteId: SiteId): LocalDate | null {
    return this.#lastDay(this.#options.sites.calendarOf(siteId), this.daysOf(siteId));
  }

  #lastDay(calendar: Calendar, retentionDays: number): LocalDate | null {
    return retentionDays === 0 ? null : addDays(calendar.dateOf(this.#options.now()), -retentionDays - 1);
  }

  /** Expired days of all sites, even of sites that are not known here. */
  ofAllSites(): ExpiredDays {
    const { sites, retentionDays } = this.#options;
    const lastDay = this.#lastDay(calendarFrom(sites.defaultCalendar), retentionDays);
    const all = [...sites.recorded()].map((siteId) => [siteId, this.lastDayOf(siteId)] as const);
    return { lastDay, exceptions: new Map(all.filter(([, ofSite]) => ofSite !== lastDay)) };
  }
}

export interface RetentionOptions {
  readonly erasure: Erasure;
  readonly eventStore: EventStore;
  readonly expiry: Expiry;
  /** Sites that are hidden, because they were merged into others, and those with counts of dropped events. */
  readonly otherSites: () => Promise<Iterable<SiteId>>;
  readonly counters: Counters;
  readonly log: Log;
  readonly clock: TrustedClock;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  /** Deletes expired events of other nodes that cannot do so themselves. */
  readonly deleteExpiredOfAbsent: (expired: ExpiredDays) => Promise<void>;
}

const FIRST_DAY = "0001-01-01" as LocalDate;

export class Retention implements Job {
  readonly #options: RetentionOptions;
  readonly #job: PeriodicJob;
  /** Up to which day the files of each site are erased. */
  readonly #erased = new Map<SiteId, LocalDate>();
  /** The last deletion that the replica was given, as text. */
  #deleted = "";
  /** The quarter of an hour of the last complete run: see `QUARTER_MS`. */
  #doneIn: number | null = null;
  #possible = { lookedIn: -1, is: false };

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => this.#doneIn !== this.#quarter(),
      run: (run) => this.#eraseOldDays(run),
      retryMs: RETENTION_RETRY_MS,
    });
  }

  /** Begins a run if a date that is trusted is new. */
  tick(): void {
    const { clock, now } = this.#options;
    // The clock must be read on every tick, even during a run.
    if (this.#isPossible() && clock.isTrusted(now())) this.#job.tick();
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

  #quarter(): number {
    return Math.floor(this.#options.now() / QUARTER_MS);
  }

  #isPossible(): boolean {
    const lookedIn = this.#quarter();
    if (this.#possible.lookedIn !== lookedIn) this.#possible = { lookedIn, is: this.#options.expiry.isPossible };
    return this.#possible.is;
  }

  async #eraseOldDays({ signal, retryInMs }: Run): Promise<boolean> {
    const { counters, log } = this.#options;
    const quarter = this.#quarter();
    try {
      const { days, events, upTo } = await this.#eraseExpired(signal);
      this.#doneIn = quarter;
      if (days > 0) log.info("events older than retention_days were erased", { upTo, days, events });
      return true;
    } catch (error) {
      counters.retentionFailures++;
      log.error("events older than retention_days could not all be erased; it is tried again", { reason: reasonOf(error), retryInMs });
      return false;
    }
  }

  /**
   * One site after another; a failure of one does not stop the others. The replica follows with all sites at once, also of days whose
   * files an interrupted run has erased.
   */
  async #eraseExpired(signal: AbortSignal): Promise<Erased & { readonly upTo: LocalDate }> {
    const { eventStore, erasure, otherSites } = this.#options;
    const due = this.#dueOf(new Set([...(await eventStore.sites()), ...(await otherSites())]));
    const failures: unknown[] = [];
    let [days, events, upTo] = [0, 0, FIRST_DAY];
    for (const [siteId, lastDay] of due) {
      if (signal.aborted) break;
      try {
        const erased = await erasure.erase(siteId, FIRST_DAY, lastDay, "filesOnly");
        days += erased.days;
        events += erased.events;
        if (erased.days > 0 && lastDay > upTo) upTo = lastDay;
        this.#erased.set(siteId, lastDay);
      } catch (error) {
        failures.push(error);
      }
    }
    if (!signal.aborted) await this.#deleteInReplica();
    if (failures.length > 0) throw new Error(`${failures.length} of ${due.length} sites: ${reasonOf(failures[0])}`);
    return { days, events, upTo };
  }

  /** Sites with another last day than at their last erasure. */
  #dueOf(siteIds: ReadonlySet<SiteId>): (readonly [SiteId, LocalDate])[] {
    for (const siteId of this.#erased.keys()) if (!siteIds.has(siteId)) this.#erased.delete(siteId);
    return [...siteIds].flatMap((siteId) => {
      const lastDay = this.#options.expiry.lastDayOf(siteId);
      return lastDay === null || lastDay === this.#erased.get(siteId) ? [] : [[siteId, lastDay] as const];
    });
  }

  async #deleteInReplica(): Promise<void> {
    const { eventStore, expiry, deleteExpiredOfAbsent } = this.#options;
    const expired = expiry.ofAllSites();
    const asText = [expired.lastDay, ...expired.exceptions].join(" ");
    if (asText === this.#deleted) return;
    await eventStore.deleteExpiredInReplica(expired);
    await deleteExpiredOfAbsent(expired);
    this.#deleted = asText;
  }
}
