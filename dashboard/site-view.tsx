/** The view of a site: its stats, chart and cards, the realtime view, or the wait for its first event. */
import { useEffect, useRef } from "preact/hooks";
import { Behavior } from "./behavior/behavior.tsx";
import { Cards } from "./cards/breakdown-cards.tsx";
import { firstEventDate } from "./charts/metric-totals.ts";
import { MainChart } from "./charts/main-chart.tsx";
import type { MainReport } from "./charts/metrics.ts";
import { TopStats } from "./charts/top-stats.tsx";
import { lazy } from "./components/lazy.tsx";
import { ReportView } from "./components/states.tsx";
import { arrival } from "./first-event/arrival.ts";
import { EmptyPeriod, NoData, SiteWithoutEvents } from "./first-event/no-data.tsx";
import { RangeNotice } from "./shell/period-picker.tsx";
import { countsConversions } from "./state/filter-kind.ts";
import { useFirstDay } from "./state/first-day.ts";
import { useInstallation } from "./state/installation.ts";
import { comparedRange, isRangeKnown, period } from "./state/period.ts";
import { isViewer } from "./state/share.ts";
import { comparisonParameters, everybodyScope, scope } from "./state/scope.ts";
import { noteSegmentProblem } from "./state/segments.ts";
import { useReport, type Report } from "./state/use-report.ts";
import { canClear, filterKind, hasConversionRates, isRealtime, site } from "./state/view.ts";

const RealtimeView = lazy(async () => (await import("./realtime/realtime-view.tsx")).RealtimeView);

/** Loads the date of the first event, which viewers are not told: against a window that begins before it, no change is shown. */
function useFirstEventDate(siteId: string): void {
  const installation = useInstallation(comparedRange.value !== null && !isViewer ? siteId : null);
  const isAnswered = isViewer || installation !== undefined;
  useEffect(() => {
    firstEventDate.value = isAnswered ? (installation?.first_event_date ?? null) : undefined;
  }, [isAnswered, installation]);
}

interface RatedReports {
  readonly main: Report<MainReport>;
  /** The same report without the filters on events; no data unless a conversion rate is shown. */
  readonly everybody: Report<MainReport>;
}

/** A rate is of two reports of one view. Those that were shown stay until both others are there; before the first, there are none. */
function useRated({ main, everybody }: RatedReports, hasRate: boolean): RatedReports {
  const shown = useRef<{ readonly main: MainReport; readonly everybody: MainReport } | null>(null);
  if (!hasRate) shown.current = null;
  else if (main.data && everybody.data && !main.isStale && !everybody.isStale)
    shown.current = { main: main.data, everybody: everybody.data };
  if (!hasRate) return { main, everybody: { ...everybody, data: undefined } };
  return { main: { ...main, data: shown.current?.main }, everybody: { ...everybody, data: shown.current?.everybody } };
}

function Statistics({ siteId }: { readonly siteId: string }) {
  const compared = comparisonParameters.value;
  const report = useReport("main", { ...scope.value, ...compared });
  useFirstEventDate(siteId);
  useEffect(() => noteSegmentProblem(report.error), [report.error]);
  const hasRate = countsConversions(filterKind.value) && hasConversionRates.value;
  const everybody = useReport("main", hasRate ? { ...everybodyScope.value, ...compared } : null);
  const rated = useRated({ main: report, everybody }, hasRate);
  return (
    <>
      <RangeNotice />
      {report.data?.total_events === 0 && !report.isStale && !canClear.value && (isViewer ? <NoData /> : <EmptyPeriod siteId={siteId} />)}
      <section class="panel" aria-label="Overview">
        <TopStats report={rated.main} everybody={rated.everybody} />
        <MainChart {...rated} />
      </section>
      <Cards />
      <Behavior />
    </>
  );
}

/** The statistics, once their dates are known: the first one of all time decides which intervals there are. */
function DatedStatistics({ siteId }: { readonly siteId: string }) {
  const firstDay = useFirstDay(period.value === "all");
  if (isRangeKnown.value) return <Statistics siteId={siteId} />;
  return (
    <section class="panel" aria-label="Overview">
      <ReportView report={firstDay}>{() => null}</ReportView>
    </section>
  );
}

/** A site that is not among those with events has no reports to ask for. */
export function SiteView({ sites }: { readonly sites: readonly string[] }) {
  const siteId = site.value ?? "";
  if (isRealtime()) return <RealtimeView />;
  if (isViewer || sites.includes(siteId) || arrival.value?.siteId === siteId) return <DatedStatistics siteId={siteId} />;
  return <SiteWithoutEvents key={siteId} siteId={siteId} />;
}
