/** The sticky bar: the way to all sites, site switcher, current visitors, filter, period, comparison and the menu. */
import { Logo } from "../kit/logo.tsx";
import { Menu } from "../kit/menu.tsx";
import { OutageBanner } from "../kit/states.tsx";
import { CurrentVisitors } from "./current-visitors.tsx";
import { hasSitesPage } from "../state/own-sites.ts";
import { hrefAnew } from "../state/url.ts";
import { allSitesView, isRealtime, isSettings, openAllSites, openPanel, openSettings } from "../state/view.ts";
import { accountItems } from "./account-items.ts";
import { ComparisonPicker } from "./comparison-picker.tsx";
import { FilterButton } from "../filters/filter-pills.tsx";
import { PeriodPicker } from "./period-picker.tsx";
import { SiteSwitcher } from "./site-switcher.tsx";

const MoreMenu = () => (
  <Menu
    label="Menu"
    buttonClass="bar-button icon"
    button={<span class="dots" aria-hidden="true" />}
    items={[
      { label: "Site settings", onChoose: () => openSettings() },
      { label: "Export…", onChoose: () => openPanel("export") },
      { label: "Tracking code…", onChoose: () => openPanel("snippet") },
      { label: "Check the installation…", onChoose: () => openPanel("installation") },
      { label: "API keys…", onChoose: () => openPanel("keys") },
      { label: "Delete data…", onChoose: () => openPanel("erase") },
      null,
      ...accountItems(),
    ]}
  />
);

const AllSitesLink = () => (
  <a
    class="home"
    href={hrefAnew(allSitesView())}
    aria-label="All sites"
    title="All sites"
    onClick={(event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      openAllSites();
    }}
  >
    <Logo />
  </a>
);

export const TopBar = ({ sites }: { readonly sites: readonly string[] }) => (
  <header class="bar">
    <div class="bar-inner">
      <div class="bar-side">
        {hasSitesPage(sites) ? <AllSitesLink /> : <Logo />}
        <SiteSwitcher sites={sites} />
        <CurrentVisitors />
      </div>
      <div class="bar-side end">
        {!isSettings() && <FilterButton />}
        {!isSettings() && <PeriodPicker />}
        {!isRealtime() && !isSettings() && <ComparisonPicker />}
        <MoreMenu />
      </div>
    </div>
    <OutageBanner />
  </header>
);
