/** Sites other than the demo site. With more than one of them, a URL without a site shows the page of all sites. */
import { DEMO_SITE } from "../names.ts";

export const ownSites = (sites: readonly string[]): readonly string[] => sites.filter((id) => id !== DEMO_SITE);

export const hasSitesPage = (sites: readonly string[]): boolean => ownSites(sites).length > 1;
