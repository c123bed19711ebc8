/**
 * The sites' objects as the registry knows them. A site is registered by a row before its first event is stored. After an admission and
 * after a deletion it is unconfirmed that it has events, until its object says so, which is asked when it matters. Which objects are
 * running is in memory only: each says when it has something to report, and reports before it may end.
 */
import type { Acceptance, PassedEvent } from "../../src/runtime/ingest/accept-event.ts";
import type { KnownSites } from "../../src/runtime/ingest/admission.ts";
import type { SiteInstances } from "../../src/runtime/service/host.ts";
import type { Change } from "../../src/runtime/sites/shared-changes.ts";
import type { SiteRecord } from "../../src/runtime/sites/site-record.ts";
import type { Erased } from "../../src/runtime/upkeep/erasure.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { severalAtOnce } from "../../src/storage/object-store.ts";
import { reached, SETTINGS_KEPT_MS, unlessRefused, type SiteReport, type SiteStub } from "./objects.ts";
import { ImportDirectory } from "./import-directory.ts";
import { OverviewCache } from "./overview-cache.ts";
import type { DurableObjectStorage } from "./platform.ts";

const TABLE = "CREATE TABLE IF NOT EXISTS site (site_id TEXT PRIMARY KEY) WITHOUT ROWID";

const ASKED_MAX = 20;

interface SiteDirectoryOptions {
  readonly storage: DurableObjectStorage;
  readonly site: (siteId: SiteId) => SiteStub;
}

interface AttachedParts {
  readonly knownSites: KnownSites;
  readonly recordOf: (siteId: SiteId) => SiteRecord | null;
  readonly overviewCache: OverviewCache;
}

const hasChanged = ({ counters }: SiteReport["activity"]): boolean =>
  [counters.eventsIngested, counters.pixelEventsIngested, counters.eventsErased].some((count) => count);

/** Equal if the same days of events expire. */
const expiryOf = (record: SiteRecord | null): string => JSON.stringify([record?.settings?.retentionDays ?? null, record?.calendar ?? null]);

export class SiteDirectory implements SiteInstances {
  readonly settleMs = SETTINGS_KEPT_MS;
  readonly imports: ImportDirectory;
  readonly #options: SiteDirectoryOptions;
  readonly #registered: Set<SiteId>;
  /** Sites that may have no events, with the number of what made them so: a reply to an earlier question does not count. */
  readonly #unconfirmed = new Map<SiteId, number>();
  readonly #running = new Set<SiteId>();
  /** Sites whose objects have been started once by `introduce`. */
  readonly #introduced = new Set<SiteId>();
  #hasIntroduced = false;
  #unconfirmedCount = 0;
  #attached: AttachedParts | null = null;

