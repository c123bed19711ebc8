/** The sites with events, and the decision whether an event may add a site: the `max_sites` option. */
import type { SiteId } from "../../storage/event.ts";
import { SITES_LISTING_WAIT_MS } from "../base/config/limits.ts";
import { DEMO_SITE } from "../base/config/names.ts";
import { AppError } from "../base/errors.ts";
import type { Counters } from "../base/metrics/counters.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import type { Sites } from "../sites/sites.ts";
import type { SiteAdmission } from "./site-admission.ts";

export interface KnownSitesOptions {
  /** Sites with stored events. Listed in the background of the start; after a failure, again with the next new site. */
  readonly storedSites: () => Promise<ReadonlySet<SiteId>>;
  /** Lifetime of a listing: infinity if only this process adds and removes sites. */
  readonly listingMsMax: number;
  readonly monotonicMs: () => number;
  /** Sites with events in the journal at the start. */
  readonly journaledSites: Iterable<SiteId>;
  /** True if the site has an event in the journal now. */
  readonly isJournaled: (siteId: SiteId) => boolean;
  /** Sites that were set by hand count, with or without events. */
  readonly withSettings: Pick<Sites, "has" | "listed" | "count">;
  /** Infinity where `site_ids` lists the sites. */
  readonly sitesMax: number;
  readonly counters: Counters;
  readonly log: Log;
  readonly wait: (ms: number) => Promise<void>;
}

export class KnownSites implements SiteAdmission {
  readonly #options: KnownSitesOptions;
  readonly #known: Set<SiteId>;
  /** New sites whose first events are being stored, with the number of those events. */
  readonly #pending = new Map<SiteId, number>();
  #listing: Promise<void> | null = null;
  /** Monotonic; null before the first listing. */
  #listedAtMs: number | null = null;
  #hasLoggedRefusal = false;
  #hasLoggedFailure = false;

  constructor(options: KnownSitesOptions) {
    this.#options = options;
    this.#known = new Set(options.journaledSites);
    void this.#list();
  }

  /** Sites that have events, as far as they have been listed. */
  get count(): number {
    return this.#known.size;
  }

  /** False when an event of the site would add it. */
  has(siteId: SiteId): boolean {
    return this.#known.has(siteId) || this.#pending.has(siteId);
  }

  /** False until the listing after the start is complete, and when it is no longer current. */
  get areListed(): boolean {
    const { listingMsMax, monotonicMs } = this.#options;
    return this.#listedAtMs !== null && monotonicMs() - this.#listedAtMs < listingMsMax;
  }

  /** The sites that have events, from a current listing unless that takes too long. */
  async listed(): Promise<ReadonlySet<SiteId>> {
    if (!this.areListed) await this.untilListed();
    return this.#known;
  }

  /** Waits until the sites are listed, at most `SITES_LISTING_WAIT_MS`. */
  async untilListed(): Promise<void> {
    await Promise.race([this.#list(), this.#options.wait(SITES_LISTING_WAIT_MS)]);
  }

  /**
   * 403 when the site is new and `max_sites` is reached. The demo site does not count, because no event made it. Before the sites are
   * listed, every site is accepted, because one that has files must not be refused. The caller stores the event at once: until then
   * the site does not count.
   */
  check(siteId: SiteId): void {
    if (!this.hasRoomFor([siteId])) this.#refuse();
  }

  /** True if `check` accepts each site after the others. */
  hasRoomFor(siteIds: readonly SiteId[]): boolean {
    const { withSettings, sitesMax } = this.#options;
    const added = siteIds.filter((siteId) => !this.has(siteId) && !withSettings.has(siteId)).length;
    if (added === 0 || this.#listedAtMs === null) return true;
    const countMax = sitesMax - added - this.#known.size - this.#pending.size + (this.#known.has(DEMO_SITE) ? 1 : 0);
    // Most sites with settings have events, too: they are compared one by one only when that decides.
    return withSettings.count <= countMax || withSettings.listed().filter((siteId) => !this.has(siteId)).length <= countMax;
  }

  /** Stores an event, after which its site is known. A new site whose event cannot be stored is not. */
  async storing(siteId: SiteId, store: () => Promise<void>): Promise<void> {
    if (this.#known.has(siteId)) await store();
    else await this.#storingNew(siteId, store);
    // Also a known site: an erasure may have removed it meanwhile.
    this.#known.add(siteId);
  }

  async #storingNew(siteId: SiteId, store: () => Promise<void>): Promise<void> {
    this.#pending.set(siteId, (this.#pending.get(siteId) ?? 0) + 1);
    try {
      await store();
    } finally {
      const left = (this.#pending.get(siteId) ?? 1) - 1;
      if (left > 0) this.#pending.set(siteId, left);
      else this.#pending.delete(siteId);
    }
  }

  /** Adds a site that has files. */
  async add(siteId: SiteId): Promise<void> {
    this.#known.add(siteId);
  }

  /** All sites that have events, as far as they have been listed. */
  all(): Iterable<SiteId> {
    return this.#known;
  }

  /** Removes a site that has no events. */
  remove(siteId: SiteId): void {
    this.#known.delete(siteId);
  }

  /** Removes a site without files, unless it has new events in the journal. */
  forgetUnlessJournaled(siteId: SiteId): void {
    if (!this.#options.isJournaled(siteId)) this.#known.delete(siteId);
  }

  #list(): Promise<void> {
    this.#listing ??= this.#addStored().finally(() => {
      this.#listing = null;
    });
    return this.#listing;
  }

  async #addStored(): Promise<void> {
    const { storedSites, isJournaled, monotonicMs, log } = this.#options;
    // Sites whose first events are flushed meanwhile may be missing in the listing.
    const flushed = [...this.#known].filter((siteId) => !isJournaled(siteId));
    try {
      const stored = await storedSites();
      for (const siteId of stored) this.#known.add(siteId);
      for (const siteId of flushed) if (!stored.has(siteId)) this.forgetUnlessJournaled(siteId);
      this.#listedAtMs = monotonicMs();
    } catch (error) {
      if (!this.#hasLoggedFailure)
        log.warn("the sites could not be listed; max_sites is not enforced until they can", { reason: reasonOf(error) });
      this.#hasLoggedFailure = true;
    }
  }

  #refuse(): never {
    const { counters, log, sitesMax } = this.#options;
    counters.maxSitesRejections++;
    if (!this.#hasLoggedRefusal) log.warn("events of a new site are refused: max_sites is reached", { maxSites: sitesMax });
    this.#hasLoggedRefusal = true;
    throw new AppError(
      { code: "forbidden" },
      'Field "d" must be a site that has events: this service takes no new sites. Its operator can raise max_sites, or name the sites in site_ids.',
    );
  }
}
