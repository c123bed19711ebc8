/**
 * Limits queries: how many run at the same time, and that the thread that ingests events compiles and plans one at a time
 * (docs/http-api.md, "Concurrency"). Guests have a part of the slots and come last, because a share link lets anyone ask.
 */
import { EXPORT_WANTED_MS, GUEST_EXPORTS_MAX, GUEST_SLOTS_SHARE_MAX, QUERIES_WAITING_MAX } from "../base/config/report-limits.ts";
import { AppError } from "../base/errors.ts";
import { checkSyntax, type Condition } from "../query/filters.ts";
import type { Asker } from "../query/scope.ts";

const RETRY_SECS = 1;

/** `Retry-After` of an export beside another one, which takes a while. */
const EXPORT_RETRY_SECS = 10;

const refusal = (retryAfterSecs: number, message: string): AppError => new AppError({ code: "too_many_requests", retryAfterSecs }, message);

const tooManyQueries = (): AppError => refusal(RETRY_SECS, "Too many statistics queries at the same time. Try again later.");

const ONE_EXPORT = "A share link or public site, and an address, may have one export at a time. Try again when the other one has ended.";

interface QueryLimiterOptions {
  /** 0 means unlimited. */
  readonly concurrentMax: number;
  /** Maximum wait for a slot; 0 refuses at once. */
  readonly queueMs: number;
  readonly wait: (ms: number) => Promise<void>;
  readonly monotonicMs: () => number;
}

export interface SlotUse extends Pick<Asker, "isGuest"> {
  /** Keeps its slot until its client has read it. */
  readonly isExport?: boolean;
  /** Set for a guest's export: what is shared, and the client's address as limits count it. Each has one export at a time. */
  readonly exporter?: { readonly share: string; readonly address: string };
}

const exportersOf = ({ exporter }: SlotUse): readonly string[] =>
  exporter ? [`share ${exporter.share}`, `address ${exporter.address}`] : [];

interface WaitingQuery {
  readonly use: SlotUse;
  /** Called when it has a slot. */
  readonly begin: () => void;
}

/** One slot is always left to others if there are several. */
const guestSlots = (concurrentMax: number): number => Math.max(1, Math.floor(concurrentMax * GUEST_SLOTS_SHARE_MAX));

export class QueryLimiter {
  readonly #options: QueryLimiterOptions;
  #taken = 0;
  #guests = 0;
  #guestExports = 0;
  /** The holders of these exports. */
  readonly #exporters = new Set<string>();
  /** Lasts from the first refusal of a guest's export to `EXPORT_WANTED_MS` after the last one. */
  #exportWanted: { readonly sinceMs: number; readonly untilMs: number } | null = null;
  /** Waiting queries in order of arrival; guests come after all others. */
  readonly #waiting = { others: new Set<WaitingQuery>(), guests: new Set<WaitingQuery>() };

  constructor(options: QueryLimiterOptions) {
    this.#options = options;
  }

  /**
   * The time since which guests have requested an export that cannot begin, other than because of their own address; null if none has.
   * Guests who do not repeat their request are forgotten after `EXPORT_WANTED_MS`, and all are when an export ends.
   */
  get exportWantedSinceMs(): number | null {
    const wanted = this.#exportWanted;
    return wanted && this.#options.monotonicMs() < wanted.untilMs ? wanted.sinceMs : null;
  }

  async run<T>(use: SlotUse, task: () => Promise<T>): Promise<T> {
    const release = await this.take(use);
    try {
      return await task();
    } finally {
      release();
    }
  }

