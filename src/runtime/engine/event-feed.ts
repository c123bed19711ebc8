/**
 * Both ends of the way on which an engine in a thread gets to know stored events: which files a site has, and the events that are in none.
 * Files are read by the thread itself. An event is sent once, however many queries read it: the thread keeps those of segments that the
 * journal has not released.
 */
import type { EventStore } from "../../storage/event-store.ts";
import type { EventText, LocalDate, SiteId } from "../../storage/event.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Partition, PartitionFile } from "../../storage/partitions.ts";
import { reasonOf } from "../base/metrics/log.ts";
import type { StoredEvents } from "../duckdb/cache/partition-cache.ts";
import type { Change } from "../query/query-engine.ts";

/** Asks for what a site has from the first day to the last. The site's files and its journal stay as they are until it is closed. */
export interface SnapshotRequest {
  readonly snapshot: number;
  readonly siteId: SiteId;
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
}

/** Events of a segment and day that the thread does not have yet. */
interface NewEvents {
  readonly segment: number;
  readonly events: readonly EventText[];
}

interface SentPartition extends Pick<Partition, "day" | "files"> {
  readonly journaled: readonly (NewEvents & { readonly inFiles: boolean })[];
}

export type SnapshotReply = { readonly snapshot: number } & (
  | { readonly partitions: readonly SentPartition[] }
  | { readonly reason: string }
);

interface KnownSite {
  /** The thread may have loaded days of this range. */
  firstDay: LocalDate;
  lastDay: LocalDate;
  /** Events that were sent, by segment and day. */
  readonly sent: Map<number, Map<LocalDate, number>>;
}

/** The end beside the event store, for one life of a thread. */
export class EventFeed {
  readonly #eventStore: EventStore;
  readonly #send: (reply: SnapshotReply) => void;
  readonly #sites = new Map<SiteId, KnownSite>();
  /** What closes each open snapshot. */
  readonly #open = new Map<number, () => void>();

  constructor(eventStore: EventStore, send: (reply: SnapshotReply) => void) {
    this.#eventStore = eventStore;
    this.#send = send;
  }

  async open({ snapshot, siteId, firstDay, lastDay }: SnapshotRequest): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#open.set(snapshot, resolve));
    try {
      await this.#eventStore.withSnapshot(siteId, firstDay, lastDay, (partitions) => {
        this.#send({ snapshot, partitions: this.#newOf(siteId, firstDay, lastDay, partitions) });
        return closed;
      });
    } catch (error) {
      this.#send({ snapshot, reason: reasonOf(error) });
    } finally {
      this.#open.delete(snapshot);
    }
  }

  close(snapshot: number): void {
    this.#open.get(snapshot)?.();
  }

  #newOf(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, partitions: readonly Partition[]): SentPartition[] {
    // Otherwise each name that somebody makes up would be remembered.
    if (partitions.length === 0) return [];
    const site = this.#sites.get(siteId) ?? { firstDay, lastDay, sent: new Map<number, Map<LocalDate, number>>() };
    this.#sites.set(siteId, site);
    if (firstDay < site.firstDay) site.firstDay = firstDay;
    if (lastDay > site.lastDay) site.lastDay = lastDay;
    return partitions.map(({ day, files, journaled }) => ({
      day,
      files,
      journaled: journaled.map(({ segment, events, inFiles }) => ({ segment, inFiles, events: newEvents(site, segment, day, events) })),
    }));
  }

  /** The change with the events that the thread lacks; null if it has nothing of the site. */
  changeOf(change: Change): Change | null {
    const site = this.#sites.get(change.siteId);
    if (!site) return null;
    if (!("released" in change)) return change;
    const { firstDay, lastDay, sent } = site;
    const days = [...change.days].filter(([day]) => firstDay <= day && day <= lastDay);
    const rest = days.map(([day, events]) => [day, newEvents(site, change.released, day, events)] as const);
    sent.delete(change.released);
    return { ...change, days: new Map(rest) };
  }

  /** The thread has ended. */
  end(): void {
    for (const close of this.#open.values()) close();
  }
}

/** The events that were not sent before; they count as sent now. */
function newEvents({ sent }: KnownSite, segment: number, day: LocalDate, events: readonly EventText[]): readonly EventText[] {
  const ofSegment = sent.get(segment) ?? new Map<LocalDate, number>();
  sent.set(segment, ofSegment);
  const before = ofSegment.get(day) ?? 0;
  ofSegment.set(day, events.length);
  return events.slice(before);
}

/** The end in the thread. */
export class FedEvents implements StoredEvents {
  readonly #objects: Pick<ObjectStore, "get">;
  readonly #send: (message: SnapshotRequest | { readonly closed: number }) => void;
  /** Events of the journal, by site, segment and day. */
  readonly #journaled = new Map<SiteId, Map<number, Map<LocalDate, EventText[]>>>();
  readonly #waiting = new Map<number, (reply: SnapshotReply) => void>();
  #snapshots = 0;

  constructor(objects: Pick<ObjectStore, "get">, send: (message: SnapshotRequest | { readonly closed: number }) => void) {
    this.#objects = objects;
    this.#send = send;
  }

  async withSnapshot<T>(
    siteId: SiteId,
    firstDay: LocalDate,
    lastDay: LocalDate,
    task: (partitions: readonly Partition[]) => Promise<T>,
  ): Promise<T> {
    const snapshot = ++this.#snapshots;
    const reply = await new Promise<SnapshotReply>((resolve) => {
      this.#waiting.set(snapshot, resolve);
      this.#send({ snapshot, siteId, firstDay, lastDay });
    });
    if ("reason" in reply) throw new Error(reply.reason);
    try {
      return await task(reply.partitions.map((partition) => this.#wholeOf(siteId, partition)));
    } finally {
      this.#send({ closed: snapshot });
    }
  }

  receive(reply: SnapshotReply): void {
    this.#waiting.get(reply.snapshot)?.(reply);
    this.#waiting.delete(reply.snapshot);
  }

  read({ key }: PartitionFile): Promise<Uint8Array | null> {
    return this.#objects.get(key);
  }

  #wholeOf(siteId: SiteId, { day, files, journaled }: SentPartition): Partition {
    return {
      day,
      files,
      journaled: journaled.map(({ segment, inFiles, events }) => ({ segment, inFiles, events: this.#add(siteId, segment, day, events) })),
    };
  }

  /** All events of the segment and day. */
  #add(siteId: SiteId, segment: number, day: LocalDate, events: readonly EventText[]): EventText[] {
    const ofSite = this.#journaled.get(siteId) ?? new Map<number, Map<LocalDate, EventText[]>>();
    this.#journaled.set(siteId, ofSite);
    const ofSegment = ofSite.get(segment) ?? new Map<LocalDate, EventText[]>();
    ofSite.set(segment, ofSegment);
    const all = ofSegment.get(day) ?? [];
    ofSegment.set(day, all);
    for (const event of events) all.push(event);
    return all;
  }

  /** The change with all events of the released segment that the thread has had or gets now, which it keeps no longer. */
  changeOf(change: Change): Change {
    if (!("released" in change)) return change;
    const { siteId, released } = change;
    const days = [...change.days].map(([day, events]) => [day, this.#add(siteId, released, day, events)] as const);
    const ofSite = this.#journaled.get(siteId);
    ofSite?.delete(released);
    if (ofSite?.size === 0) this.#journaled.delete(siteId);
    return { ...change, days: new Map(days) };
  }
}
