/** Deletes a whole site: its share links, events, settings, items, and the rights of API keys over it. */
import type { LocalDate, SiteId } from "../../storage/event.ts";
import type { ApiKeys } from "../access/api-keys.ts";
import type { Shares } from "../access/shares.ts";
import type { Imports, ImportsOfSites } from "../imports/imports.ts";
import type { SiteNames } from "../sites/site-names.ts";
import type { ChangeRequest, Sites } from "../sites/sites.ts";
import type { Erased } from "./erasure.ts";

const FIRST_DAY = "0001-01-01" as LocalDate;
const LAST_DAY = "9999-12-31" as LocalDate;

interface SiteDeletionOptions {
  readonly shares: Pick<Shares, "removeSite">;
  readonly apiKeys: Pick<ApiKeys, "removeSite">;
  readonly sites: Pick<Sites, "has" | "remove">;
  /** Erases on all nodes, wherever the site's files are. */
  readonly erase: (siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, untilMs: number) => Promise<Erased>;
  /** null where there are no imports. */
  readonly imports: Pick<Imports | ImportsOfSites, "removeSite"> | null;
  readonly removeItems: (siteId: SiteId, signal: AbortSignal) => Promise<boolean>;
  /** null where sites have one name each. */
  readonly names: Pick<SiteNames, "removeNamesOf"> | null;
  /** The sites that were merged into a site, and are hidden. */
  readonly mergedInto: (siteId: SiteId) => readonly SiteId[];
}

export interface DeletedSite extends Erased {
  readonly shareLinks: number;
  readonly apiKeys: number;
  readonly imports: number;
}

export class SiteDeletion {
  readonly #options: SiteDeletionOptions;

  constructor(options: SiteDeletionOptions) {
    this.#options = options;
  }

  /**
   * Deletes everything that a site has; of one without anything, nothing. After a rejection some of it may be deleted; may be retried.
   *
   * Links go first, so that guests see no half of a site. Sites that were merged into it go before their merges, which would show them again,
   * and imports before the events, because one that runs would add some. Settings follow the events, because the history of a time zone stays
   * as long as there are events with its dates. Keys go last: the caller may need one to repeat the request.
   */
  async delete(siteId: SiteId, request: ChangeRequest, untilMs: number): Promise<DeletedSite> {
    const { shares, apiKeys, sites, imports, erase, removeItems, names, mergedInto } = this.#options;
    const shareLinks = await shares.removeSite(siteId, request.signal);
    for (const merged of mergedInto(siteId)) await this.delete(merged, request, untilMs);
    const deletedImports = (await imports?.removeSite(siteId, request.signal)) ?? 0;
    const { events, days } = await erase(siteId, FIRST_DAY, LAST_DAY, untilMs);
    if (sites.has(siteId)) await sites.remove(siteId, request);
    await removeItems(siteId, request.signal);
    await names?.removeNamesOf(siteId);
    return { events, days, shareLinks, imports: deletedImports, apiKeys: await apiKeys.removeSite(siteId, request.signal) };
  }
}
