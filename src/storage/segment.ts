/** One journal segment in memory: its unflushed events by site and date, and whether its bytes in the log can be relied on. */
import type { SiteId, UtcDay } from "./event.ts";
import type { BufferedEvent, EventText } from "./event-text.ts";

export class Segment {
  readonly number: number;
  /** Each list is in order of arrival. */
  readonly sites = new Map<SiteId, Map<UtcDay, EventText[]>>();
  /** Events appended so far, whether or not they have been released since. */
  appended = 0;
  /** Bytes of the lines that were appended or read back. */
  bytes = 0;
  /**
   * True from the start of an append to its success: after a failure the log may end in half a line, so nothing may
   * follow it there, or hold whole events that are not here because nobody was told that they were accepted.
   */
  torn = false;
  /**
   * Whether a crash may take events of it although they were accepted: a sync of the log has failed. They are still here, so
   * writing them to files saves them, and nothing follows them.
   */
  unsafe = false;

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

  /** How many events are still here. */
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
