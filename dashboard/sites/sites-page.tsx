/** The page of all sites: a card each, which can be searched, sorted and pinned. One request shows and refreshes all. */
import { useEffect, useRef, useState } from "preact/hooks";
import { urlOf } from "../api/http.ts";
import type { Reports } from "../api/types.ts";
import { Logo } from "../components/logo.tsx";
import { Menu } from "../components/menu.tsx";
import { Failure, Loading, OutageBanner } from "../components/states.tsx";
import { OpenInstanceNotice } from "../login/open-instance-notice.tsx";
import { PRODUCT_NAME } from "../names.ts";
import { OpenPanel } from "../open-panel.tsx";
import { accountItems } from "../shell/account-items.ts";
import { choosePeriod, PERIOD_LABELS } from "../shell/period-picker.tsx";
import { period } from "../state/period.ts";
import { PERIODS } from "../state/range.ts";
import { param } from "../state/url.ts";
import { usePolling, type Rhythm } from "../state/use-polling.ts";
import { useRequest } from "../state/use-report.ts";
import { openPanel } from "../state/view.ts";
import { SiteCard } from "./site-card.tsx";
import { ORDERS, shownSites, type Order } from "./site-order.ts";
import { useSitesKeys } from "./sites-keys.ts";

type AllSites = Reports["overview"];

/** As realtime is, from the first response on. */
const RHYTHM: Rhythm = { firstMs: 10_000, pauseMs: () => 10_000 };

const SITES_MAX = "1000";
const KEYS_MAX = 9;

const ORDER_LABELS: Readonly<Record<Order, string>> = { visitors: "Most visitors", name: "Name", change: "Largest increase" };

/** A custom range is of one site's view. */
const shownPeriod = () => (period.value === "custom" ? "30d" : period.value);

/** The first response, and then the latest. */
function useAllSites() {
  const url = urlOf("/api/stats/overview", { period: shownPeriod(), limit: SITES_MAX });
  const report = useRequest<AllSites>(url);
  const [latest, setLatest] = useState<{ readonly url: string; readonly data: AllSites } | null>(null);
  usePolling<AllSites>(url, RHYTHM, (data, requested) => setLatest({ url: requested, data }));
  return { report, data: latest?.url === url ? latest.data : report.data };
}

const PeriodMenu = () => (
  <Menu
    label={`Period: ${PERIOD_LABELS[shownPeriod()].label}`}
    button={
      <>
        {PERIOD_LABELS[shownPeriod()].label} <span class="caret" aria-hidden="true" />
      </>
    }
    items={PERIODS.map((each) => ({
      label: PERIOD_LABELS[each].label,
      isChosen: each === shownPeriod(),
      onChoose: () => choosePeriod(each),
    }))}
  />
);

const OrderMenu = ({ order, onChoose }: { readonly order: Order; readonly onChoose: (order: Order) => void }) => (
  <Menu
    label={`Sort: ${ORDER_LABELS[order]}`}
    button={
      <>
        {ORDER_LABELS[order]} <span class="caret" aria-hidden="true" />
      </>
    }
    items={ORDERS.map((each) => ({ label: ORDER_LABELS[each], isChosen: each === order, onChoose: () => onChoose(each) }))}
  />
);

export function SitesPage() {
  const { report, data } = useAllSites();
  const [order, setOrder] = useState<Order>("visitors");
  const [search, setSearch] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const rows = shownSites(data?.sites ?? [], order, search);
  useSitesKeys(rows, () => field.current?.focus());
  useEffect(() => {
    document.title = `All sites · ${PRODUCT_NAME}`;
  }, []);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="bar">
        <div class="bar-inner">
          <div class="bar-side">
            <Logo />
            <strong class="sites-title">All sites</strong>
          </div>
          <div class="bar-side end">
            <OrderMenu order={order} onChoose={setOrder} />
            <PeriodMenu />
            <Menu
              label="Menu"
              buttonClass="bar-button icon"
              button={<span class="dots" aria-hidden="true" />}
              items={[
                { label: "Add a site…", onChoose: () => openPanel("add-site") },
                { label: "API keys…", onChoose: () => openPanel("keys") },
                null,
                ...accountItems(),
              ]}
            />
          </div>
        </div>
        <OutageBanner />
      </header>
      <main id="content" class="content" tabIndex={-1}>
        <h1 class="unseen">All sites, {PERIOD_LABELS[shownPeriod()].label}</h1>
        <OpenInstanceNotice />
        <input
          ref={field}
          class="sites-search"
          type="search"
          placeholder="Search sites"
          aria-label="Search sites"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        {data === undefined && (report.error ? <Failure report={report} /> : <Loading rows={6} />)}
        {data !== undefined && rows.length === 0 && <p class="empty">No matches</p>}
        <ul class={report.isStale ? "sites stale" : "sites"} aria-busy={report.isStale}>
          {rows.map((row, i) => (
            <SiteCard key={row.site_id} row={row} shortcut={i < KEYS_MAX ? i + 1 : null} period={param("period")} />
          ))}
        </ul>
        <footer class="page-foot">
          <span>Each site's days follow its own time zone.</span>
          <button type="button" class="link" onClick={() => openPanel("help")}>
            Shortcuts
          </button>
        </footer>
      </main>
      <OpenPanel />
    </>
  );
}
