/** The write-ahead journal: numbered segments of accepted events that are not yet in Parquet files. */
import { crc32 } from "./checksum.ts";
import {
  bufferedEvent,
  type BufferedEvent,
  type EpochMs,
  eventOf,
  type EventText,
  type LocalDate,
  type SiteId,
  type StoredEvent,
} from "./event.ts";
import { NothingAppendedError, Segment, type SegmentLog, SyncFailedError } from "./segment.ts";

/** Eight hexadecimal digits and a space. */
const CHECKSUM_CHARS = 9;
const NEWLINE = 10;

/** Longest UTF-8 encoding of one UTF-16 unit. */
const UTF8_BYTES_PER_UNIT_MAX = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

const checksumText = (bytes: Uint8Array, start: number, end: number): string => crc32(bytes, start, end).toString(16).padStart(8, "0");

/**
 * The line format of the journal, one event a line: `<crc32> <event text>\n`.
 *
 * The lines of the events, ready to be appended.
 */
export function encodeJournalLines(texts: readonly EventText[]): Uint8Array {
  const room = texts.reduce((sum, text) => sum + text.length * UTF8_BYTES_PER_UNIT_MAX + CHECKSUM_CHARS + 1, 0);
  const bytes = new Uint8Array(room);
  let at = 0;
  for (const text of texts) {
    const start = at + CHECKSUM_CHARS;
    const end = start + encoder.encodeInto(text, bytes.subarray(start)).written;
    encoder.encodeInto(`${checksumText(bytes, start, end)} `, bytes.subarray(at));
    bytes[end] = NEWLINE;
    at = end + 1;
  }
  return bytes.subarray(0, at);
}

interface DecodedJournal {
  readonly events: StoredEvent[];
  /** Bytes after the last intact line: an append that a crash interrupted, never acknowledged. */
  readonly tornBytes: number;
  /** Damaged lines before an intact one: not the result of an interrupted append. */
  readonly damagedLines: number;
}

function decodeLine(bytes: Uint8Array, start: number, end: number): StoredEvent | null {
  const jsonStart = start + CHECKSUM_CHARS;
  if (end <= jsonStart) return null;
  try {
    const checksum = decoder.decode(bytes.subarray(start, jsonStart - 1));
    if (checksum !== checksumText(bytes, jsonStart, end)) return null;
    return eventOf(decoder.decode(bytes.subarray(jsonStart, end)));
  } catch {
    return null;
  }
}

/** Decodes a segment. A damaged last line counts as torn, any other as damaged; all intact lines are returned. */
export function decodeJournalLines(bytes: Uint8Array): DecodedJournal {
  const events: StoredEvent[] = [];
  let damagedLines = 0;
  let wholeUpTo = 0;
  let badSinceWhole = 0;
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const event = newline === -1 ? null : decodeLine(bytes, start, end);
    start = end + 1;
    if (!event) {
      badSinceWhole++;
      continue;
    }
    events.push(event);
    damagedLines += badSinceWhole;
    badSinceWhole = 0;
    wholeUpTo = start;
  }
  if (badSinceWhole > 1) damagedLines += badSinceWhole - 1;
  return { events, damagedLines, tornBytes: bytes.length - wholeUpTo };
}

/** A damaged segment that recovery has quarantined. */
export interface JournalDamage {
  readonly segment: number;
  readonly damagedLines: number;
  readonly keptAt: string;
}

interface ReplayedJournal {
  /** Segments with events, oldest first. */
  readonly segments: readonly Segment[];
  readonly damage: readonly JournalDamage[];
}

/**
 * Recovers the journal of an earlier process: segments are read, damaged ones are quarantined, and their intact lines count.
 *
 * Reads the segments back and removes those without events.
 */
async function replayJournal(log: SegmentLog, numbers: readonly number[]): Promise<ReplayedJournal> {
  const segments: Segment[] = [];
  const damage: JournalDamage[] = [];
  for (const number of numbers) {
    const bytes = await log.read(number);
    const { events, damagedLines } = decodeJournalLines(bytes);
    if (damagedLines > 0) damage.push({ segment: number, damagedLines, keptAt: await log.quarantine(number) });
    if (events.length === 0) {
      await log.remove(number);
      continue;
    }
    const segment = new Segment(number);
    segment.bytes = bytes.length;
    segment.replication = "begun";
    for (const event of events) segment.add(bufferedEvent(event));
    segments.push(segment);
  }
  return { segments, damage };
}

/** The maximum number of events per write; the rest of a burst is written next. */
const GROUP_EVENTS_MAX = 1000;

/** Events at which a group stops gathering, because appends are almost instant then. */
const GATHERED_EVENTS_MAX = 8;

interface Waiting {
  readonly event: BufferedEvent;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

interface GroupCommitOptions {
  /** Appends a group. Calls do not overlap. */
  readonly write: (group: readonly BufferedEvent[]) => Promise<void>;
  /** See `SegmentLog`. */
  readonly gather: (() => Promise<void>) | undefined;
}

/** Group commit: events that arrive while one append is under way share the next one. */
class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  /** Set while events wait, gather or are being appended. */
  #writing: Promise<void> | null = null;
  #groupDone: Promise<void> = Promise.resolve();
  /** Ends the gathering of a group. */
  #gathered: () => void = () => {};

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Characters of the events that wait for their append. */
  get waitingChars(): number {
    return this.#waitingChars;
  }

  /** Resolves when the event's group is appended; rejects with the error of its append. */
  add(event: BufferedEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waitingChars += event.text.length;
      this.#waiting.push({ event, resolve, reject });
      if (!this.#writing) this.#writing = this.#writeGroups();
      else if (this.#waiting.length >= GATHERED_EVENTS_MAX) this.#gathered();
    });
  }

  /** Resolves when the group that is being appended now is done. */
  groupDone(): Promise<void> {
    return this.#groupDone;
  }

  /** Resolves when no event waits. */
  async settled(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #writeGroups(): Promise<void> {
    while (this.#waiting.length > 0) {
      const gathering = this.#gather();
      if (gathering) await gathering;
      this.#groupDone = this.#writeGroup(this.#waiting.splice(0, GROUP_EVENTS_MAX));
      await this.#groupDone;
    }
    this.#writing = null;
  }

  /**
   * Lets concurrent events join the group, for a short time: an acknowledged client sends its next event while the server handles
   * other requests. If all were acknowledged together, clients and server would wait for each other in turn.
   */
  #gather(): Promise<void> | null {
    const { gather } = this.#options;
    if (!gather || this.#waiting.length >= GATHERED_EVENTS_MAX) return null;
    return new Promise((resolve) => {
      this.#gathered = resolve;
      void gather().then(resolve);
    });
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#options.write(group.map(({ event }) => event));
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    } finally {
      for (const { event } of group) this.#waitingChars -= event.text.length;
    }
    for (const { resolve } of group) resolve();
  }
}

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
