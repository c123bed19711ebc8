/** The port to what follows the changes of stored events: rollups, the partition cache, the list of known sites. */
import type { EventText } from "./event-text.ts";
import type { SiteId, LocalDate } from "./event.ts";
import type { PartitionFile } from "./partition.ts";

/** Called on changes of a site while its lock is held, so it must not call the store for that site. */
export interface StoreObserver {
  /** A segment's events of a site are in files, and the journal, if it has them, is about to release them. Must not reject. */
  beforeRelease?(siteId: SiteId, segment: number, days: ReadonlyMap<LocalDate, readonly EventText[]>): Promise<void>;
  /** Some of a day's files, which are all of these, are about to be replaced by their merge. A rejection keeps them. */
  beforeMerge?(siteId: SiteId, day: LocalDate, files: readonly PartitionFile[]): Promise<void>;
  /** Files of the site's days from `firstDay` to `lastDay` are about to be deleted. A rejection keeps them. */
  beforeDelete?(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void>;
  /** The site's last file was deleted. */
  onSiteWithoutFiles?(siteId: SiteId): void;
}
