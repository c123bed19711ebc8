/** The write-ahead journal: numbered segments of accepted events that are not yet in Parquet files. */
import type { EpochMs, SiteId, StoredEvent, LocalDate } from "./event.ts";
import { bufferedEvent, type BufferedEvent, type EventText } from "./event-text.ts";
import { GroupCommit } from "./group-commit.ts";
import { encodeJournalLines } from "./journal-line.ts";
import { replayJournal, type JournalDamage } from "./journal-replay.ts";
import { Segment } from "./segment.ts";
import { NothingAppendedError, SyncFailedError, type SegmentLog } from "./segment-log.ts";

export class Journal {
  readonly #log: SegmentLog;
  readonly #onSyncFailure: (error: unknown) => void;
  readonly #groups: GroupCommit;
  /** Sealed segments, oldest first, that await their flush. */
  readonly #sealed: Segment[] = [];
  #open: Segment;
  /** The last number used for a segment: it may be taken even if the segment's creation failed. */
  #lastNumber: number;
  #appending = false;
  #opening: Promise<void> | null = null;
  #syncing: Promise<void> | null = null;
  #size = 0;
  /** Bytes of all segments. */
  #bytes = 0;

  private constructor(log: SegmentLog, open: Segment, onSyncFailure: (error: unknown) => void) {
    this.#log = log;
    this.#onSyncFailure = onSyncFailure;
    this.#groups = new GroupCommit({ write: (group) => this.#append(group), gather: log.gather });
    this.#open = open;
    this.#lastNumber = open.number;
  }

  /**
   * Recovers the segments of an earlier process and opens a new one after them.
   * Numbers only grow, even after every segment was removed: files are named after them, and a file
   * whose number is within another's range counts as superseded. So the newest segment is retained
   * until a newer one exists, and the clock is the floor if the whole folder is lost.
   * `onSyncFailure` is called whenever the disk does not confirm appended events.
   */
  static async open(
    log: SegmentLog,
    nowMs: EpochMs,
    onSyncFailure: (error: unknown) => void = () => {},
  ): Promise<{ journal: Journal; damage: readonly JournalDamage[] }> {
    const numbers = await log.list();
    const next = Math.max((numbers.at(-1) ?? 0) + 1, nowMs);
    await log.create(next);
    const journal = new Journal(log, new Segment(next), onSyncFailure);
    const { segments, damage } = await replayJournal(log, numbers);
    for (const segment of segments) journal.#recover(segment);
    return { journal, damage };
  }

