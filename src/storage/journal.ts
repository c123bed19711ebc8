/** Accepted means journaled: the numbered segments of events that are durable but not yet in Parquet files. */
import type { EpochMs, SiteId, StoredEvent, UtcDay } from "./event.ts";
import { bufferedEvent, type EventText, type BufferedEvent } from "./event-text.ts";
import { decodeJournalLines, encodeJournalLines } from "./journal-line.ts";
import { NothingAppendedError, SyncFailedError, type SegmentLog } from "./segment-log.ts";

/** Events appended by one write at the most; the rest of a burst goes with the next. */
const GROUP_EVENTS_MAX = 1000;

/** Events that are enough for a group where an append takes next to no time. */
const GATHERED_EVENTS_MAX = 8;

/** The unflushed events of one segment, by site and day, each list in order of arrival. */
export class Segment {
  readonly number: number;
  readonly sites = new Map<SiteId, Map<UtcDay, EventText[]>>();
  /** Events appended so far, whether or not they have been taken out since. */
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
    for (const days of this.sites.values()) for (const events of days.values()) size += events.length;
    return size;
  }
}

/** What reading the journal back found that should not be there. */
export interface JournalDamage {
  readonly segment: number;
  readonly damagedLines: number;
  readonly keptAt: string;
}

interface Waiting {
  readonly event: BufferedEvent;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export class Journal {
  readonly #log: SegmentLog;
  readonly #onSyncFailure: (error: unknown) => void;
  /** Sealed segments, oldest first, that await their flush. */
  readonly #sealed: Segment[] = [];
  #open: Segment;
  /** The last number that was tried for a segment: it may be taken even if the segment's creation failed. */
  #lastNumber: number;
  #waiting: Waiting[] = [];
  /** While events wait, gather or are being appended. */
  #writing: Promise<void> | null = null;
  #appending = false;
  /** Ends the gathering of a group. */
  #gathered: () => void = () => {};
  #groupDone: Promise<void> = Promise.resolve();
  #opening: Promise<void> | null = null;
  #syncing: Promise<void> | null = null;
  #size = 0;
  /** Of all segments. */
  #bytes = 0;
  /** Characters of the events that wait for their append. */
  #waitingChars = 0;

  private constructor(log: SegmentLog, open: Segment, onSyncFailure: (error: unknown) => void) {
    this.#log = log;
    this.#onSyncFailure = onSyncFailure;
    this.#open = open;
    this.#lastNumber = open.number;
  }

  /**
   * Reads back what an earlier process left and opens a new segment after it.
   * Numbers only grow, also when every segment was removed: files are named after them, and a file
   * whose number lies within another's range is taken for superseded. So the newest segment is kept
   * until a newer one exists, and the clock is the floor should the whole folder get lost.
   * `onSyncFailure` hears whenever the disk does not confirm appended events.
   */
  static async open(
    log: SegmentLog,
    nowMs: EpochMs,
    onSyncFailure: (error: unknown) => void = () => {},
  ): Promise<{ journal: Journal; damage: JournalDamage[] }> {
    const numbers = await log.list();
    const next = Math.max((numbers.at(-1) ?? 0) + 1, nowMs);
    await log.create(next);
    const journal = new Journal(log, new Segment(next), onSyncFailure);
    const damage: JournalDamage[] = [];
    for (const number of numbers) {
      const bytes = await log.read(number);
      const { events, damagedLines } = decodeJournalLines(bytes);
      if (damagedLines > 0) damage.push({ segment: number, damagedLines, keptAt: await log.quarantine(number) });
      const segment = new Segment(number);
      for (const event of events) segment.add(bufferedEvent(event));
      journal.#size += events.length;
      if (events.length > 0) {
        journal.#sealed.push(segment);
        journal.#noteBytes(segment, bytes.length);
      } else await log.remove(number);
    }
    return { journal, damage };
  }

  /** Unflushed events. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of journal lines that segments hold or that wait for their append; an event counts until its segment is dropped. */
  get bytes(): number {
    return this.#bytes + this.#waitingChars;
  }

  /** Events in the segment that is being written. */
  get openSize(): number {
    return this.#open.appended;
  }

  /** Bytes of the segment that is being written. */
  get openBytes(): number {
    return this.#open.bytes;
  }

  /** Sealed segments, oldest first. */
  get sealed(): readonly Segment[] {
    return this.#sealed;
  }

  /** A site's unflushed events of one day, with the segment each run lies in, in order of arrival. */
  unflushed(siteId: SiteId, day: UtcDay): { segment: number; events: readonly EventText[] }[] {
    return [...this.#sealed, this.#open].flatMap((segment) => {
      const events = segment.sites.get(siteId)?.get(day);
      return events ? [{ segment: segment.number, events }] : [];
    });
  }

