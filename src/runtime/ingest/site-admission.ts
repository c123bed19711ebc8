/** The sites with events, and the decision whether an event may add one. */
import type { SiteId } from "../../storage/event.ts";

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
