/** The view of a site: its stats, chart and cards, the realtime view, or the wait for its first event. */
import { useEffect, useRef } from "preact/hooks";
import type { Installation } from "../api/types.ts";
import { Behavior } from "../explore/behavior.tsx";
import { Cards } from "../cards/breakdown-cards.tsx";
import { firstEventDate } from "../charts/shown-metrics.ts";
import { MainChart } from "../charts/main-chart.tsx";
import type { MainReport } from "../charts/metrics.ts";
import { TopStats } from "../charts/top-stats.tsx";
import { lazy } from "../kit/lazy.tsx";
import { ReportView } from "../kit/states.tsx";
import { arrival } from "../setup/arrival.tsx";
import { EmptyPeriod, NoData, SiteWithoutEvents } from "../setup/no-data.tsx";
import { RangeNotice } from "./period-picker.tsx";
import { countsConversions } from "../state/filters.ts";
import { useFirstDay } from "../state/first-day.ts";
import { isRangeKnown, period } from "../state/period.ts";
import { isViewer } from "../state/share.ts";
import { comparisonParameters, everybodyScope, scope } from "../state/scope.ts";
import { noteSegmentProblem } from "../state/segments.ts";
import { isLoading, useReport, type Report } from "../state/requests.ts";
import { canClear, filterKind, hasConversionRates, isRealtime, site } from "../state/view.ts";

const RealtimeView = lazy(async () => (await import("../realtime/realtime-view.tsx")).RealtimeView);

/** What the service knows about a site; viewers are not told. */
type InstallationReport = Report<Installation> | undefined;

/** Against a window that begins before the first event, no change is shown. */
function useFirstEventDate(installation: InstallationReport): void {
  const date = installation?.data?.first_event_date ?? null;
  const isAnswered = !installation || (!installation.isStale && !isLoading(installation));
  useEffect(() => {
    firstEventDate.value = isAnswered ? date : undefined;
  }, [isAnswered, date]);
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

interface StatisticsProps {
  readonly siteId: string;
  readonly installation: InstallationReport;
}

function Statistics({ siteId, installation }: StatisticsProps) {
  const compared = comparisonParameters.value;
  const report = useReport("main", { ...scope.value, ...compared });
  useFirstEventDate(installation);
  useEffect(() => noteSegmentProblem(report.error), [report.error]);
  const hasRate = countsConversions(filterKind.value) && hasConversionRates.value;
  const everybody = useReport("main", hasRate ? { ...everybodyScope.value, ...compared } : null);
  const rated = useRated({ main: report, everybody }, hasRate);
  return (
    <>
      <RangeNotice />
      {report.data?.total_events === 0 &&
        !report.isStale &&
        !canClear.value &&
        (isViewer ? (
          <NoData />
        ) : (
          <EmptyPeriod siteId={siteId} installation={installation?.isStale === false ? installation.data : undefined} />
        ))}
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
function DatedStatistics(props: StatisticsProps) {
  const firstDay = useFirstDay(period.value === "all");
  if (isRangeKnown.value) return <Statistics {...props} />;
  return (
    <section class="panel" aria-label="Overview">
      <ReportView report={firstDay}>{() => null}</ReportView>
    </section>
  );
}

interface SiteViewProps {
  readonly sites: readonly string[];
  readonly installation?: Report<Installation>;
}

/** A site that is not among those with events has no reports to ask for. */
export function SiteView({ sites, installation }: SiteViewProps) {
  const siteId = site.value ?? "";
  if (isRealtime()) return <RealtimeView />;
  if (isViewer || sites.includes(siteId) || arrival.value?.siteId === siteId)
    return <DatedStatistics siteId={siteId} installation={installation} />;
  return <SiteWithoutEvents key={siteId} siteId={siteId} />;
}
