/**
 * Decides whether events of a site are accepted: which sites are known, how many new ones may come, and from which origins; and refuses
 * events with 503 while they cannot be stored.
 */
import type { EventStore } from "../../storage/event-store.ts";
import type { EpochMs, SiteId, StoredEvent } from "../../storage/event.ts";
import { CLICKHOUSE_SITES_MS_MAX } from "../base/config/clickhouse-limits.ts";
import type { Config } from "../base/config/config.ts";
import {
  FLUSH_RETRY_MS_MAX,
  INGEST_RECOVERY_MS,
  REFUSED_EVENTS_LOG_MS,
  SITES_LISTING_WAIT_MS,
  UNFLUSHED_EVENTS_MAX,
} from "../base/config/limits.ts";
import { DEMO_SITE } from "../base/config/names.ts";
import { AppError, STORAGE_RETRY_SECS } from "../base/errors.ts";
import { type Log, reasonOf } from "../base/metrics/log.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import type { Sites } from "../sites/sites.ts";
import { parseUrl } from "./urls.ts";

interface AdmittedSiteOptions {
  readonly siteId: SiteId;
  /** See `SiteRegistry`. */
  readonly registry: { admit(): Promise<void>; announce(): Promise<void> };
  /** True if the site has events in files or in the journal, or sums of days, also of imports that are hidden. */
  readonly isStored: () => Promise<boolean>;
  /** True if the site has an event in the journal now. */
  readonly isJournaled: () => boolean;
  readonly log: Log;
}

/**
 * The admission of the one site of an instance: another instance knows the sites and their bound, and is asked before the first event
 * after a start. It in turn may ask whether the site has events (`hasEvents`). If not, the next event asks again.
 */
export class AdmittedSite implements SiteAdmission {
  readonly #options: AdmittedSiteOptions;
  #isAdmitted = false;
  #pending = 0;
  readonly areListed = true;

  constructor(options: AdmittedSiteOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#isAdmitted ? 1 : 0;
  }

  async untilListed(): Promise<void> {} // The other instance lists them.

  has(siteId: SiteId): boolean {
    return siteId === this.#options.siteId && this.#isAdmitted;
  }

  /** Sites are set where all are known. */
  readonly hasRoomFor = (): boolean => true;

  async check(): Promise<void> {
    await this.#options.registry.admit();
    this.#isAdmitted = true;
  }

