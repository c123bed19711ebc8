/** The shown part of the page: a site, its realtime view or settings, and the open dialog. */
import { computed } from "@preact/signals";
import { shared, sharedAtMs } from "./share.ts";
import { dateSince } from "./time-zone.ts";
import { hrefAfter, navigate, navigateAnew, param, type Changes, type ExploreReport } from "./url.ts";

export const site = computed(() => shared.value?.site_id ?? param("site"));

/** Drops the rest of the view. Null opens the site that a URL without one opens. */
export const openSite = (id: string | null, changes: Changes = {}, replace = false): void =>
  navigateAnew({ site: id, ...changes }, replace);

/** Parameters that the page of all sites keeps. */
export const allSitesView = (): Changes => ({ period: param("period") });
export const openAllSites = (): void => openSite(null, allSitesView());

/** Share links may exclude it, or show only other days than today. */
export function hasRealtime(): boolean {
  if (shared.value === null) return true;
  const { realtime, start_date: start, end_date: end, time_zone: timeZone } = shared.value;
  const today = dateSince(shared.value.today, sharedAtMs.value, timeZone, Date.now());
  return realtime && (start === null || end === null || (start <= today && today <= end));
}

export const isRealtime = (): boolean => param("view") === "realtime" && hasRealtime();
export const toggleRealtime = (): void => navigate({ view: isRealtime() || !hasRealtime() ? null : "realtime" });

/** Site settings; not available to guests. */
export const isSettings = (): boolean => param("view") === "settings" && shared.value === null;
export const openSettings = (section: string | null = null): void => navigate({ view: "settings", section });
export const ACCOUNT_SECTION = "account";
export const closeSettings = (): void => navigate({ view: null });

/** Funnels, flow and other reports that the reader asks for, on a page of their own. */
export const isExplore = (): boolean => param("view") === "explore";
const inExplore = (report: ExploreReport | null): Changes => ({ view: "explore", report });
export const openExplore = (report: ExploreReport | null = null): void => navigate(inExplore(report));
export const exploreHref = (report: ExploreReport | null = null): string => hrefAfter(inExplore(report));
/** The way back from Explore and from the page of bots. */
export const backToDashboard = (): void => navigate({ view: null });
export const dashboardHref = (): string => hrefAfter({ view: null });
export const toggleExplore = (): void => (isExplore() ? backToDashboard() : openExplore());

/** What is not counted; not available to guests. */
export const isBots = (): boolean => param("view") === "bots" && shared.value === null;
export const openBots = (): void => navigate({ view: "bots" });

/** `keys` or `filter:pages==/pricing` */
export const panel = computed(() => param("panel"));
export const openPanel = (name: string): void => navigate({ panel: name });
export const closePanel = (): void => navigate({ panel: null });

/** A section of a site's settings, or a dialog of the page of all sites. */
export const openAccount = (): void => (site.value === null ? openPanel("account") : openSettings(ACCOUNT_SECTION));
