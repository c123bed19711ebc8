/** The page of all sites: one card per site, with search, order and pins. Metrics are fetched in pages, and polled like realtime. */
import { useEffect, useRef, useState } from "preact/hooks";
import { OVERVIEW_SITES_MAX } from "../../src/shared/limits.ts";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { SHORT_PERIODS, type Period } from "../../src/shared/periods.ts";
import { urlOf } from "../api/http.ts";
import { allPages, fetchReport, type Load } from "../api/reports.ts";
import type { Reports } from "../api/types.ts";
import { formatCount } from "../format/locale.ts";
import { PERIOD_LABELS } from "../format/periods.ts";
import { LinkButton, Logo } from "../kit/inline.tsx";
import { useFocusOnArrival } from "../kit/kept-focus.ts";
import { Menu, type MenuItem } from "../kit/menu.tsx";
import { cardFor, hasModifier } from "../kit/pointing.ts";
import { Failure, Loading } from "../kit/states.tsx";
import { useShortcuts } from "../page/keyboard.ts";
import { OpenPanel } from "../page/page-layout.tsx";
import { accountItems, Bar } from "../page/top-bar.tsx";
import { OpenInstanceNotice } from "../setup/notices.tsx";
import { choosePeriod, period } from "../state/period.ts";
import { inKeyOrder, keyOf, siteOfKey } from "../state/pinned-sites.ts";
import { usePolling, useRequest, type Report } from "../state/requests.ts";
import { openPanel } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { chooseOrder, chosenOrder, openCard, ORDERS, searchFor, searchText, shownSites, SiteCard, type Order } from "./site-card.tsx";

type AllSites = Reports["overview"];

const PAUSE_MS = 10_000;

const fetchAllSites: Load<AllSites> = (url, signal) =>
  allPages((after) => fetchReport<AllSites>(after === null ? url : `${url}&${new URLSearchParams({ after }).toString()}`, signal));

interface Latest {
  readonly url: string;
  /** The report at that time: a newer one takes precedence. */
  readonly report: AllSites | undefined;
  readonly data: AllSites;
}

/** The first response, then the latest. */
function useAllSites(of: Period): { readonly report: Report<AllSites>; readonly data: AllSites | undefined } {
  const url = urlOf("/api/stats/overview", { period: of, limit: OVERVIEW_SITES_MAX });
  const report = useRequest(url, fetchAllSites);
  const [latest, setLatest] = useState<Latest | null>(null);
  const data = latest?.url === url && latest.report === report.data ? latest.data : report.data;
  // Several pages are asked for less often.
  const pauseMs = useRef(PAUSE_MS);
  pauseMs.current = PAUSE_MS * Math.max(1, Math.ceil((data?.sites.length ?? 0) / OVERVIEW_SITES_MAX));
  usePolling(
    url,
    { firstMs: PAUSE_MS, pauseMs: () => pauseMs.current },
    (fresh, requested) => setLatest({ url: requested, report: report.data, data: fresh }),
    fetchAllSites,
  );
  return { report, data };
}

/** More would make the page slow. */
const CARDS_MAX = 1000;

const ORDER_LABELS: Readonly<Record<Order, string>> = {
  visitors: words.sites.mostVisitors,
  name: words.sites.name,
  change: words.sites.largestIncrease,
};

/** Custom ranges and all time exist only for a single site. */
const shownPeriod = () => SHORT_PERIODS.find((each) => each === period.value) ?? "30d";

/** A menu of choices, named after the chosen one. */
const choiceMenu = <Id extends string>(
  nameOf: (choice: string) => string,
  ids: readonly Id[],
  chosen: Id,
  labelOf: (id: Id) => string,
  choose: (id: Id) => void,
) => (
  <Menu
    key={nameOf("")}
    label={nameOf(labelOf(chosen))}
    button={labelOf(chosen)}
    hasCaret
    items={ids.map((id) => ({ label: labelOf(id), isChosen: id === chosen, onChoose: () => choose(id) }))}
  />
);