  /** `hasEvents` is true from the first statement on. An answer of false shortly before has withdrawn the admission. */
  async storing(_siteId: SiteId, store: () => Promise<void>): Promise<void> {
    this.#pending++;
    try {
      if (!this.#isAdmitted) await this.check();
      await store();
    } finally {
      this.#pending--;
    }
  }

  async add(): Promise<void> {
    const { registry, log } = this.#options;
    if (this.#isAdmitted) return;
    try {
      await registry.announce();
      this.#isAdmitted = true;
    } catch (error) {
      log.warn("a site with new files could not be registered; it is tried again with its next file", { reason: reasonOf(error) });
    }
  }

  forgetUnlessJournaled(): void {
    if (this.#pending === 0 && !this.#options.isJournaled()) this.#isAdmitted = false;
  }

  /** True if the site has events, or is about to. */
  async hasEvents(): Promise<boolean> {
    if ((await this.#options.isStored()) || this.#pending > 0) return true;
    this.#isAdmitted = false;
    return false;
  }
}

interface KnownSitesOptions {
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

/** The sites with events, and the decision whether an event may add a site: the `max_sites` option. */
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

  get count(): number {
    return this.#known.size;
  }

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

  async untilListed(): Promise<void> {
    await Promise.race([this.#list(), this.#options.wait(SITES_LISTING_WAIT_MS)]);
  }

  check(siteId: SiteId): void {
    if (!this.hasRoomFor([siteId])) this.#refuse();
  }

  /**
   * True if `check` accepts each site after the others. The demo site does not count, because no event made it. Before the sites are
   * listed, every site is accepted, because one that has files must not be refused.
   */
  hasRoomFor(siteIds: readonly SiteId[]): boolean {
    const { withSettings, sitesMax } = this.#options;
    const added = siteIds.filter((siteId) => !this.has(siteId) && !withSettings.has(siteId)).length;
    if (added === 0 || this.#listedAtMs === null) return true;
    const countMax = sitesMax - added - this.#known.size - this.#pending.size + (this.#known.has(DEMO_SITE) ? 1 : 0);
    // Most sites with settings have events, too: they are compared one by one only when that decides.
    return withSettings.count <= countMax || withSettings.listed().filter((siteId) => !this.has(siteId)).length <= countMax;
  }

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

  async add(siteId: SiteId): Promise<void> {
    this.#known.add(siteId);
  }

  /** All sites that have events, as far as they have been listed. */
  all(): Iterable<SiteId> {
    return this.#known;
  }

  remove(siteId: SiteId): void {
    this.#known.delete(siteId);
  }

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

interface AdmissionParts {
  readonly config: Config;
  readonly eventStore: EventStore;
  /** The list of the sites of all nodes: the store itself, unless nodes share a database. */
  readonly catalog: Pick<EventStore, "sites">;
  readonly sites: Pick<Sites, "has" | "listed" | "count">;
  readonly counters: Counters;
  readonly log: Log;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** `registered` are sites that other instances have registered; files need not show them yet. */
export function createKnownSites(
  { config, eventStore, catalog, sites, counters, log, monotonicMs, wait }: AdmissionParts,
  registered: () => Iterable<SiteId> = () => [],
): KnownSites {
  const knownSites = new KnownSites({
    storedSites: async () => new Set([...(await catalog.sites()), ...registered()]),
    listingMsMax: catalog === eventStore ? Number.POSITIVE_INFINITY : CLICKHOUSE_SITES_MS_MAX,
    monotonicMs,
    journaledSites: eventStore.unflushedSites(),
    isJournaled: (siteId) => eventStore.hasUnflushed(siteId),
    withSettings: sites,
    sitesMax: config.siteIds.length === 0 ? config.maxSites : Number.POSITIVE_INFINITY,
    counters,
    log,
    wait,
  });
  eventStore.observe({
    beforeRelease: (siteId) => knownSites.add(siteId),
    onSiteWithoutFiles: (siteId) => knownSites.forgetUnlessJournaled(siteId),
  });
  return knownSites;
}

export function createAdmittedSite(
  { siteId, registry }: Pick<AdmittedSiteOptions, "siteId" | "registry"> & { readonly registry: { beginDeletion(): Promise<void> } },
  { eventStore, log }: Pick<AdmissionParts, "eventStore" | "log">,
): AdmittedSite {
  const admittedSite = new AdmittedSite({
    siteId,
    registry,
    // The days wait for a deletion that is under way. They are without those of hidden imports.
    isStored: async () => (await eventStore.days(siteId)).length > 0 || (await eventStore.sites()).has(siteId),
    isJournaled: () => eventStore.hasUnflushed(siteId),
    log,
  });
  eventStore.observe({
    beforeRelease: () => admittedSite.add(),
    beforeDelete: () => registry.beginDeletion(),
    onSiteWithoutFiles: () => admittedSite.forgetUnlessJournaled(),
  });
  return admittedSite;
}

/** The sites with events, and the decision whether an event may add one. */
export interface SiteAdmission {
  /** Sites that have events, as far as they are known. */
  readonly count: number;
  /** False until the sites with files are listed. */
  readonly areListed: boolean;
  /** Waits until the sites are listed, at most `SITES_LISTING_WAIT_MS`. */
  untilListed(): Promise<void>;
  /** False when an event of the site would add it. */
  has(siteId: SiteId): boolean;
  /**
   * 403 when the site is new and `max_sites` is reached. The caller stores an event at once: until then the site does not count. A
   * promise only where another instance decides.
   */
  check(siteId: SiteId): Promise<void> | void;
  /** True if there may be all of these sites. */
  hasRoomFor(siteIds: readonly SiteId[]): boolean;
  /** Stores an event, after which its site is known. A new site whose event cannot be stored is not. */
  storing(siteId: SiteId, store: () => Promise<void>): Promise<void>;
  /** Adds a site that has files. Never rejects. */
  add(siteId: SiteId): Promise<void>;
  /** Removes a site without files, unless it has new events in the journal. */
  forgetUnlessJournaled(siteId: SiteId): void;
}

/** The pages and sites that may send events: the `site_ids` option (docs/http-api.md, "Processing order"). */
export interface Allowlist {
  /** 403 unless the page's host is an entry. A request without an origin passes: `checkSite` decides. */
  checkOrigin(origin: string | null): void;
  checkSite(siteId: string): void;
}

/** An empty list allows everything. Hosts are compared in lower case, site ids exactly. */
export function createAllowlist(siteIds: readonly string[]): Allowlist {
  const entries = new Set(siteIds);
  const hosts = new Set(siteIds.map((entry) => entry.toLowerCase()));
  const allowsAll = entries.size === 0;
  return {
    checkOrigin(origin) {
      if (allowsAll || origin === null) return;
      const page = parseUrl(origin);
      // An entry with a port allows that port only.
      if (!page || !(hosts.has(page.hostname) || hosts.has(page.host))) {
        throw new AppError({ code: "forbidden" }, "Origin is not allowed: its host is not one of this service's sites");
      }
    },
    checkSite(siteId) {
      if (allowsAll || entries.has(siteId)) return;
      throw new AppError({ code: "forbidden" }, 'Field "d" is not one of this service\'s sites');
    },
  };
}

interface IngestGateOptions {
  readonly eventStore: EventStore;
  readonly counters: Counters;
  readonly log: Log;
  /** Bytes of journal lines that may wait for a flush. */
  readonly unflushedBytesMax: number;
}

/** Refuses events with 503 while they cannot be stored; the log says so once a minute, not for each event. */
export class IngestGate {
  readonly #options: IngestGateOptions;
  /** Events refused in the current outage. */
  #refused = 0;
  /** All times here are monotonic. */
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
    if (!this.#hasRoom) throw this.#refusal("too many events wait to be written to files", FLUSH_RETRY_MS_MAX / 1000, nowMs);
    try {
      await this.#options.eventStore.append(event);
    } catch (error) {
      throw this.#refusal(reasonOf(error), STORAGE_RETRY_SECS, nowMs);
    }
    if (this.#refused > 0) this.#reopen(nowMs);
  }

  /** Renews the salt that an event's visitor id needs; 503 when its secret cannot be stored. */
  async storeSalt(renew: () => Promise<void>, nowMs: number): Promise<void> {
    try {
      await renew();
    } catch (error) {
      throw this.#refusal(reasonOf(error), STORAGE_RETRY_SECS, nowMs);
    }
  }

  #refusal(reason: string, retryAfterSecs: number, nowMs: number): AppError {
    this.#noteRefused(reason, nowMs);
    return new AppError({ code: "unavailable", retryAfterSecs }, "The service cannot store events at the moment. Try again later.");
  }

  #noteRefused(reason: string, nowMs: number): void {
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
