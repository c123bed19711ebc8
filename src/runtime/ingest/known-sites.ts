/** Which sites have events, and whether an event may make another one: what the `max_sites` option bounds. */
import type { SiteId } from "../../storage/event.ts";
import type { Counters } from "../metrics/counters.ts";
import { AppError } from "../errors.ts";
import { SITES_LISTING_WAIT_MS } from "../config/limits.ts";
import { reasonOf, type Log } from "../metrics/log.ts";

export interface KnownSitesOptions {
  /** Sites with files; listed once, beside the start, and again with the next new site when that failed. */
  readonly storedSites: () => Promise<Iterable<SiteId>>;
  /** Sites with events in the journal at the start. */
  readonly journaledSites: Iterable<SiteId>;
  /** Whether the site has an event in the journal now. */
  readonly isJournaled: (siteId: SiteId) => boolean;
  /** Infinity where `site_ids` says which sites there are. */
  readonly sitesMax: number;
  readonly counters: Counters;
  readonly log: Log;
  readonly wait: (ms: number) => Promise<void>;
}

export class KnownSites {
  readonly #options: KnownSitesOptions;
  readonly #known: Set<SiteId>;
  /** New sites whose first events are being stored, with the number of these. */
  readonly #arriving = new Map<SiteId, number>();
  #listing: Promise<void> | null = null;
  #areListed = false;
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

  /** Whether an event of the site makes no new one. */
  has(siteId: SiteId): boolean {
    return this.#known.has(siteId) || this.#arriving.has(siteId);
  }

  /** False for a moment after a start, and while the sites cannot be listed. */
  get areListed(): boolean {
    return this.#areListed;
  }

  /** Waits until the sites are listed, but not for long. */
  async untilListed(): Promise<void> {
    await Promise.race([this.#list(), this.#options.wait(SITES_LISTING_WAIT_MS)]);
  }

  /**
   * 403 when the site is new and there are as many as there may be. Before they are listed every site is taken: one that has
   * files must not be refused. What is taken is to be stored at once, or others could be taken for the same place.
   */
  check(siteId: SiteId): void {
    const count = this.#known.size + this.#arriving.size;
    if (this.has(siteId) || count < this.#options.sitesMax || !this.#areListed) return;
    this.#refuse();
  }

  /** Stores an event of the site, which is known from then on. A new site whose event could not be stored is not. */
  async storing(siteId: SiteId, store: () => Promise<void>): Promise<void> {
    if (this.#known.has(siteId)) await store();
    else await this.#storingNew(siteId, store);
    // Also one that was known: an erasure may have emptied it meanwhile.
    this.#known.add(siteId);
  }

  async #storingNew(siteId: SiteId, store: () => Promise<void>): Promise<void> {
    this.#arriving.set(siteId, (this.#arriving.get(siteId) ?? 0) + 1);
    try {
      await store();
    } finally {
      const left = (this.#arriving.get(siteId) ?? 1) - 1;
      if (left > 0) this.#arriving.set(siteId, left);
      else this.#arriving.delete(siteId);
    }
  }

  /** Frees the place of a site that has no files any more, unless events of it have come meanwhile. */
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
    const { storedSites, log } = this.#options;
    try {
      for (const siteId of await storedSites()) this.#known.add(siteId);
      this.#areListed = true;
    } catch (error) {
      if (!this.#hasLoggedFailure)
        log.warn("the sites could not be listed; max_sites is not enforced until they can", { reason: reasonOf(error) });
      this.#hasLoggedFailure = true;
    }
  }

  #refuse(): never {
    const { counters, log, sitesMax } = this.#options;
    counters.maxSitesRejections++;
    if (!this.#hasLoggedRefusal)
      log.warn("events of a new site are refused: there are as many sites as max_sites allows", { maxSites: sitesMax });
    this.#hasLoggedRefusal = true;
    throw new AppError(
      { code: "forbidden" },
      'Field "d" must be a site that has events: this service takes no new sites. Its operator can raise max_sites, or name the sites in site_ids.',
    );
  }
}
