/** One journal segment in memory: its unflushed events by site and date, and whether its bytes in the log are reliable. */
import type { SiteId, LocalDate } from "./event.ts";
import type { BufferedEvent, EventText } from "./event-text.ts";

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
