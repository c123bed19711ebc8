/** The port to a database that holds a copy of all stored events. `EventStore` keeps it complete. */
import type { SiteId, LocalDate } from "./event.ts";

/** The events of a day that a journal segment or a file has. */
export interface ReplicatedEvents {
  /** All sites of the events. */
  readonly sites: readonly SiteId[];
  readonly day: LocalDate;
  readonly segment: number;
  /** The events are those of a file, and so of one site, instead of a segment with all its sites. */
  readonly isFile: boolean;
  /** A Parquet file like those of partitions. The events of a site follow each other, in their order. */
  readonly parquet: Uint8Array;
  /** An earlier attempt, maybe of another process, may have inserted the events. */
  readonly isRepeated: boolean;
  /** Identifies a file's insert and its repetitions, of which the replica executes one. */
  readonly token?: string;
  /** Sites whose events are left out. */
  readonly exceptSites?: readonly SiteId[];
}

/** Up to which day the events of each site are deleted; null for none. */
export interface ExpiredDays {
  readonly lastDay: LocalDate | null;
  /** Sites with another last day. */
  readonly exceptions: ReadonlyMap<SiteId, LocalDate | null>;
}

export interface EventReplica {
  /**
   * Resolves once the replica has the events durably. Inserting the same events again changes nothing. After a rejection it may have
   * them, or get them later.
   */
  insert(events: ReplicatedEvents, signal?: AbortSignal): Promise<void>;
  /** Deletes this node's events of the days, except those of the segments, which are still in the journal. Complete once resolved. */
  delete(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, exceptSegments: readonly number[]): Promise<void>;
  /** Deletes all days up to the last, of all sites at once, because each deletion is costly. */
  deleteExpired(expired: ExpiredDays, exceptSegments: readonly number[]): Promise<void>;
}
