/** Which sites the page of all sites shows, and in which order. Pinned sites, which the browser remembers, come first. */
import { signal } from "@preact/signals";
import type { Reports } from "../api/types.ts";
import { store, stored } from "../api/stored.ts";

export type SiteRow = Reports["overview"]["sites"][number];

export const ORDERS = ["visitors", "name", "change"] as const;
export type Order = (typeof ORDERS)[number];

const STORAGE_KEY = "sandpiper.pinned";

function storedPins(): readonly string[] {
  try {
    const pinned: unknown = JSON.parse(stored("local", STORAGE_KEY) ?? "[]");
    return Array.isArray(pinned) ? pinned.map(String) : [];
  } catch {
    return [];
  }
}

const pinned = signal(storedPins());

export const isPinned = (siteId: string): boolean => pinned.value.includes(siteId);

export function togglePin(siteId: string): void {
  pinned.value = isPinned(siteId) ? pinned.value.filter((other) => other !== siteId) : [...pinned.value, siteId];
  store("local", STORAGE_KEY, JSON.stringify(pinned.value));
}

export const nameOf = ({ name, site_id: siteId }: SiteRow): string => name ?? siteId;

export const hasOtherName = (row: SiteRow): boolean => nameOf(row) !== row.site_id;

/** With the id, because several sites may have the same name. */
export const labelOf = (row: SiteRow): string => (hasOtherName(row) ? `${nameOf(row)} (${row.site_id})` : row.site_id);

/** Without a window to compare with, a site comes after those with one. */
const changeOf = ({ visitors, previous_visitors: previous }: SiteRow): number =>
  visitors === null || !previous ? Number.NEGATIVE_INFINITY : visitors / previous;

const byName = (a: SiteRow, b: SiteRow): number => nameOf(a).localeCompare(nameOf(b));

const COMPARE: Readonly<Record<Order, (a: SiteRow, b: SiteRow) => number>> = {
  visitors: (a, b) => (b.visitors ?? -1) - (a.visitors ?? -1),
  name: byName,
  // Equal infinities have no difference.
  change: (a, b) => Number(changeOf(a) < changeOf(b)) - Number(changeOf(a) > changeOf(b)),
};

/** The sites whose name or id has the text, in this order. */
export function shownSites(sites: readonly SiteRow[], order: Order, search: string): readonly SiteRow[] {
  const text = search.trim().toLowerCase();
  return sites
    .filter((row) => `${nameOf(row)} ${row.site_id}`.toLowerCase().includes(text))
    .sort((a, b) => Number(isPinned(b.site_id)) - Number(isPinned(a.site_id)) || COMPARE[order](a, b) || byName(a, b));
}
