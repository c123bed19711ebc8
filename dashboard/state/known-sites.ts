/** The sites that the reader may see, and their settings: names, time zones, week starts, hidden cards. */
import { computed, signal } from "@preact/signals";
import { DEMO_SITE } from "../../src/shared/names.ts";
import type { Card, WeekStart } from "../../src/shared/site-choices.ts";
import type { Sites } from "../api/types.ts";
import { useRequest, type Report } from "./requests.ts";
import { shared, sharedAtMs } from "./share.ts";
import { readable } from "./spelling.ts";
import { dateSince, localDate, UTC } from "./time-zone.ts";
import { EXPLORE_REPORTS, type ExploreReport } from "./url.ts";
import { site } from "./view.ts";

export const ownSites = (sites: readonly string[]): readonly string[] => sites.filter((id) => id !== DEMO_SITE);

/** A URL without a site then shows the page of all sites. */
export const hasSitesPage = (sites: readonly string[]): boolean => ownSites(sites).length > 1;

type SiteSettings = NonNullable<Sites["settings"]>[number];

/** Keyed by site id; null until loaded. */
export const knownSites = signal<ReadonlyMap<string, SiteSettings> | null>(null);

const knownAtMs = signal(Date.now());

export const setKnownSites = (settings: readonly SiteSettings[]): void => {
  knownAtMs.value = Date.now();
  knownSites.value = new Map(settings.map((each) => [each.site_id, each]));
};

/** Shared by all requests for the list, so that they share its response. */
const SITES_PATH = "/api/sites?include=settings";

export const useSites = (): Report<Sites> => useRequest<Sites>(SITES_PATH);

/** Guests see only the shared site. */
const current = computed(() => shared.value ?? knownSites.value?.get(site.value ?? ""));

/** The zone of the site's days and hours. */
export const timeZone = computed(() => current.value?.time_zone ?? UTC);

/** The site's date at a time since the last response; in UTC for a site without events and settings. */
export function dateAt(ms: number): string {
  if (!current.value) return localDate(UTC, ms);
  const { today, time_zone: zone } = current.value;
  return dateSince(today, shared.value ? sharedAtMs.value : knownAtMs.value, zone, ms);
}

export const weekStart = computed((): WeekStart => current.value?.week_start ?? "monday");

export const isCardShown = (card: Card): boolean => !current.value?.hidden_cards.some((hidden) => hidden === card);

/** Reports of Explore, which the settings can hide like cards. */
export const shownReports = (): readonly ExploreReport[] => EXPLORE_REPORTS.filter(isCardShown);

/** A site's id, which is mostly a host, as people read it. */
export const readableId = (siteId: string): string => readable(siteId, "host");

/** Guests get the id as the name of a site that has none. */
export function nameOf(siteId: string): string {
  const name = shared.value ? shared.value.site_name : knownSites.value?.get(siteId)?.name;
  return name === undefined || name === null || name === siteId ? readableId(siteId) : name;
}

export const siteName = computed(() => nameOf(site.value ?? ""));
