/** Fetches reports and exports: at most four at a time, again if the service is busy or ran out of time. */
import { send, ServiceError } from "./http.ts";
import { type OnReading, page, type ReportWatch } from "./progress.ts";
import type { Coverage, Reports } from "./types.ts";

const REQUESTS_MAX = 4;

/** An aborted request keeps its slot this long: the service may still be working on it. */
const ABORTED_SLOT_MS = 50;

/** Limits concurrent requests. The rest wait in order; an aborted request that is still waiting never starts. */
export class RequestQueue {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs the task once a slot is free; rejects with the signal's reason when aborted before that. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#acquire(signal);
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      if (signal.aborted) setTimeout(() => this.#release(), ABORTED_SLOT_MS);
      else this.#release();
    }
  }

  #release(): void {
    this.#running--;
    this.#waiting.shift()?.();
  }

  #acquire(signal: AbortSignal): Promise<void> {
    if (this.#running < this.#max) {
      this.#running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", abandon);
        this.#running++;
        resolve();
      };
      const abandon = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(start);
      signal.addEventListener("abort", abandon, { once: true });
    });
  }
}

const BUSY_RETRIES_MAX = 3;

/** Longest pause before a retry, whatever Retry-After says. */
const PAUSE_SECS_MAX = 5;

/**
 * A report over more events than the engine has loaded resumes where it timed out, so it is asked again as long as it makes progress.
 * Five minutes with the default time limit: what takes longer needs more memory or another server. An export starts over and is not
 * retried.
 */
const TIMEOUT_RETRIES_MAX = 10;

const queue = new RequestQueue(REQUESTS_MAX);

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

/** The service, or a proxy in front of it, asks for a retry. */
const isBusy = ({ kind, retryAfterSecs }: ServiceError): boolean => kind === "busy" || (kind === "unavailable" && retryAfterSecs !== null);

async function sendWithRetries(url: string, signal: AbortSignal, timeoutRetriesMax: number, watch: ReportWatch | null): Promise<Response> {
  for (let busyRetries = 0, timeoutRetries = 0; ;) {
    try {
      return await send(url, { signal, ...(watch && { headers: watch.headers }) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.kind === "timeout" && timeoutRetries++ < timeoutRetriesMax && watch?.nextAttempt() !== false) continue;
      if (!isBusy(error) || busyRetries++ === BUSY_RETRIES_MAX) throw error;
      await pause(Math.min(error.retryAfterSecs ?? 1, PAUSE_SECS_MAX) * 1000, signal);
    }
  }
}

/** Loads a resource, possibly with several requests. */
export type Load<T> = (url: string, signal: AbortSignal, onReading?: OnReading) => Promise<T>;

export type CoveredDays = Coverage["partial"];

const leftOut = new WeakMap<object, CoveredDays>();

/** Days of imports that a report leaves out, or of which it lacks visitors. Lists have no field for it. */
export const leftOutOf = (report: object): CoveredDays => leftOut.get(report) ?? [];

async function reportIn(response: Response): Promise<object> {
  const report = (await response.json()) as object;
  const { partial } = JSON.parse(response.headers.get("coverage") ?? '{"partial":[]}') as Coverage;
  leftOut.set(
    report,
    partial.filter(({ answered, lacks }) => !answered || lacks),
  );
  return report;
}

export const fetchReport = <T>(url: string, signal: AbortSignal, onReading: OnReading = () => {}): Promise<T> =>
  page.watched(url, onReading, (watch) =>
    queue.run(async () => (await reportIn(await sendWithRetries(url, signal, TIMEOUT_RETRIES_MAX, watch))) as T, signal),
  );

export const fetchFile = (url: string, signal: AbortSignal): Promise<Blob> =>
  queue.run(async () => (await sendWithRetries(url, signal, 0, null)).blob(), signal);

type AllSites = Reports["overview"];

/** Pages of a thousand sites: as many as `max_sites` allows by default. */
const PAGES_MAX = 10;

/** Joins the pages of the overview: each begins after the last site of the one before. */
export async function allPages(pageAfter: (siteId: string | null) => Promise<AllSites>): Promise<AllSites> {
  let all = await pageAfter(null);
  for (let pages = 1; pages < PAGES_MAX && all.sites.length < all.total; pages++) {
    const { total, sites } = await pageAfter(all.sites.at(-1)?.site_id ?? null);
    if (sites.length === 0) break;
    all = { total, sites: [...all.sites, ...sites] };
  }
  return all;
}