  #recover(segment: Segment): void {
    this.#sealed.push(segment);
    this.#size += segment.size;
    this.#bytes += segment.bytes;
  }

  /** Unflushed events. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of journal lines that segments hold or that wait for their append; an event counts until its segment is dropped. */
  get bytes(): number {
    return this.#bytes + this.#groups.waitingChars;
  }

  /** The segment that is being written. */
  get openSegment(): Readonly<Pick<Segment, "number" | "appended" | "bytes">> {
    return this.#open;
  }

  /** Sealed segments, oldest first. */
  get sealed(): readonly Segment[] {
    return this.#sealed;
  }

  get #segments(): readonly Segment[] {
    return [...this.#sealed, this.#open];
  }

  /** All segments that the log has. */
  get segmentNumbers(): readonly number[] {
    return this.#segments.map(({ number }) => number);
  }

  /** A site's unflushed events of one date by segment, in order of sequence number. */
  unflushed(siteId: SiteId, day: LocalDate): { segment: number; events: readonly EventText[] }[] {
    return this.#segments.flatMap((segment) => {
      const events = segment.sites.get(siteId)?.get(day);
      return events ? [{ segment: segment.number, events }] : [];
    });
  }

  /** The dates on which a site has unflushed events. */
  unflushedDays(siteId: SiteId): LocalDate[] {
    return this.#segments.flatMap((segment) => [...(segment.sites.get(siteId)?.keys() ?? [])]);
  }

  /** The sites that have unflushed events. */
  unflushedSites(): SiteId[] {
    return this.#segments.flatMap((segment) => [...segment.sites.keys()]);
  }

  /** True if the log still has a segment of this range of numbers: after a crash its events would be recovered. */
  hasSegmentWithin(first: number, last: number): boolean {
    return this.#segments.some(({ number }) => first <= number && number <= last);
  }

  /** True if the log may contain events that were never accepted, which a restart would recover. A flush ends that. */
  get isTorn(): boolean {
    return this.#sealed.some(({ torn }) => torn) || (this.#open.torn && !this.#appending);
  }

  /** True if accepted events become durable only by a flush. */
  get isUnsafe(): boolean {
    return this.#open.unsafe || this.#sealed.some(({ unsafe }) => unsafe);
  }

  /** Resolves once the event is durable and visible to queries; rejects when it is neither. */
  append(event: StoredEvent): Promise<void> {
    return this.#groups.add(bufferedEvent(event));
  }

  async #append(group: readonly BufferedEvent[]): Promise<void> {
    let segment = this.#open;
    try {
      if (segment.torn || segment.unsafe) await this.#openNext();
      segment = this.#open;
      segment.torn = true;
      this.#appending = true;
      const lines = encodeJournalLines(group.map(({ text }) => text));
      await this.#log.append(segment.number, lines);
      segment.torn = false;
      segment.bytes += lines.length;
      this.#bytes += lines.length;
      for (const event of group) segment.add(event);
      this.#size += group.length;
    } catch (error) {
      if (error instanceof NothingAppendedError) segment.torn = false;
      if (error instanceof SyncFailedError) this.#onSyncFailure(error);
      throw error;
    } finally {
      this.#appending = false;
    }
  }

  /** Seals the open segment and starts the next; callers at the same time share one change. */
  #openNext(): Promise<void> {
    this.#opening ??= (async () => {
      const next = new Segment(++this.#lastNumber);
      await this.#log.create(next.number);
      const last = this.#open;
      this.#sealed.push(last);
      this.#open = next;
      // A disk that fails for hours would leave an empty torn segment for each attempt.
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
   * Seals the open segment, if it is not empty, so that it can be flushed. Sealed segments are synced before their files are
   * written: after a power loss a partly lost segment would write the same file again, with fewer events.
   */
  async seal(): Promise<void> {
    if (this.#open.appended > 0 || this.#open.torn || this.#open.unsafe) {
      await this.#openNext();
      // A group that began before the change still belongs to the sealed segment.
      await this.#groups.groupDone();
    }
    await this.syncSealed();
  }

  async syncSealed(): Promise<void> {
    // One that is under way may have begun before the last append.
    await this.#syncing;
    await this.sync();
  }

  /** Releases a site's events of a segment: they are in files. */
  release(segment: Segment, siteId: SiteId): void {
    this.#size -= segment.sizeOf(siteId);
    segment.sites.delete(siteId);
  }

  /** Removes a sealed segment all of whose events were released. */
  async drop(segment: Segment): Promise<void> {
    if (segment.size > 0) throw new Error(`journal segment ${segment.number} still holds ${segment.size} events`);
    await this.#log.remove(segment.number);
    const at = this.#sealed.indexOf(segment);
    if (at < 0) return;
    this.#sealed.splice(at, 1);
    this.#bytes -= segment.bytes;
  }

  /**
   * Makes the events appended so far durable, where appends do not; the host decides when. Never rejects: unconfirmed events have
   * to be flushed (`isUnsafe`), and later ones go to another segment.
   */
  sync(): Promise<void> {
    this.#syncing ??= (this.#log.sync?.() ?? Promise.resolve())
      .catch((error: unknown) => {
        for (const segment of this.#segments) {
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
    await this.#groups.settled();
    await this.#syncing;
    await this.#log.close();
  }
}
