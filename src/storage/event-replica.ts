/** The port to a database that holds a copy of all stored events. `EventStore` keeps it complete. */
import type { SiteId, UtcDay } from "./event.ts";

/** The events of a site and day that one journal segment has, or that one file has. */
export interface ReplicatedEvents {
  readonly siteId: SiteId;
  readonly day: UtcDay;
  readonly segment: number;
  /** As they are in the partition file. */
  readonly parquet: Uint8Array;
  /** Whether an earlier attempt, maybe of another process, may have inserted them. */
  readonly isRepeated: boolean;
}

export interface EventReplica {
  /** Resolves once the replica has the events durably. Inserting the same events again changes nothing. */
  insert(events: ReplicatedEvents): Promise<void>;
  /** Deletes this node's events of the days, except those of the segments, which are still in the journal. Complete once resolved. */
  delete(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay, exceptSegments: readonly number[]): Promise<void>;
  /** The same for all days up to the last, of all sites at once, because each deletion is costly. */
  deleteExpired(lastDay: UtcDay, exceptSegments: readonly number[]): Promise<void>;
}
