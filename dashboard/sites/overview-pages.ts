/** The pages of the overview as one: each begins after the last site of the one before. */
import type { Reports } from "../api/types.ts";

type AllSites = Reports["overview"];

/** Of a thousand sites each, as many as there may be by default (`max_sites`). */
const PAGES_MAX = 10;

export async function allPages(pageAfter: (siteId: string | null) => Promise<AllSites>): Promise<AllSites> {
  let all = await pageAfter(null);
  for (let pages = 1; pages < PAGES_MAX && all.sites.length < all.total; pages++) {
    const { total, sites } = await pageAfter(all.sites.at(-1)?.site_id ?? null);
    if (sites.length === 0) break;
    all = { total, sites: [...all.sites, ...sites] };
  }
  return all;
}
