/** Selection and order of sites: search, sort and pins, which the browser remembers. */
import { signal } from "@preact/signals";
import { store, stored } from "../api/stored.ts";
import type { Reports } from "../api/types.ts";
import { navigate, param } from "../state/url.ts";

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

/** Contains the id, because several sites may have the same name. */
export const labelOf = (row: SiteRow): string => (hasOtherName(row) ? `${nameOf(row)} (${row.site_id})` : row.site_id);

/** Sites without a compared window come last. */
const changeOf = ({ visitors, previous_visitors: previous }: SiteRow): number =>
  visitors === null || !previous ? Number.NEGATIVE_INFINITY : visitors / previous;

const byName = (a: SiteRow, b: SiteRow): number => nameOf(a).localeCompare(nameOf(b));

const COMPARE: Readonly<Record<Order, (a: SiteRow, b: SiteRow) => number>> = {
  visitors: (a, b) => (b.visitors ?? -1) - (a.visitors ?? -1),
  name: byName,
  // Equal infinities have no difference.
  change: (a, b) => Number(changeOf(a) < changeOf(b)) - Number(changeOf(a) > changeOf(b)),
};

export function shownSites(sites: readonly SiteRow[], order: Order, search: string): readonly SiteRow[] {
  const text = search.trim().toLowerCase();
  return sites
    .filter((row) => `${nameOf(row)} ${row.site_id}`.toLowerCase().includes(text))
    .sort((a, b) => Number(isPinned(b.site_id)) - Number(isPinned(a.site_id)) || COMPARE[order](a, b) || byName(a, b));
}

const [ORDER_DEFAULT] = ORDERS;

export const chosenOrder = (): Order => ORDERS.find((order) => order === param("sort")) ?? ORDER_DEFAULT;
export const chooseOrder = (order: Order): void => navigate({ sort: order === ORDER_DEFAULT ? null : order });

export const searchText = (): string => param("q") ?? "";
export const searchFor = (text: string): void => navigate({ q: text }, true);
