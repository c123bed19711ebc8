/** The arrival of a site's first event: polling for it, and the dashboard that opens. `arrival-notices.tsx` shows it. */
import { signal } from "@preact/signals";
import { reloadAll, type Rhythm } from "../state/requests.ts";
import { period } from "../state/period.ts";
import { search } from "../state/url.ts";
import { openSite, site } from "../state/view.ts";

const OFTEN_MS = 2000;
const RARELY_MS = 15_000;

/** Polls often for this long. */
const OFTEN_FOR_MS = 300_000;

export const AWAITING: Rhythm = {
  // So that typing a name does not send a request for each letter.
  firstMs: 500,
  pauseMs: (sinceMs) => (sinceMs < OFTEN_FOR_MS ? OFTEN_MS : RARELY_MS),
};

interface Arrival {
  readonly siteId: string;
  /** The opened view. */
  readonly view: string;
}

export const arrival = signal<Arrival | null>(null);

/**
 * Refreshes reports and the list of sites. Opens today, because a month would be a flat line, unless today's reports were requested while
 * empty: the service may have cached them (docs/http-api.md, "Caching").
 */
export function openArrivedSite(siteId: string): void {
  const wasToday = site.value === siteId && period.value === "day";
  openSite(siteId, { period: wasToday ? "7d" : "day" }, true);
  arrival.value = { siteId, view: search.value };
  reloadAll();
}

/** A site whose dialog was closed before its first event; null for none. */
export const awaitedSite = signal<string | null>(null);
