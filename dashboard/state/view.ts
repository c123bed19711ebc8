/** Which part of the page is shown: a site, its realtime view or its settings, and the open dialog. */
import { computed } from "@preact/signals";
import { shared, sharedAtMs } from "./share.ts";
import { dateSince } from "./time-zone.ts";
import { navigate, navigateAnew, param, type Changes } from "./url.ts";

export const site = computed(() => shared.value?.site_id ?? param("site"));

/** Opens another site with nothing of the view before, except for `changes`. Null opens the site that a URL without one does. */
export const openSite = (id: string | null, changes: Changes = {}, replace = false): void =>
  navigateAnew({ site: id, ...changes }, replace);

/** What the page of all sites keeps of the view. */
export const allSitesView = (): Changes => ({ period: param("period") });
export const openAllSites = (): void => openSite(null, allSitesView());

/** A share link may be without it, or show only other days than today. */
export function hasRealtime(): boolean {
  if (shared.value === null) return true;
  const { realtime, start_date: start, end_date: end, time_zone: timeZone } = shared.value;
  const today = dateSince(shared.value.today, sharedAtMs.value, timeZone, Date.now());
  return realtime && (start === null || end === null || (start <= today && today <= end));
}

export const isRealtime = (): boolean => param("view") === "realtime" && hasRealtime();
export const toggleRealtime = (): void => navigate({ view: isRealtime() || !hasRealtime() ? null : "realtime" });

/** The settings of the site, which viewers have not. */
export const isSettings = (): boolean => param("view") === "settings" && shared.value === null;
export const openSettings = (section: string | null = null): void => navigate({ view: "settings", section });
export const closeSettings = (): void => navigate({ view: null });

/** The open dialog, e.g. `keys` or `filter:pages==/pricing`. */
export const panel = computed(() => param("panel"));
export const openPanel = (name: string): void => navigate({ panel: name });
export const closePanel = (): void => navigate({ panel: null });