  /** The days on which a site has unflushed events. */
  unflushedDays(siteId: SiteId): UtcDay[] {
    return [...this.#sealed, this.#open].flatMap((segment) => [...(segment.sites.get(siteId)?.keys() ?? [])]);
  }

  /** The sites that have unflushed events. */
  unflushedSites(): SiteId[] {
    return [...this.#sealed, this.#open].flatMap((segment) => [...segment.sites.keys()]);
  }

  /** Whether the log still has a segment of this range of numbers: after a crash its events would be read back. */
  hasSegmentWithin(first: number, last: number): boolean {
    return [...this.#sealed, this.#open].some(({ number }) => first <= number && number <= last);
  }

  /** Whether the log may hold events that were never accepted, which a restart would bring. A flush ends that. */
  get isTorn(): boolean {
    return this.#sealed.some(({ torn }) => torn) || (this.#open.torn && !this.#appending);
  }

  /** Whether accepted events are safe only once they are in files. */
  get isUnsafe(): boolean {
    return this.#open.unsafe || this.#sealed.some(({ unsafe }) => unsafe);
  }

  /** Resolves once the event is durable and visible to queries; rejects when it is neither. */
  append(event: StoredEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      const kept = bufferedEvent(event);
      this.#waitingChars += kept.text.length;
      this.#waiting.push({ event: kept, resolve, reject });
      if (!this.#writing) this.#writing = this.#writeGroups();
      else if (this.#waiting.length >= GATHERED_EVENTS_MAX) this.#gathered();
    });
  }

  /** One write serves all who came while the last one was under way. */
  async #writeGroups(): Promise<void> {
    while (this.#waiting.length > 0) {
      const gathering = this.#gather();
      if (gathering) await gathering;
      const group = this.#waiting.splice(0, GROUP_EVENTS_MAX);
      this.#groupDone = this.#writeGroup(group);
      await this.#groupDone;
    }
    this.#writing = null;
  }

  /**
   * Lets others join the group, but not for long: a client that hears of its event sends the next one while the rest of the
   * moment's requests are worked on. If all were answered together, client and server would wait for each other in turn.
   */
  #gather(): Promise<void> | null {
    const { gather } = this.#log;
    if (!gather || this.#waiting.length >= GATHERED_EVENTS_MAX) return null;
    return new Promise((resolve) => {
      this.#gathered = resolve;
      void gather().then(resolve);
    });
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    let segment = this.#open;
    try {
      if (segment.torn || segment.unsafe) await this.#openNext();
      segment = this.#open;
      segment.torn = true;
      this.#appending = true;
      const lines = encodeJournalLines(group.map(({ event }) => event.text));
      await this.#log.append(segment.number, lines);
      segment.torn = false;
      this.#noteBytes(segment, lines.length);
      for (const { event } of group) segment.add(event);
      this.#size += group.length;
    } catch (error) {
      if (error instanceof NothingAppendedError) segment.torn = false;
      if (error instanceof SyncFailedError) this.#onSyncFailure(error);
      for (const { reject } of group) reject(error);
      return;
    } finally {
      this.#appending = false;
      for (const { event } of group) this.#waitingChars -= event.text.length;
    }
    for (const { resolve } of group) resolve();
  }

  #noteBytes(segment: Segment, bytes: number): void {
    segment.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Seals the open segment and starts the next; callers at the same time share one change. */
  #openNext(): Promise<void> {
    this.#opening ??= (async () => {
      const next = new Segment(++this.#lastNumber);
      await this.#log.create(next.number);
      const last = this.#open;
      this.#sealed.push(last);
      this.#open = next;
      // A disk that fails for hours would leave a torn segment of no events for each attempt.
      if (last.torn && last.appended === 0 && !this.#appending) {
        await this.drop(last).catch(() => {
          // The next flush tries again.
        });
      }
    })().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /**
   * Ends the segment being written, if it holds anything, so that it can be flushed. Sealed segments are synced before any file is
   * written of them: one of which a power loss took a part would write that file again, from fewer events.
   */
  async seal(): Promise<void> {
    if (this.#open.appended > 0 || this.#open.torn || this.#open.unsafe) {
      await this.#openNext();
      // A group that began before the change still belongs to the sealed segment.
      await this.#groupDone;
    }
    // One that is under way may have begun before the last append.
    await this.#syncing;
    await this.sync();
  }

  /** Takes a site's events out of a segment: they are in files now. */
  release(segment: Segment, siteId: SiteId): void {
    for (const events of segment.sites.get(siteId)?.values() ?? []) this.#size -= events.length;
    segment.sites.delete(siteId);
  }

  /** Forgets a sealed segment all of whose events were taken out. */
  async drop(segment: Segment): Promise<void> {
    if (segment.size > 0) throw new Error(`journal segment ${segment.number} still holds ${segment.size} events`);
    await this.#log.remove(segment.number);
    const at = this.#sealed.indexOf(segment);
    if (at < 0) return;
    this.#sealed.splice(at, 1);
    this.#bytes -= segment.bytes;
  }

  /**
   * Makes the events appended so far durable, where the log leaves that to a later call; the host says when. Never rejects: events
   * that the disk does not confirm are to be flushed (`isUnsafe`), and the next ones go to another segment.
   */
  sync(): Promise<void> {
    this.#syncing ??= (this.#log.sync?.() ?? Promise.resolve())
      .catch((error: unknown) => {
        for (const segment of [...this.#sealed, this.#open]) {
          if (segment.appended > 0 || this.#appending) segment.unsafe = true;
        }
        this.#onSyncFailure(error);
      })
      .finally(() => {
        this.#syncing = null;
      });
    return this.#syncing;
  }

  /** Waits for appends under way and closes the log. Later appends fail. */
  async close(): Promise<void> {
    while (this.#writing) await this.#writing;
    await this.#syncing;
    await this.#log.close();
  }
}
