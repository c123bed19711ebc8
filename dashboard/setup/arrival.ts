/** The arrival of a site's first event: opens its dashboard, and remembers it until the reader goes on. */
import { signal } from "@preact/signals";
import { refreshAll } from "../state/connection.ts";
import { clearReportCache } from "../state/use-report.ts";
import { period } from "../state/period.ts";
import { search } from "../state/url.ts";
import { openSite, site } from "../state/view.ts";

interface Arrival {
  readonly siteId: string;
  /** The view that it opened. */
  readonly view: string;
}

export const arrival = signal<Arrival | null>(null);

/**
 * With fresh reports and a fresh list of sites. Today, because the chart of a month would be a flat line, unless today's reports
 * were asked for while they were empty: the service may still have them in its cache (docs/http-api.md, "Caching").
 */
export function openArrivedSite(siteId: string): void {
  const wasToday = site.value === siteId && period.value === "day";
  openSite(siteId, { period: wasToday ? "7d" : "day" }, true);
  clearReportCache();
  arrival.value = { siteId, view: search.value };
  refreshAll();
}
