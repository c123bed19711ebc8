/**
 * Requests of AI crawlers that servers and edges have seen. They come in batches, which are counted by day, crawler, status and path, each
 * once: a batch is in the files of its days when it is answered, and they know its id (docs/bots.md, "What AI crawlers read").
 */
import { DayCounts, type Labels } from "../../storage/day-counts.ts";
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import { type Sha256, toHex } from "../base/bytes.ts";
import {
  COUNT_WRITE_PAUSE_MS_MAX,
  CRAWL_AGE_DAYS_MAX,
  CRAWL_AHEAD_MS_MAX,
  CRAWL_BATCHES_OF_SITE_MAX,
  CRAWL_BATCHES_WAITING_MAX,
} from "../base/config/limits.ts";
import { AppError } from "../base/errors.ts";
import { aiCrawlerIn } from "./ai-crawlers.ts";
import type { VerifiesCrawler } from "./crawler-addresses.ts";
import type { DayCountStore } from "./day-count-store.ts";

/** A request as a server saw it. */
export interface CrawlRequest {
  readonly userAgent: string;
  /** A path or a whole URL. */
  readonly path: string;
  /** null if it is not known. */
  readonly status: number | null;
  /** The client's address, compared with address lists and not kept; null if it is not known. */
  readonly address: string | null;
  readonly atMs: EpochMs;
}

export interface CrawlBatch {
  /** null: the batch is known again by what is in it. */
  readonly id: string | null;
  readonly requests: readonly CrawlRequest[];
}

/** How many requests of a batch are counted, or why not. */
export interface CrawlOutcome {
  readonly counted: number;
  /** Counted before, as the batch has come before. */
  readonly repeated: number;
  /** Not of an AI crawler. */
  readonly unknown: number;
  /** Too old, or of the future. */
  readonly outOfRange: number;
}

interface CrawlsOptions {
  readonly counts: DayCountStore;
  readonly sha256: Sha256;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** The date of an instant in the site's calendar. */
  readonly dateOf: (siteId: SiteId, atMs: EpochMs) => LocalDate;
  /** The last day that the site keeps no longer; null if it keeps all. */
  readonly lastExpiredOf: (siteId: SiteId) => LocalDate | null;
  readonly pathOf: (siteId: SiteId, path: string) => string;
  readonly verifiesCrawler: VerifiesCrawler;
}

/** What a batch has of one day. */
interface OfDay {
  readonly counts: DayCounts;
  requests: number;
}

type Days = ReadonlyMap<LocalDate, OfDay>;

interface Waiting {
  readonly id: string;
  readonly days: Days;
  readonly resolve: (newDays: ReadonlySet<LocalDate>) => void;
  readonly reject: (error: unknown) => void;
}

const DAY_MS = 86_400_000;

/** The labels of `CRAWLS`. */
export const crawlLabels = (name: string, status: number | null, isVerified: boolean): Labels => [
  name,
  status === null ? "" : String(status),
  isVerified ? "yes" : "",
];

/** Hexadecimal digits of an id in files. */
const ID_DIGITS = 24;

export class Crawls {
  readonly #options: CrawlsOptions;
  /** Batches that wait for the write of their site, which is under way. */
  readonly #waiting = new Map<SiteId, Waiting[]>();
  readonly #writing = new Set<Promise<void>>();
  #waitingCount = 0;
  readonly counts: DayCountStore;

  constructor(options: CrawlsOptions) {
    this.#options = options;
    this.counts = options.counts;
  }