  /** Takes a slot until the returned function is called, which is idempotent; 429 if none is free in time. */
  async take(use: SlotUse): Promise<() => void> {
    await this.#take(use);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(use);
      isHeld = false;
    };
  }

  async #take(use: SlotUse): Promise<void> {
    if (this.#isFree(use)) return this.#count(use, 1);
    this.#noteWanted(use);
    const { queueMs } = this.#options;
    const waiting = this.#waiting[use.isGuest ? "guests" : "others"];
    if (queueMs === 0 || waiting.size >= QUERIES_WAITING_MAX) throw this.#refusalOf(use);
    await this.#queue(waiting, use, queueMs);
  }

  #noteWanted({ isGuest, isExport = false, exporter }: SlotUse): void {
    const isOwnFault = exporter !== undefined && this.#exporters.has(`address ${exporter.address}`);
    if (!isGuest || !isExport || isOwnFault) return;
    const nowMs = this.#options.monotonicMs();
    this.#exportWanted = { sinceMs: this.exportWantedSinceMs ?? nowMs, untilMs: nowMs + EXPORT_WANTED_MS };
  }

  #isExporting(use: SlotUse): boolean {
    return exportersOf(use).some((exporter) => this.#exporters.has(exporter));
  }

  #refusalOf(use: SlotUse): AppError {
    return this.#isExporting(use) ? refusal(EXPORT_RETRY_SECS, ONE_EXPORT) : tooManyQueries();
  }

  #isFree(use: SlotUse): boolean {
    const { isGuest, isExport = false } = use;
    const { concurrentMax } = this.#options;
    if (isGuest && isExport && (this.#guestExports >= GUEST_EXPORTS_MAX || this.#isExporting(use))) return false;
    if (concurrentMax === 0) return true;
    return this.#taken < concurrentMax && !(isGuest && this.#guests >= guestSlots(concurrentMax));
  }

  #count(use: SlotUse, slots: 1 | -1): void {
    const { isGuest, isExport = false } = use;
    this.#taken += slots;
    if (isGuest) this.#guests += slots;
    if (!isGuest || !isExport) return;
    this.#guestExports += slots;
    for (const exporter of exportersOf(use)) {
      if (slots > 0) this.#exporters.add(exporter);
      else this.#exporters.delete(exporter);
    }
    if (slots < 0) this.#exportWanted = null;
  }

  #queue(waiting: Set<WaitingQuery>, use: SlotUse, queueMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const query = { use, begin: resolve };
      waiting.add(query);
      void this.#options.wait(queueMs).then(() => {
        if (waiting.delete(query)) reject(this.#refusalOf(use));
      });
    });
  }

  /** Passes the slot to the next waiting query that may have it, if any. */
  #release(use: SlotUse): void {
    this.#count(use, -1);
    for (const waiting of [this.#waiting.others, this.#waiting.guests]) {
      for (const query of waiting) {
        if (!this.#isFree(query.use)) continue;
        waiting.delete(query);
        this.#count(query.use, 1);
        query.begin();
      }
    }
  }
}

type Begin = () => void;

/**
 * Queues CPU work of queries on the thread that ingests events: compiling one regular expression, or planning one query, per turn.
 * Owners go first. Between turns, waiting events are ingested.
 */
export class FilterCheck {
  readonly #wait: (ms: number) => Promise<void>;
  /** Waiting requests in order of arrival; guests come after all others. */
  readonly #waiting = { owners: new Set<Begin>(), guests: new Set<Begin>() };
  #isServing = false;

  /** `wait` resolves after so many milliseconds, and after what has arrived meanwhile. */
  constructor(wait: (ms: number) => Promise<void>) {
    this.#wait = wait;
  }

  /**
   * 400 for what is no regular expression; 429 if too many wait, which slots do not bound if they are unlimited. For queries that have
   * a slot, and for what administrators save. Rejects with the asker's signal. Resolves in a turn of its own, so that the
   * caller can plan at once: the SQL of filters on many goals takes milliseconds.
   */
  async check(conditions: readonly Condition[], asker: Asker): Promise<void> {
    await checkSyntax(conditions, async (work) => {
      await this.#turn(asker);
      return work();
    });
    if (conditions.length > 0) await this.#turn(asker);
  }

  async #turn({ isGuest, signal }: Asker): Promise<void> {
    signal.throwIfAborted();
    const waiting = this.#waiting[isGuest ? "guests" : "owners"];
    if (waiting.size >= QUERIES_WAITING_MAX) throw tooManyQueries();
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(begin);
        reject(signal.reason as Error);
      };
      const begin = () => {
        waiting.delete(begin);
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      waiting.add(begin);
      signal.addEventListener("abort", giveUp, { once: true });
      void this.#serve();
    });
  }

  get #next(): Begin | undefined {
    const [owner] = this.#waiting.owners;
    const [reader] = this.#waiting.guests;
    return owner ?? reader;
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    while (this.#next) {
      await this.#wait(0);
      this.#next?.();
    }
    this.#isServing = false;
  }
}
