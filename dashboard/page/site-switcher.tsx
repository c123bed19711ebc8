/** The site switcher: a menu of all sites, each with a letter icon. The keys 1 to 9 choose the first nine. */
import { Menu } from "../kit/menu.tsx";
import { hasSitesPage } from "../state/own-sites.ts";
import { nameOf, siteName } from "../state/known-sites.ts";
import { navigate } from "../state/url.ts";
import { openAllSites, openPanel, site } from "../state/view.ts";
import { SiteIcon } from "../kit/site-icon.tsx";

/** From this many sites on, the menu has a search field. */
const SEARCH_FROM = 9;
const KEYS_MAX = 9;

/** Filters, steps and the like belong to one site. */
function chooseSite(id: string): void {
  if (id !== site.value) navigate({ site: id, filters: null, steps: null, page: null, key: null, event: null });
}

/** What the key does, if it is the number of a site. */
export function actionOfSiteKey(key: string, sites: readonly string[]): (() => void) | undefined {
  const id = /^[1-9]$/.test(key) ? sites[Number(key) - 1] : undefined;
  return id === undefined ? undefined : () => chooseSite(id);
}

/** With its id, so that a search finds either. */
const menuLabelOf = (id: string): string => (nameOf(id) === id ? id : `${nameOf(id)} (${id})`);

export const SiteSwitcher = ({ sites }: { readonly sites: readonly string[] }) => (
  <Menu
    label={`Site: ${siteName.value || "none"}`}
    buttonClass="bar-button site-button"
    search={sites.length < SEARCH_FROM ? undefined : "Search sites"}
    button={
      <>
        {site.value !== null && <SiteIcon siteId={site.value} />}
        <strong title={site.value ?? ""}>{siteName.value}</strong> <span class="caret" aria-hidden="true" />
      </>
    }
    items={[
      ...sites.map((id, i) => ({
        label: menuLabelOf(id),
        icon: <SiteIcon siteId={id} />,
        ...(sites.length > 1 && i < KEYS_MAX && { hint: String(i + 1) }),
        isChosen: id === site.value,
        onChoose: () => chooseSite(id),
      })),
      null,
      ...(hasSitesPage(sites) ? [{ label: "All sites", onChoose: openAllSites }] : []),
      { label: "Add a site…", onChoose: () => openPanel("add-site") },
    ]}
  />
);