  constructor(options: SiteDirectoryOptions) {
    const { sql } = options.storage;
    this.#options = options;
    this.imports = new ImportDirectory({ ...options, mayBegin: (siteId) => this.#knownSites?.hasRoomFor([siteId]) !== false });
    sql.exec(TABLE);
    const rows = sql.exec("SELECT site_id FROM site").toArray();
    this.#registered = new Set(rows.map(({ site_id: siteId }) => siteId as SiteId));
  }

  attach(parts: AttachedParts): void {
    this.#attached = parts;
    for (const siteId of this.#registered) this.#noteUnconfirmed(siteId);
  }

  #noteUnconfirmed(siteId: SiteId): void {
    this.#unconfirmed.set(siteId, ++this.#unconfirmedCount);
  }

  get #knownSites(): KnownSites | undefined {
    return this.#attached?.knownSites;
  }

  registered(): Iterable<SiteId> {
    return this.#registered;
  }

  /** Sites with files whose objects have not registered them yet: files of an object that served all sites, or of another host. */
  #unregistered(): SiteId[] {
    const isNew = (siteId: SiteId) => !this.#registered.has(siteId) && !this.#introduced.has(siteId);
    return [...(this.#knownSites?.all() ?? [])].filter(isNew);
  }

  /** True if `introduce` may have something to do. After a start, the sites are not listed at once. */
  get isIntroducing(): boolean {
    return !this.#hasIntroduced || this.#unregistered().length > 0;
  }

  /**
   * Call it when the sites are listed: starts the objects of some of these sites. One that fails is not tried again before the next start
   * of the registry.
   */
  async introduce(sitesMax: number): Promise<void> {
    this.#hasIntroduced = true;
    for (const siteId of this.#unregistered().slice(0, sitesMax)) {
      this.#introduced.add(siteId);
      const site = this.#options.site(siteId);
      const hasEvents = await site.hasEvents().catch(() => false);
      if (hasEvents) await this.#register(siteId);
    }
  }

  /** Registers a site durably. `isBounded`: throws a 403 if it is new and `max_sites` is reached. */
  async admit(siteId: SiteId, isBounded: boolean): Promise<void> {
    const knownSites = this.#knownSites;
    if (knownSites === undefined) throw new Error("the registry is still starting");
    if (isBounded && !knownSites.has(siteId)) await this.#makeRoom(knownSites, siteId);
    // From here on without a pause, so that no other site takes the place.
    if (isBounded) knownSites.check(siteId);
    void knownSites.add(siteId);
    // A site with files has events, but the reply to an earlier question may be on its way.
    if (isBounded || this.#unconfirmed.has(siteId)) this.#noteUnconfirmed(siteId);
    await this.#register(siteId);
  }

  /** A site whose object has withdrawn its events must not take the place of a new one. */
  async #makeRoom(knownSites: KnownSites, siteId: SiteId): Promise<void> {
    if (!knownSites.areListed) await knownSites.untilListed();
    if (!knownSites.hasRoomFor([siteId])) await this.confirm();
  }

  async beginDeletion(siteId: SiteId): Promise<void> {
    this.#noteUnconfirmed(siteId);
    this.endDeletion(siteId);
    await this.#register(siteId);
  }

  endDeletion(siteId: SiteId): void {
    this.#attached?.overviewCache.forget(siteId);
  }

  async #register(siteId: SiteId): Promise<void> {
    const { storage } = this.#options;
    if (this.#registered.has(siteId)) return;
    this.#registered.add(siteId);
    storage.sql.exec("INSERT OR IGNORE INTO site (site_id) VALUES (?)", siteId);
    await storage.sync();
  }

  confirm(siteIds: readonly SiteId[] = [...this.#unconfirmed.keys()]): Promise<void> {
    return severalAtOnce(siteIds, ASKED_MAX, (siteId) => this.#ask(siteId));
  }

  /** A site whose object does not answer stays unconfirmed, and counts: one that cannot start must not hide all others. */
  async #ask(siteId: SiteId): Promise<void> {
    const asked = this.#unconfirmed.get(siteId);
    const site = this.#options.site(siteId);
    const hasEvents = await site.hasEvents().catch(() => null);
    if (hasEvents === null || asked === undefined || this.#unconfirmed.get(siteId) !== asked) return;
    this.#unconfirmed.delete(siteId);
    if (!hasEvents) this.#remove(siteId);
  }

  #remove(siteId: SiteId): void {
    this.#registered.delete(siteId);
    this.#knownSites?.remove(siteId);
    this.#options.storage.sql.exec("DELETE FROM site WHERE site_id = ?", siteId);
  }

  async accept(siteId: SiteId, event: PassedEvent): Promise<Acceptance> {
    return unlessRefused(await reached(this.#options.site(siteId).accept(event))).outcome;
  }

  days(siteId: SiteId): ReturnType<SiteStub["days"]> {
    return this.#options.site(siteId).days();
  }

  async erase(siteId: SiteId, ...days: Parameters<SiteStub["erase"]>): Promise<Erased> {
    const erased = unlessRefused(await reached(this.#options.site(siteId).erase(...days)));
    // What is set for a site depends on whether it has events.
    await this.#ask(siteId);
    return erased;
  }

  async removeItems(siteId: SiteId): Promise<boolean> {
    return unlessRefused(await reached(this.#options.site(siteId).removeItems())).hadItems;
  }

  readonly overview: SiteInstances["overview"] = async (request) => {
    if (this.#attached === null) throw new Error("the registry is still starting");
    const { siteId } = request;
    const { overviewCache, recordOf } = this.#attached;
    const ask = async () => unlessRefused(await this.#options.site(siteId).overview(request, recordOf(siteId)));
    return overviewCache.get(request, this.#running.has(siteId), ask);
  };

  /** Reaches idle objects as well if their events may now expire earlier. An object that cannot be reached asks before its next work. */
  async push({ key: siteId, value: record }: Change<SiteRecord, SiteId>, before: SiteRecord | null): Promise<void> {
    this.#attached?.overviewCache.noteChange(siteId);
    const isDue = this.#registered.has(siteId) && expiryOf(record) !== expiryOf(before);
    if (!this.#running.has(siteId) && !isDue) return;
    const site = this.#options.site(siteId);
    await site.setRecord(record).catch(() => {
      // It has ended, or asks with its next report.
    });
  }

  /** An object that starts has ended before. What it did not report may be events. */
  noteStart(siteId: SiteId): void {
    if (this.#running.has(siteId)) this.#attached?.overviewCache.noteChange(siteId);
    this.noteRunning(siteId);
  }

  noteRunning(siteId: SiteId): void {
    this.#running.add(siteId);
  }

  /** The object may end now, and lose what it has in memory. */
  noteReport(siteId: SiteId, activity: SiteReport["activity"]): void {
    this.#running.delete(siteId);
    this.#noteActivity(siteId, activity);
  }

  #noteActivity(siteId: SiteId, activity: SiteReport["activity"]): void {
    if (hasChanged(activity)) this.#attached?.overviewCache.noteChange(siteId);
  }

  async collect(): ReturnType<SiteInstances["collect"]> {
    const running = [...this.#running];
    await this.confirm(running.filter((siteId) => this.#unconfirmed.has(siteId)));
    const asked = await Promise.all(
      running.map(async (siteId) => {
        const site = this.#options.site(siteId);
        const report = await site.takeReport().catch(() => null);
        if (report) this.#noteActivity(siteId, report.activity);
        return report;
      }),
    );
    const reports = asked.filter((report) => report !== null);
    return { activities: reports.map(({ activity }) => activity), gauges: reports.map(({ gauges }) => gauges) };
  }
}
