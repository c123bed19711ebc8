/** Up to which day the events of each site have expired: by its own retention if it has one, and by its own date. */
import { addDays, type Calendar } from "../../storage/calendar.ts";
import type { ExpiredDays } from "../../storage/event-replica.ts";
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import { calendarFrom } from "../sites/site-calendar.ts";
import type { Sites } from "../sites/sites.ts";

export interface ExpiryOptions {
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

  /** True if the events of any site expire. */
  get isPossible(): boolean {
    const { sites, retentionDays } = this.#options;
    return retentionDays > 0 || [...sites.recorded()].some((siteId) => this.daysOf(siteId) > 0);
  }

  /** How many days before its date a site keeps; 0 keeps all. */
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
