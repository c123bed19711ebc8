/** The realtime view: current visitors, and the last half hour by minute, page, source, country and event. */
import { Empty, Loading } from "../kit/states.tsx";
import { formatCount } from "../format/locale.ts";
import { DEMO_SITE } from "../names.ts";
import { isCardShown } from "../state/known-sites.ts";
import { canClear, site, toggleRealtime } from "../state/view.ts";
import { windowMinutes } from "../page/current-visitors.tsx";
import { MinuteBars } from "./minute-bars.tsx";
import { RealtimeMap } from "./realtime-map.tsx";
import { RecentList } from "./recent-list.tsx";
import { isRealtimeStale, lastMinutes, MINUTES, realtime, type Realtime } from "../state/realtime.ts";

/** The button that is about to go had the focus; the one in the bar does the same. */
function leave(): void {
  toggleRealtime();
  document.querySelector<HTMLElement>(".bar .current")?.focus();
}

const numberOr = (count: number | undefined): string => (count === undefined ? "–" : formatCount(count));

const Head = () => (
  <header class="realtime-head">
    <div>
      <p class="dim">Visitors in the last {windowMinutes()} minutes</p>
      <p class="realtime-count" data-current>
        {numberOr(realtime.value?.current_visitors)}
      </p>
    </div>
    <dl class="realtime-totals">
      <div>
        <dt>Visitors, {MINUTES} min</dt>
        <dd>{numberOr(lastMinutes.value?.visitors)}</dd>
      </div>
      <div>
        <dt>Pageviews, {MINUTES} min</dt>
        <dd>{numberOr(lastMinutes.value?.pageviews)}</dd>
      </div>
    </dl>
    <button type="button" class="button" onClick={leave}>
      Back to dashboard
    </button>
  </header>
);

const Lists = ({ recent }: { readonly recent: Required<Realtime> }) => (
  <div class="cards">
    {isCardShown("pages") && recent.top_pages.length > 0 && <RecentList title="Pages" dimension="pages" rows={recent.top_pages} />}
    {isCardShown("sources") && recent.top_sources.length > 0 && (
      <RecentList title="Sources" dimension="sources" rows={recent.top_sources} />
    )}
    {isCardShown("locations") && (
      <>
        <RealtimeMap countries={recent.countries} />
        <RecentList title="Countries" dimension="countries" rows={recent.countries} />
      </>
    )}
    {isCardShown("goals") && recent.top_events.length > 0 && <RecentList title="Goals" dimension="events" rows={recent.top_events} />}
  </div>
);

export function RealtimeView() {
  const recent = lastMinutes.value;
  return (
    <section
      class={isRealtimeStale.value ? "realtime report stale" : "realtime report"}
      aria-label="Realtime"
      aria-busy={isRealtimeStale.value}
    >
      <div class="panel">
        <Head />
        {recent ? <MinuteBars firstMinute={recent.first_minute} perMinute={recent.per_minute} /> : <Loading rows={4} />}
        <p class="realtime-note dim">Updates every 10 seconds. The last bar is the current minute, so far.</p>
      </div>
      {recent?.visitors === 0 && (
        <Empty>
          {canClear.value
            ? undefined
            : `No visitors in the last ${MINUTES} minutes.${site.value === DEMO_SITE ? "" : " The next one appears here."}`}
        </Empty>
      )}
      {recent !== null && recent.visitors > 0 && <Lists recent={recent} />}
    </section>
  );
}
