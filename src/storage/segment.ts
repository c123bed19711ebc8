/** One journal segment in memory: its unflushed events by site and date, and whether its bytes in the log are reliable. */
import type { BufferedEvent, EventText, LocalDate, SiteId } from "./event.ts";

export class Segment {
  readonly number: number;
  /** Each list is in order of sequence number. */
  readonly sites = new Map<SiteId, Map<LocalDate, EventText[]>>();
  /** Events appended so far, whether or not they have been released since. */
  appended = 0;
  /** Bytes of the lines that were appended or read back. */
  bytes = 0;
  /**
   * True from the start of an append to its success: after a failure the log may end in half a line, so nothing may
   * follow it there, or hold complete events that are not here because they were not acknowledged.
   */
  torn = false;
  /**
   * A crash may lose accepted events of it: a sync of the log has failed. They are still in memory, so a flush makes them
   * durable. No more events are appended to the segment.
   */
  unsafe = false;
  /** State of the replica: `begun` if an attempt has failed, or an earlier process may have made one. */
  replication: "none" | "begun" | "done" = "none";

  constructor(number: number) {
    this.number = number;
  }

  add({ siteId, date, text }: BufferedEvent): void {
    this.appended++;
    let days = this.sites.get(siteId);
    if (!days) this.sites.set(siteId, (days = new Map()));
    const events = days.get(date);
    if (events) events.push(text);
    else days.set(date, [text]);
  }

  /** Its events by date: those of a site follow each other, in order of sequence number. */
  byDay(): Map<LocalDate, { readonly sites: SiteId[]; readonly events: EventText[] }> {
    const byDay = new Map<LocalDate, { readonly sites: SiteId[]; readonly events: EventText[] }>();
    for (const [siteId, days] of this.sites) {
      for (const [day, events] of days) {
        const ofDay = byDay.get(day) ?? { sites: [], events: [] };
        byDay.set(day, ofDay);
        ofDay.sites.push(siteId);
        for (const event of events) ofDay.events.push(event);
      }
    }
    return byDay;
  }

  /** Events that were not released. */
  get size(): number {
    let size = 0;
    for (const siteId of this.sites.keys()) size += this.sizeOf(siteId);
    return size;
  }

  sizeOf(siteId: SiteId): number {
    let size = 0;
    for (const events of this.sites.get(siteId)?.values() ?? []) size += events.length;
    return size;
  }
}

/** A failed append that added no bytes: the segment still accepts appends. */
export class NothingAppendedError extends Error {
  override readonly name = "NothingAppendedError";
}

/**
 * The disk did not confirm appended bytes. They may never become durable, even if later syncs succeed: operating systems mark pages
 * as clean after a failed sync. The log rejects further appends to that segment.
 */
export class SyncFailedError extends Error {
  override readonly name = "SyncFailedError";
}

/** The port to storage of the journal's bytes: append-only files on Node, rows in a Durable Object, a map in tests. */
export interface SegmentLog {
  /** The numbers of all segments, ascending. */
  list(): Promise<number[]>;
  /** Creates an empty segment; rejects if the number is taken. Durable once resolved; may exist after a rejection. */
  create(segment: number): Promise<void>;
  /**
   * Resolves when concurrent events have arrived, so that one append writes all of them.
   * Absent where an append takes long enough for others to accumulate.
   */
  gather?(): Promise<void>;
  /**
   * Adds bytes to the end; once resolved they are as durable as the log's sync policy promises.
   * When it rejects, any prefix of the bytes may have been added, unless it says otherwise by a `NothingAppendedError`. Calls for
   * one segment do not overlap.
   */
  append(segment: number, bytes: Uint8Array): Promise<void>;
  /**
   * Makes what was appended durable. Absent where an append does that, or nothing does. Rejects with a `SyncFailedError`: a crash
   * may then lose everything appended since the last success. Calls do not overlap.
   */
  sync?(): Promise<void>;
  /** The bytes are durable once returned, if the sync policy syncs at all: an earlier process may have died before its sync. */
  read(segment: number): Promise<Uint8Array>;
  /** Removes a segment; succeeds for an unknown one. Durable once resolved, because its events may be erased next. */
  remove(segment: number): Promise<void>;
  /** Copies a damaged segment aside for inspection; returns where. */
  quarantine(segment: number): Promise<string>;
  /** Makes everything appended durable and releases all resources. */
  close(): Promise<void>;
}