  /** Resolves when all that counts of the batch is durable. After a rejection, also 408, the batch may be repeated. */
  async add(siteId: SiteId, batch: CrawlBatch): Promise<CrawlOutcome> {
    const { days, unknown, outOfRange } = this.#sorted(siteId, batch.requests);
    const newDays = days.size === 0 ? new Set<LocalDate>() : await this.#written(siteId, this.#idOf(batch), days);
    let [counted, repeated] = [0, 0];
    for (const [day, { requests }] of days) {
      if (newDays.has(day)) counted += requests;
      else repeated += requests;
    }
    return { counted, repeated, unknown, outOfRange };
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  #idOf({ id, requests }: CrawlBatch): string {
    // Nobody can find an address out by trying all of them.
    const withoutAddresses = requests.map(({ address: _address, ...request }) => request);
    const text = id === null ? `requests ${JSON.stringify(withoutAddresses)}` : `id ${id}`;
    return toHex(this.#options.sha256(text)).slice(0, ID_DIGITS);
  }

  #sorted(siteId: SiteId, requests: readonly CrawlRequest[]) {
    const { dateOf, lastExpiredOf, now, pathOf, verifiesCrawler } = this.#options;
    const nowMs = now();
    const lastExpired = lastExpiredOf(siteId);
    const days = new Map<LocalDate, OfDay>();
    let [unknown, outOfRange] = [0, 0];
    for (const { userAgent, path, status, address, atMs } of requests) {
      const name = aiCrawlerIn(userAgent);
      if (name === null) {
        unknown++;
        continue;
      }
      const isInRange = nowMs - CRAWL_AGE_DAYS_MAX * DAY_MS <= atMs && atMs <= nowMs + CRAWL_AHEAD_MS_MAX;
      const day = isInRange ? dateOf(siteId, atMs) : null;
      if (day === null || (lastExpired !== null && day <= lastExpired)) {
        outOfRange++;
        continue;
      }
      const ofDay = days.get(day) ?? { counts: new DayCounts(), requests: 0 };
      days.set(day, ofDay);
      ofDay.counts.add(crawlLabels(name, status, verifiesCrawler(name, address)), pathOf(siteId, path));
      ofDay.requests++;
    }
    return { days, unknown, outOfRange };
  }

  /** Batches that come while their site is being written share the next write. Returns the days of which the batch was not counted before. */
  #written(siteId: SiteId, id: string, days: Days): Promise<ReadonlySet<LocalDate>> {
    const waiting = this.#waiting.get(siteId);
    if ((waiting?.length ?? 0) >= CRAWL_BATCHES_OF_SITE_MAX || this.#waitingCount >= CRAWL_BATCHES_WAITING_MAX) {
      throw new AppError(
        { code: "too_many_requests", retryAfterSecs: 1 },
        "Too many batches of requests wait to be written. Try again later, and send more requests in fewer batches.",
      );
    }
    return new Promise((resolve, reject) => {
      this.#waitingCount++;
      const added = { id, days, resolve, reject };
      if (waiting) {
        waiting.push(added);
        return;
      }
      this.#waiting.set(siteId, [added]);
      const writing = this.#writeAll(siteId).finally(() => this.#writing.delete(writing));
      this.#writing.add(writing);
    });
  }

  /** Never rejects. */
  async #writeAll(siteId: SiteId): Promise<void> {
    const { monotonicMs, wait } = this.#options;
    for (let group = this.#take(siteId); group.length > 0; group = this.#take(siteId)) {
      const beganMs = monotonicMs();
      try {
        const newDays = await this.#write(siteId, group);
        for (const [i, { resolve }] of group.entries()) resolve(newDays[i] ?? new Set());
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      // A full file takes tens of milliseconds of the thread that accepts events, which gets as many before the next batches.
      await wait(Math.min(monotonicMs() - beganMs, COUNT_WRITE_PAUSE_MS_MAX));
    }
    this.#waiting.delete(siteId);
  }

  #take(siteId: SiteId): Waiting[] {
    const group = this.#waiting.get(siteId)?.splice(0) ?? [];
    this.#waitingCount -= group.length;
    return group;
  }

  /** A file for each day of them. The new days of each. */
  async #write(siteId: SiteId, group: readonly Waiting[]): Promise<Set<LocalDate>[]> {
    const newDays = group.map(() => new Set<LocalDate>());
    for (const day of [...new Set(group.flatMap(({ days }) => [...days.keys()]))].sort()) {
      /** The first one of an id. The same batch may wait twice. */
      const firsts = new Map<string, { readonly counts: DayCounts; readonly place: number }>();
      for (const [place, { id, days }] of group.entries()) {
        const counts = days.get(day)?.counts;
        if (counts && !firsts.has(id)) firsts.set(id, { counts, place });
      }
      const batches = new Map([...firsts].map(([id, { counts }]) => [id, counts]));
      for (const id of await this.counts.addBatches(siteId, day, batches)) newDays[firsts.get(id)?.place ?? 0]?.add(day);
    }
    return newDays;
  }
}