const sitesItems = (): readonly (MenuItem | null)[] => [
  { label: words.sites.addSite, onChoose: () => openPanel("add-site") },
  { label: words.sites.apiKeys, onChoose: () => openPanel("keys") },
  null,
  ...accountItems(),
];

function actionOf(key: string, ordered: readonly string[], focusSearch: () => void): (() => void) | undefined {
  if (key === "/") return focusSearch;
  if (key === "?") return () => openPanel("help");
  const siteId = siteOfKey(key, ordered);
  return siteId === undefined ? undefined : () => openCard(siteId);
}

/** Moves between the cards of the list. Tab still reaches each of them. */
function onCardKey(event: KeyboardEvent): void {
  if (hasModifier(event) || event.shiftKey) return;
  const cards = [...(event.currentTarget as HTMLElement).children] as HTMLElement[];
  const index = cards.findIndex((card) => card.contains(event.target as Node));
  const columns = cards.filter(({ offsetTop }) => offsetTop === cards[0]?.offsetTop).length;
  const next = cardFor(event.key, index, cards.length, columns);
  if (next === null) return;
  event.preventDefault();
  cards[next]?.querySelector("a")?.focus();
}

/** `sites` are all of them, whether they are shown or not. */
export function SitesPage({ sites }: { readonly sites: readonly string[] }) {
  const { report, data } = useAllSites(shownPeriod());
  const field = useRef<HTMLInputElement>(null);
  const content = useRef<HTMLElement>(null);
  const matches = shownSites(data?.sites ?? [], chosenOrder(), searchText());
  const rows = matches.slice(0, CARDS_MAX);
  const all = searchText() === "" ? (data?.total ?? 0) : matches.length;
  useFocusOnArrival(content);
  const ordered = inKeyOrder(sites);
  useShortcuts((key) => actionOf(key, ordered, () => field.current?.focus()), [ordered]);
  useEffect(() => {
    document.title = fill(words.sites.documentTitle, { product: PRODUCT_NAME });
  }, []);
  return (
    <>
      <a class="skip" href="#content">
        {words.page.skip}
      </a>
      <Bar
        tools={[
          choiceMenu(
            (order) => fill(words.sites.sortMenu, { order }),
            ORDERS,
            chosenOrder(),
            (id) => ORDER_LABELS[id],
            chooseOrder,
          ),
          choiceMenu(
            (name) => fill(words.page.periodMenu, { period: name }),
            SHORT_PERIODS,
            shownPeriod(),
            (id) => PERIOD_LABELS[id].label,
            choosePeriod,
          ),
        ]}
        items={sitesItems()}
      >
        <Logo />
        <strong class="sites-title">{words.sites.title}</strong>
      </Bar>
      <main id="content" ref={content} class="content" tabIndex={-1}>
        <h1 class="unseen">{fill(words.sites.titleOf, { period: PERIOD_LABELS[shownPeriod()].label })}</h1>
        <OpenInstanceNotice />
        <input
          ref={field}
          class="sites-search"
          type="search"
          placeholder={words.sites.search}
          aria-label={words.sites.search}
          value={searchText()}
          onInput={(event) => searchFor(event.currentTarget.value)}
        />
        {data === undefined && (report.error ? <Failure report={report} /> : <Loading rows={6} />)}
        {data && (
          <div role="status">
            {rows.length === 0 && <p class="empty">{words.sites.noMatches}</p>}
            {rows.length > 0 && rows.length < all && (
              <p class="sites-rest">{fill(words.sites.rest, { shown: formatCount(rows.length), all: formatCount(all) })}</p>
            )}
          </div>
        )}
        <ul class={report.isStale ? "sites stale" : "sites"} aria-busy={report.isStale} onKeyDown={onCardKey}>
          {rows.map((row) => (
            <SiteCard key={row.site_id} row={row} shortcut={keyOf(row.site_id, ordered)} />
          ))}
        </ul>
        <footer class="page-foot">
          <span>{words.sites.zones}</span>
          <LinkButton onClick={() => openPanel("help")}>{words.sites.shortcuts}</LinkButton>
        </footer>
      </main>
      <OpenPanel />
    </>
  );
}
