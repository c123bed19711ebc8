/** A site's view: stats, chart and cards, the realtime view, or the wait for its first event. */
import type { Installation } from "../api/types.ts";
import { Cards } from "../cards/breakdown-cards.tsx";
import { MainChart } from "../charts/main-chart.tsx";
import { TopStats } from "../charts/top-stats.tsx";
import { Behavior } from "../explore/behavior.tsx";
import { lazy } from "../kit/lazy.tsx";
import { ReportView } from "../kit/states.tsx";
import { arrival } from "../setup/arrival.tsx";
import { EmptyPeriod, NoData, SiteWithoutEvents } from "../setup/no-data.tsx";
import { isRangeKnown, period, useFirstDay } from "../state/period.ts";
import type { Report } from "../state/requests.ts";
import { isGuest } from "../state/share.ts";
import { useStatistics } from "../state/statistics.ts";
import { canClear } from "../state/view-filters.ts";
import { isRealtime, site } from "../state/view.ts";
import { RangeNotice } from "./period-picker.tsx";

const RealtimeView = lazy(async () => (await import("../realtime/realtime-view.tsx")).RealtimeView);

/** Undefined for guests, who may not read it. */
type InstallationReport = Report<Installation> | undefined;

interface StatsProps {
  readonly siteId: string;
  readonly installation: InstallationReport;
}

function Stats({ siteId, installation }: StatsProps) {
  const statistics = useStatistics(installation);
  const { data, isStale } = statistics.main;
  return (
    <>
      <RangeNotice />
      {data?.total_events === 0 &&
        !isStale &&
        !canClear.value &&
        (isGuest ? (
          <NoData />
        ) : (
          <EmptyPeriod siteId={siteId} installation={installation?.isStale === false ? installation.data : undefined} />
        ))}
      <section class="panel" aria-label="Overview">
        <TopStats {...statistics} />
        <MainChart {...statistics} />
      </section>
      <Cards />
      <Behavior />
    </>
  );
}

/** Waits for the first date of all time, which decides the intervals. */
function DatedStats(props: StatsProps) {
  const firstDay = useFirstDay(period.value === "all");
  if (isRangeKnown.value) return <Stats {...props} />;
  return (
    <section class="panel" aria-label="Overview">
      <ReportView report={firstDay}>{() => null}</ReportView>
    </section>
  );
}

/** Sites without events have no reports to request. */
export function SiteView({ sites, installation }: { readonly sites: readonly string[]; readonly installation?: Report<Installation> }) {
  const siteId = site.value ?? "";
  if (isRealtime()) return <RealtimeView />;
  if (isGuest || sites.includes(siteId) || arrival.value?.siteId === siteId)
    return <DatedStats siteId={siteId} installation={installation} />;
  return <SiteWithoutEvents key={siteId} siteId={siteId} />;
}
