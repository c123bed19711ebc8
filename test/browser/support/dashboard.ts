/** Helpers for tests of the dashboard: visits written to a data folder before the service starts, and reading the page. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Page, Request } from "playwright-core";
import { encodeEvents } from "../../../src/storage/parquet-events.ts";
import { partitionKey } from "../../../src/storage/partitions.ts";
import type { LocalDate, StoredEvent } from "../../../src/storage/event.ts";
import { nowMs } from "../../support/fixed-clock.ts";
import { anEvent, siteId } from "../../support/stored-event.ts";

export const DAY_MS = 86_400_000;

/** The date of an instant in a time zone. */
export const dayIn = (timeZone: string, ms: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(ms);

export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const midnightDaysAgo = (days: number): number => (Math.floor(nowMs() / DAY_MS) - days) * DAY_MS;

export const noonDaysAgo = (days: number): number => midnightDaysAgo(days) + DAY_MS / 2;

/** A visit by a visitor of its own. */
export interface Visit {
  readonly atMs: number;
  /** Paths, or event names after a `!`. */
  readonly steps: readonly string[];
  readonly fields?: Partial<StoredEvent>;
}

let visitors = 1n;

const HOSTS: Readonly<Record<string, string>> = { Google: "www.google.com", Bing: "www.bing.com", Reddit: "www.reddit.com" };

/** The referrer of a source, which only the first event of a visit has: its own page is that of all others. */
function arrivalOf({ referrerSource, referrer }: Partial<StoredEvent>, isFirst: boolean): Partial<StoredEvent> {
  if (referrerSource == null || !isFirst) return { referrer: null, referrerSource: null };
  return { referrerSource, referrer: referrer ?? `https://${HOSTS[referrerSource] ?? referrerSource}/` };
}

function eventsOf(site: string, { atMs, steps, fields = {} }: Visit): StoredEvent[] {
  const visitorId = visitors++;
  let pathname = "/";
  return steps.map((step, i) => {
    const isEvent = step.startsWith("!");
    if (!isEvent) pathname = step;
    return anEvent({
      siteId: siteId(site),
      timestampMs: atMs + i * 30_000,
      visitorId,
      browser: "Chrome",
      browserVersion: "147",
      ...fields,
      ...arrivalOf(fields, i === 0),
      eventName: isEvent ? step.slice(1) : "pageview",
      pathname,
    });
  });
}

/** Writes visits as the Parquet files of a data folder, with the dates of a time zone. */
export async function writeVisits(dataFolder: string, site: string, visits: readonly Visit[], timeZone = "UTC"): Promise<void> {
  const byDay = new Map<string, StoredEvent[]>();
  for (const event of visits.flatMap((visit) => eventsOf(site, visit))) {
    const day = dayIn(timeZone, event.timestampMs);
    byDay.set(day, [...(byDay.get(day) ?? []), event]);
  }
  let segment = 0;
  for (const [day, events] of byDay) {
    const path = join(dataFolder, partitionKey(siteId(site), day as LocalDate, ++segment, segment));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, encodeEvents(events));
  }
}

/** The address as it is now. Playwright's `page.url()` learns later of one that changed without navigation. */
export const urlOf = async (page: Page): Promise<URL> => new URL(await page.evaluate<string>("location.href"));

const isStatistics = (request: Request): boolean => /\/api\/(?:stats\/(?!progress)|sites)/.test(request.url());

/** Records all requests, and how many statistics requests were in flight at once. */
export function watchRequests(page: Page): { readonly most: number; readonly all: readonly string[] } {
  const watched = { now: 0, most: 0, all: [] as string[] };
  const ended = (request: Request) => {
    if (isStatistics(request)) watched.now--;
  };
  page.on("request", (request) => {
    watched.all.push(request.url());
    if (isStatistics(request)) watched.most = Math.max(watched.most, ++watched.now);
  });
  page.on("requestfinished", ended);
  page.on("requestfailed", ended);
  return watched;
}

/** A card by the URL parameter of its tab, e.g. `pages`. */
export const cardOf = (page: Page, name: string) => page.locator(`[data-card="${name}"]`);

/** Label and number of a card's rows, once they are loaded. */
export async function rowsOf(page: Page, name: string): Promise<(readonly [label: string, count: string])[]> {
  const card = cardOf(page, name);
  // A card loads when it is near the viewport, possibly after all others.
  await card.locator(".report:not(.stale)").first().waitFor();
  return card.locator(".row").evaluateAll((rows) =>
    rows.map((row) => {
      const text = (part: string) =>
        (row as unknown as { querySelector(selector: string): { textContent: string } | null }).querySelector(part)?.textContent?.trim() ??
        "";
      return [text(".row-label"), text(".row-count")] as const;
    }),
  );
}
