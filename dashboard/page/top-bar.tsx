/** The sticky bar: site switcher, current visitors, filter, period, comparison and menu. */
import type { ComponentChildren } from "preact";
import { FilterButton } from "../filters/filter-pills.tsx";
import { countOf, formatCount } from "../format/locale.ts";
import { Logo, SiteIcon } from "../kit/inline.tsx";
import { languageItems } from "../kit/language.ts";
import { Menu, type MenuItem } from "../kit/menu.tsx";
import { onPlainClick } from "../kit/pointing.ts";
import { printPage } from "../kit/printing.ts";
import { OutageBanner } from "../kit/states.tsx";
import { themeItems } from "../kit/theme.ts";
import { tip } from "../kit/tips.ts";
import { authState, endSession } from "../state/connection.ts";
import { hasSitesPage, nameOf, readableId, shownReports, siteName } from "../state/known-sites.ts";
import { inKeyOrder, keyOf, siteOfKey } from "../state/pinned-sites.ts";
import { currentVisitors, useRealtimePolling, windowMinutes } from "../state/realtime.ts";
import { hrefAnew, navigate } from "../state/url.ts";
import {
  allSitesView,
  isBots,
  isExplore,
  isRealtime,
  isSettings,
  openAccount,
  openAllSites,
  openBots,
  openExplore,
  openPanel,
  openSettings,
  site,
  toggleRealtime,
} from "../state/view.ts";
import { fill, pluralForm, words } from "../words/words.ts";
import { ComparisonPicker, PeriodPicker } from "./period-picker.tsx";

const ACCOUNT_ITEMS: readonly MenuItem[] = [
  { label: words.page.account, onChoose: openAccount },
  { label: words.page.changePassword, onChoose: () => openPanel("change-password") },
  { label: words.page.logOut, onChoose: () => void endSession() },
  { label: words.page.logOutEverywhere, onChoose: () => openPanel("logout-all") },
];

export const accountItems = (): (MenuItem | null)[] => [
  ...themeItems(),
  null,
  ...languageItems(),
  null,
  { label: words.page.help, hint: "?", onChoose: () => openPanel("help") },
  ...(authState.value === "logged_in" ? ACCOUNT_ITEMS : [{ label: words.page.setPassword, onChoose: () => openPanel("password") }]),
];

export function CurrentVisitors() {
  useRealtimePolling();
  const visitors = currentVisitors.value;
  return (
    <button
      type="button"
      class="bar-button current"
      aria-pressed={isRealtime()}
      {...tip(countOf(windowMinutes(), words.page.currentTitle))}
      onClick={toggleRealtime}
    >
      <i class={visitors === null ? "pulse unknown" : "pulse"} aria-hidden="true" />
      <span>
        <b>{visitors === null ? "–" : formatCount(visitors)}</b>
        <span class="current-label"> {pluralForm(words.page.currentVisitors, visitors ?? 0)}</span>
      </span>
    </button>
  );
}

/** Longer menus get a search field. */
const SEARCH_FROM = 9;

/** Filters, steps and the like belong to one site. */
function chooseSite(id: string): void {
  if (id !== site.value) navigate({ site: id, filters: null, steps: null, sequence: null, page: null, key: null, event: null });
}

/** Number keys open sites. */
export function actionOfSiteKey(key: string, sites: readonly string[]): (() => void) | undefined {
  const id = siteOfKey(key, inKeyOrder(sites));
  return id === undefined ? undefined : () => chooseSite(id);
}

/** Contains the id, so that a search finds either. */
const menuLabelOf = (id: string): string => (nameOf(id) === readableId(id) ? readableId(id) : `${nameOf(id)} (${readableId(id)})`);

function siteItem(id: string, ordered: readonly string[]): MenuItem {
  const key = ordered.length > 1 ? keyOf(id, ordered) : null;
  return {
    label: menuLabelOf(id),
    icon: <SiteIcon siteId={id} />,
    ...(key !== null && { hint: key }),
    isChosen: id === site.value,
    onChoose: () => chooseSite(id),
  };
}

const SiteSwitcher = ({ sites }: { readonly sites: readonly string[] }) => (
  <Menu
    label={fill(words.page.siteMenu, { site: siteName.value || words.page.noSite })}
    buttonClass="bar-button site-button"
    search={sites.length < SEARCH_FROM ? undefined : words.page.searchSites}
    button={
      <>
        {site.value !== null && <SiteIcon siteId={site.value} />}
        <strong title={site.value ?? ""}>{siteName.value}</strong>
      </>
    }
    hasCaret
    items={inKeyOrder(sites).map((id, _, ordered) => siteItem(id, ordered))}
    pinnedItems={[
      ...(hasSitesPage(sites) ? [{ label: words.page.allSites, onChoose: openAllSites }] : []),
      { label: words.page.addSite, onChoose: () => openPanel("add-site") },
    ]}
  />
);

interface BarProps {
  readonly children: ComponentChildren;
  readonly tools: ComponentChildren;
  /** Items of the menu at the end. */
  readonly items: readonly (MenuItem | null)[];
}

export const Bar = ({ children, tools, items }: BarProps) => (
  <header class="bar">
    <div class="bar-inner">
      <div class="bar-side">{children}</div>
      <div class="bar-side end">
        {tools}
        <Menu label={words.page.menu} buttonClass="bar-button icon" button={<span class="dots" aria-hidden="true" />} items={items} />
      </div>
    </div>
    <OutageBanner />
  </header>
);

/** None where the settings hide all reports of Explore. */
export const exploreItems = (): readonly MenuItem[] =>
  shownReports().length === 0 ? [] : [{ label: words.page.explore, hint: "E", onChoose: () => openExplore() }];

const siteItems = (): readonly (MenuItem | null)[] => [
  ...exploreItems(),
  { label: words.page.bots, onChoose: openBots },
  { label: words.page.siteSettings, onChoose: () => openSettings() },
  { label: words.page.export, onChoose: () => openPanel("export") },
  { label: words.page.print, onChoose: () => void printPage() },
  { label: words.page.trackingCode, onChoose: () => openPanel("snippet") },
  { label: words.page.checkInstallation, onChoose: () => openPanel("installation") },
  { label: words.page.apiKeys, onChoose: () => openPanel("keys") },
  { label: words.page.deleteEvents, onChoose: () => openPanel("erase") },
  null,
  ...accountItems(),
];

export const ViewTools = () => (
  <>
    {!isBots() && <FilterButton />}
    <PeriodPicker />
    {!isRealtime() && !isExplore() && !isBots() && <ComparisonPicker />}
  </>
);

export const TopBar = ({ sites }: { readonly sites: readonly string[] }) => (
  <Bar tools={!isSettings() && <ViewTools />} items={siteItems()}>
    {hasSitesPage(sites) ? (
      <a
        class="home"
        href={hrefAnew(allSitesView())}
        aria-label={words.page.allSites}
        title={words.page.allSites}
        onClick={onPlainClick(openAllSites)}
      >
        <Logo />
      </a>
    ) : (
      <Logo />
    )}
    <SiteSwitcher sites={sites} />
    <CurrentVisitors />
  </Bar>
);
