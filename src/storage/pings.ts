/** Pings that wait for the end of their day: a journal of their own, which no reader of events opens. Bounded; what is too much is dropped. */
import type { Ping } from "./engagement.ts";
import { type EpochMs, eventOf, type LocalDate, type SiteId, type StoredEvent, UNRECORDED } from "./event.ts";
import { Journal } from "./journal.ts";
import type { Segment, SegmentLog } from "./segment.ts";

interface PingLimits {
  /** Pings of a site and day. */
  readonly ofDayMax: number;
  /** Bytes of all. */
  readonly bytesMax: number;
}

/** The form of an event, which the journal takes. `id` is its name: a copy of a ping is recognized by its text. */
const eventFrom = ({ engagedMs, ...ping }: Ping, id: string): StoredEvent => ({
  ...UNRECORDED,
  ...ping,
  eventName: id,
  engagedSeconds: engagedMs,
});

function pingOf(text: string): Ping {
  const { siteId, date, visitorId, pathname, timestampMs, engagedSeconds } = eventOf(text);
  return { siteId, date, visitorId, pathname, timestampMs, engagedMs: engagedSeconds ?? 0 };
}

interface OpenPings {
  readonly journal: Journal;
  /** Begins the ids of this process. */
  readonly prefix: number;
}

export class Pings {
  readonly #log: SegmentLog;
  readonly #nowMs: EpochMs;
  readonly #limits: PingLimits;
  #journal: Journal | null = null;
  #opening: Promise<OpenPings> | null = null;
  #count = 0;
  /** Days of sites whose pings are not wanted any more, as far as segments have some. */
  readonly #done = new Map<SiteId, Set<LocalDate>>();
  readonly #countOf = new Map<string, number>();
  #sweeping: Promise<void> = Promise.resolve();

  private constructor(log: SegmentLog, nowMs: EpochMs, limits: PingLimits) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#limits = limits;
  }

  /** Recovers those of an earlier process. Without any, nothing is written before the first ping. */
  static async open(log: SegmentLog, nowMs: EpochMs, limits: PingLimits): Promise<Pings> {
    const pings = new Pings(log, nowMs, limits);
    if ((await log.list()).length > 0) await pings.#open();
    return pings;
  }

  #open(): Promise<OpenPings> {
    this.#opening ??= Journal.open(this.#log, this.#nowMs).then(
      ({ journal }) => ({ journal: (this.#journal = journal), prefix: journal.openSegment.number }),
      (error: unknown) => {
        this.#opening = null;
        throw error;
      },
    );
    return this.#opening;
  }

  /** Resolves with true once the ping is durable; with false if there are too many. */
  async add(ping: Ping): Promise<boolean> {
    const { journal, prefix } = await this.#open();
    const key = `${ping.siteId} ${ping.date}`;
    const count = this.#countOf.get(key) ?? this.of(ping.siteId, ping.date).length;
    if (count >= this.#limits.ofDayMax || journal.bytes >= this.#limits.bytesMax) return false;
    this.#countOf.set(key, count + 1);
    await journal.append(eventFrom(ping, `${prefix}.${this.#count++}`));
    return true;
  }

  /** All sites of which segments have pings, wanted or not. */
  sites(): ReadonlySet<SiteId> {
    return new Set(this.#journal?.unflushedSites());
  }

  /** Sites and days whose pings are wanted. */
  days(): [SiteId, LocalDate][] {
    return [...new Set(this.#journal?.unflushedSites())].flatMap((siteId) =>
      this.#daysOf(siteId).flatMap((day): [SiteId, LocalDate][] => (this.#done.get(siteId)?.has(day) ? [] : [[siteId, day]])),
    );
  }

  #daysOf = (siteId: SiteId): LocalDate[] => [...new Set(this.#journal?.unflushedDays(siteId))];

  of(siteId: SiteId, day: LocalDate): Ping[] {
    return [...new Set(this.#journal?.unflushed(siteId, day).flatMap(({ events }) => events))].map(pingOf);
  }

  /** The pings of the day were added to its events, or never can be. They may come back after a crash until `sweep` resolves. */
  finish(siteId: SiteId, day: LocalDate): void {
    const days = this.#done.get(siteId) ?? new Set();
    this.#done.set(siteId, days.add(day));
    this.#countOf.delete(`${siteId} ${day}`);
  }

  /** Removes segments that have finished days only; with `siteId`, all in which the site has finished days, after a copy of their rest. */
  sweep(siteId?: SiteId): Promise<void> {
    const sweeping = this.#sweeping.then(() => this.#sweep(siteId));
    this.#sweeping = sweeping.catch(() => {
      // The caller gets the error.
    });
    return sweeping;
  }

  async #sweep(siteId?: SiteId): Promise<void> {
    const journal = this.#journal;
    if (journal === null) return;
    await journal.seal();
    for (const segment of [...journal.sealed]) {
      const rest = this.#restOf(segment);
      if (rest.length > 0 && (siteId === undefined || !this.#hasFinished(segment, siteId))) continue;
      await Promise.all(rest.map((text) => journal.append(eventOf(text))));
      // Copied pings become durable before the segment goes.
      await journal.sync();
      for (const site of [...segment.sites.keys()]) journal.release(segment, site);
      await journal.drop(segment);
    }
    for (const [site, days] of this.#done) {
      const left = new Set(this.#daysOf(site));
      for (const day of days) if (!left.has(day)) days.delete(day);
      if (days.size === 0) this.#done.delete(site);
    }
  }

  #restOf(segment: Segment): string[] {
    return [...segment.sites].flatMap(([siteId, days]) =>
      [...days].flatMap(([day, texts]) => (this.#done.get(siteId)?.has(day) ? [] : texts)),
    );
  }

  #hasFinished = (segment: Segment, siteId: SiteId): boolean =>
    [...(segment.sites.get(siteId)?.keys() ?? [])].some((day) => this.#done.get(siteId)?.has(day));

  /** Removes the pings of a site's days. Durable once resolved. */
  async erase(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void> {
    const days = this.#daysOf(siteId).filter((day) => firstDay <= day && day <= lastDay);
    if (days.length === 0) return;
    for (const day of days) this.finish(siteId, day);
    await this.sweep(siteId);
  }

  /** Makes the pings so far durable, where `add` does not. Never rejects. */
  async sync(): Promise<void> {
    await this.#journal?.sync();
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }
}
