/** The dashboard of a site: stats, chart and cards, or the realtime view; and the open dialog. */
import { useEffect, useRef } from "preact/hooks";
import { urlOf } from "./api/http.ts";
import type { Installation } from "./api/types.ts";
import { Behavior } from "./behavior/behavior.tsx";
import { Cards } from "./cards/breakdown-cards.tsx";
import { firstEventDate } from "./charts/metric-totals.ts";
import { MainChart } from "./charts/main-chart.tsx";
import { TopStats } from "./charts/top-stats.tsx";
import { Dialog } from "./components/dialog.tsx";
import { keepFocus } from "./components/kept-focus.ts";
import { lazy, NotLoaded } from "./components/lazy.tsx";
import { arrival } from "./first-event/arrival.ts";
import { AwaitedSite } from "./first-event/awaited-site.tsx";
import { FirstVisitor } from "./first-event/first-visitor.tsx";
import { EmptyPeriod, SiteWithoutEvents } from "./first-event/no-data.tsx";
import { DemoNotice } from "./login/demo-site.tsx";
import { formatRange } from "./format/locale.ts";
import { FilterPills } from "./shell/filters.tsx";
import { useKeyboard } from "./shell/keyboard.ts";
import { RangeNotice } from "./shell/period-picker.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { authState } from "./state/connection.ts";
import { useReport, useRequest } from "./state/use-report.ts";
import { comparedRange, range } from "./state/period.ts";
import { comparisonParameters, everybodyScope, scope } from "./state/scope.ts";
import { closePanel, filterKind, isFiltered, isRealtime, openPanel, panel, site } from "./state/view.ts";

const FailedPanel = () => (
  <Dialog title="Something went wrong" onClose={closePanel}>
    <NotLoaded />
  </Dialog>
);

const OpenPanel = lazy(async () => (await import("./panels.tsx")).OpenPanel, FailedPanel);

const RealtimeView = lazy(async () => (await import("./realtime/realtime-view.tsx")).RealtimeView);

const OpenInstanceNotice = () =>
  authState.value === "open" ? (
    <p class="notice open-notice">
      No password is set: anyone with this URL can see your stats.{" "}
      <button type="button" class="link" onClick={() => openPanel("password")}>
        Set a password
      </button>
    </p>
  ) : null;

/** Changes against a window before it say nothing. */
function useFirstEventDate(siteId: string): void {
  const isCompared = comparedRange.value !== null;
  const { data, isStale } = useRequest<Installation>(isCompared ? urlOf("/api/installation", { site_id: siteId }) : null);
  useEffect(() => {
    firstEventDate.value = isStale ? null : (data?.first_event_date ?? null);
  }, [data, isStale]);
}

function Statistics({ siteId }: { readonly siteId: string }) {
  const compared = comparisonParameters.value;
  const report = useReport("main", { ...scope.value, ...compared });
  useFirstEventDate(siteId);
  const everybody = useReport("main", filterKind.value === "goal" ? { ...everybodyScope.value, ...compared } : null);
  return (
    <>
      <RangeNotice />
      {report.data?.total_events === 0 && !report.isStale && !isFiltered.value && <EmptyPeriod siteId={siteId} />}
      <section class="panel" aria-label="Overview">
        <TopStats report={report} everybody={everybody} />
        <MainChart main={report} everybody={everybody} />
      </section>
      <Cards />
      <Behavior />
    </>
  );
}

/** A site that is not among those with events has no reports to ask for. */
function SiteView({ sites }: { readonly sites: readonly string[] }) {
  const siteId = site.value ?? "";
  if (isRealtime()) return <RealtimeView />;
  if (sites.includes(siteId) || arrival.value?.siteId === siteId) return <Statistics siteId={siteId} />;
  return <SiteWithoutEvents key={siteId} siteId={siteId} />;
}

export function Overview({ sites }: { readonly sites: readonly string[] }) {
  const content = useRef<HTMLElement>(null);
  useKeyboard(sites);
  useEffect(() => (content.current ? keepFocus(content.current) : undefined), []);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <TopBar sites={sites} />
      <main id="content" ref={content} class="content" tabIndex={-1}>
        <h1 class="unseen">
          Stats of {site.value}, {formatRange(range.value.start, range.value.end)}
        </h1>
        <OpenInstanceNotice />
        <FirstVisitor />
        <AwaitedSite />
        <DemoNotice sites={sites} />
        <FilterPills />
        <SiteView sites={sites} />
        <footer class="page-foot">
          <span>All times are in UTC.</span>
          <button type="button" class="link" onClick={() => openPanel("help")}>
            Shortcuts and definitions
          </button>
        </footer>
      </main>
      {panel.value !== null && <OpenPanel />}
    </>
  );
}
