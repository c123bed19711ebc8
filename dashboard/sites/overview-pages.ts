/** Joins the pages of the overview: each begins after the last site of the one before. */
import type { Reports } from "../api/types.ts";

type AllSites = Reports["overview"];

/** Pages of a thousand sites: as many as `max_sites` allows by default. */
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
