/** How far reports have come that take longer than a second: all of them in one question a second, and only while the page is visible. */
import { sendJson, urlOf } from "./http.ts";
import { randomText } from "./random-text.ts";
import type { Progress } from "./types.ts";

export type Reading = Pick<Progress["reports"][number], "days" | "days_read" | "reading">;

/** The service tells nothing of this report, at least not yet. */
export const UNTOLD: Reading = { days: 0, days_read: 0, reading: null };

/** Called when a report takes its time, and whenever it has come further. */
export type OnReading = (reading: Reading) => void;

const ASK_MS = 1000;

/** An answer that takes longer is of no use. */
const ANSWER_MS_MAX = 5000;

/** A request for a report, with its wait in the queue and all its attempts. */
export class ReportWatch {
  readonly siteId: string;
  readonly beganMs: number;
  readonly #id = randomText();
  readonly #onReading: OnReading;
  #isSent = false;
  #isTold = false;
  /** null if it is not known how far this attempt has come. */
  #latest: Reading | null = null;
  /** How far the attempt before had come when it ended. */
  #before: Reading | null = null;

  constructor(siteId: string, beganMs: number, onReading: OnReading) {
    this.siteId = siteId;
    this.beganMs = beganMs;
    this.#onReading = onReading;
  }

  /** The headers of each attempt. */
  get headers(): { readonly "X-Progress-Id": string } {
    this.#isSent = true;
    return { "X-Progress-Id": this.#id };
  }

  /** null while the request waits in the queue of the page. */
  get sentId(): string | null {
    return this.#isSent ? this.#id : null;
  }

  tell(reading: Reading | undefined): void {
    if (reading) this.#latest = reading;
    else if (this.#isTold) return;
    this.#isTold = true;
    this.#onReading(reading ?? UNTOLD);
  }

  /** A hidden page does not ask. */
  lose(): void {
    this.#latest = null;
  }

  /** Call when an attempt has ended at the time limit. False if it got no further than the one before: another one is of no use. */
  nextAttempt(): boolean {
    const [before, latest] = [this.#before, this.#latest];
    this.#before = latest;
    this.#latest = null;
    return !before || !latest || latest.days_read > before.days_read;
  }
}

interface PageOptions {
  readonly nowMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly isHidden: () => boolean;
  /** The progress of the reports of a site that were requested with these ids; rejects if there is no answer. */
  readonly ask: (siteId: string, ids: readonly string[]) => Promise<Progress["reports"]>;
}

/** The reports that a page waits for. */
export class ReportWatches {
  readonly #options: PageOptions;
  readonly #watches = new Set<ReportWatch>();
  #isLooking = false;

  constructor(options: PageOptions) {
    this.#options = options;
  }

  /** Runs the requests of a report. Without a site there is nothing to tell. */
  async watched<T>(url: string, onReading: OnReading, run: (watch: ReportWatch | null) => Promise<T>): Promise<T> {
    const siteId = new URLSearchParams(url.slice(url.indexOf("?"))).get("site_id");
    if (siteId === null) return run(null);
    const watch = new ReportWatch(siteId, this.#options.nowMs(), onReading);
    this.#watches.add(watch);
    void this.#look();
    try {
      return await run(watch);
    } finally {
      this.#watches.delete(watch);
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { nowMs, wait, isHidden } = this.#options;
    while (this.#watches.size > 0) {
      await wait(ASK_MS);
      const slow = [...this.#watches].filter(({ beganMs }) => nowMs() - beganMs >= ASK_MS);
      if (slow.length > 0 && isHidden()) for (const watch of slow) watch.lose();
      else await this.#tell(slow);
    }
    this.#isLooking = false;
  }

  /** A question is about one site, and so is a page. */
  async #tell(slow: readonly ReportWatch[]): Promise<void> {
    const [first] = slow;
    const ids = slow.flatMap(({ siteId, sentId }) => (siteId === first?.siteId && sentId !== null ? [sentId] : []));
    // Without an answer, the reports themselves show why.
    const reports = first && ids.length > 0 ? await this.#options.ask(first.siteId, ids).catch(() => []) : [];
    for (const watch of slow) if (this.#watches.has(watch)) watch.tell(reports.find(({ id }) => id === watch.sentId));
  }
}

export const page = new ReportWatches({
  nowMs: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  isHidden: () => document.visibilityState === "hidden",
  ask: async (siteId, ids) => {
    const url = urlOf("/api/stats/progress", { site_id: siteId, ids: ids.join(",") });
    return (await sendJson<Progress>(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })).reports;
  },
});
