/** A site's view: stats, chart and cards, the realtime view, a notice for an empty period, or the wait for the first event. */
import { dayAfter } from "../../src/shared/periods.ts";
import type { Installation } from "../api/types.ts";
import { Cards } from "../cards/breakdown-cards.tsx";
import { ChangeSentence } from "../changes/change-sentence.tsx";
import { useChanges } from "../changes/changes.ts";
import { MainChart } from "../charts/main-chart.tsx";
import { TopStats } from "../charts/top-stats.tsx";
import { ExploreLinks } from "../explore/explore-links.tsx";
import { formatRange } from "../format/locale.ts";
import { LinkButton } from "../kit/inline.tsx";
import { lazyLater } from "../kit/lazy.tsx";
import { CoverageNote, Loading, ReportView } from "../kit/states.tsx";
import { arrival } from "../setup/arrival.ts";
import type { SiteWithoutEventsProps } from "../setup/waiting.tsx";
import { isRangeKnown, period, range, useFirstDay } from "../state/period.ts";
import type { Report } from "../state/requests.ts";
import { isGuest } from "../state/share.ts";
import { useStatistics } from "../state/statistics.ts";
import { navigate } from "../state/url.ts";
import { canClear } from "../state/view-filters.ts";
import { isBots, isExplore, isRealtime, site } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { RangeNotice } from "./period-picker.tsx";

/** Length of the offered period, which ends with the last event. */
const DAYS = 30;

/** Loads lazily: most views do not need its checks. */
const SiteWithoutEvents = lazyLater<SiteWithoutEventsProps>(async () => (await import("../setup/waiting.tsx")).SiteWithoutEvents);

interface StatsProps {
  readonly siteId: string;
  /** Undefined for guests, who may not read it. */
  readonly installation: Report<Installation> | undefined;
}

/** Leads to the last events, or waits for the first one. Guests only learn that there is no data. */
function EmptyPeriod({ siteId, installation }: StatsProps) {
  const { has_events: hasEvents = true, last_event_date: date = null } = installation?.data ?? {};
  if (installation && (installation.isStale || !installation.data)) return null;
  if (!hasEvents) return <SiteWithoutEvents key={siteId} siteId={siteId} installation={installation?.data} />;
  const { start, end } = range.value;
  return (
    <p class="notice" role="status">
      {words.page.noDataYet}{" "}
      {date !== null && !(start <= date && date <= end) && (
        <>
          {fill(words.page.lastEvent, { date: formatRange(date, date) })}{" "}
          <LinkButton onClick={() => navigate({ period: null, start: dayAfter(date, 1 - DAYS), end: date })}>
            {fill(words.page.showDays, { days: DAYS })}
          </LinkButton>
        </>
      )}
    </p>
  );
}

const ExplorePage = lazyLater(async () => (await import("../explore/explore-page.tsx")).ExplorePage, {
  Loading: () => <Loading />,
});

const BotsPage = lazyLater(async () => (await import("../bots/bots-page.tsx")).BotsPage, { Loading: () => <Loading /> });

const RealtimeView = lazyLater(async () => (await import("../realtime/realtime-view.tsx")).RealtimeView);

function Stats({ siteId, installation }: StatsProps) {
  const statistics = useStatistics(installation);
  const { data, isStale } = statistics.main;
  const isEmpty = data?.total_events === 0;
  const changes = useChanges(data !== undefined && !isEmpty);
  return (
    <>
      <RangeNotice />
      {isEmpty && !isStale && !canClear.value && <EmptyPeriod siteId={siteId} installation={installation} />}
      <section class="panel" aria-label={words.page.overview}>
        {!isEmpty && <ChangeSentence report={changes} />}
        <TopStats {...statistics} />
        <MainChart {...statistics} changes={changes} />
        {data?.coverage && <CoverageNote days={data.coverage.partial} />}
      </section>
      <Cards changes={changes} hasEvents={!isEmpty} conversions={statistics.conversions} />
      <ExploreLinks />
    </>
  );
}

/** Waits for the first date of all time, which decides the intervals. */
function DatedStats(props: StatsProps) {
  const firstDay = useFirstDay(period.value === "all");
  if (isRangeKnown.value) return isExplore() ? <ExplorePage /> : <Stats {...props} />;
  return (
    <section class="panel overview-loading" aria-label={words.page.overview}>
      <ReportView report={firstDay} rows={1}>
        {() => null}
      </ReportView>
    </section>
  );
}

/** Sites without events have no reports to request. */
export function SiteView({ sites, installation }: { readonly sites: readonly string[]; readonly installation?: Report<Installation> }) {
  const siteId = site.value ?? "";
  if (isRealtime()) return <RealtimeView />;
  if (isBots()) return <BotsPage />;
  if (isGuest || sites.includes(siteId) || arrival.value?.siteId === siteId)
    return <DatedStats siteId={siteId} installation={installation} />;
  return <SiteWithoutEvents key={siteId} siteId={siteId} />;
}
