/** What a frame shows: the view of the site, and a small footer that names it and opens it in full. */
import { useEffect, useRef } from "preact/hooks";
import { OutageBanner } from "../kit/states.tsx";
import { formatRange } from "../format/locale.ts";
import { useRealtimePolling } from "../state/realtime.ts";
import { FilterPills } from "../filters/filter-pills.tsx";
import { StatsTitle } from "../page/page-layout.tsx";
import { SiteView } from "../page/site-view.tsx";
import { siteName, timeZone } from "../state/known-sites.ts";
import { range } from "../state/period.ts";
import { search } from "../state/url.ts";
import { isRealtime } from "../state/view.ts";
import { hasOtherDates, showFrameDates, tellHeight, wholePageUrl } from "./embedding.ts";
import { OpenPanel } from "../page/open-panel.tsx";

/** In place of the bar, which does it elsewhere. */
function RealtimePolling() {
  useRealtimePolling();
  return null;
}

/** The button that is about to go had the focus. */
function leaveDates(): void {
  showFrameDates();
  document.getElementById("content")?.focus({ preventScroll: true });
}

export function EmbeddedView() {
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => (content.current ? tellHeight(content.current) : undefined), []);
  const period = formatRange(range.value.start, range.value.end);
  return (
    <div class="embedded" ref={content}>
      {isRealtime() && <RealtimePolling />}
      <OutageBanner />
      <main id="content" class="content" tabIndex={-1}>
        <StatsTitle />
        <FilterPills />
        <SiteView sites={[]} />
        <footer class="page-foot">
          <span>
            {siteName.value} · {period} · Times in {timeZone.value}
          </span>
          {hasOtherDates() && (
            <button type="button" class="link" onClick={leaveDates}>
              Back to all dates
            </button>
          )}
          <a class="link" href={wholePageUrl(search.value)} target="_blank" rel="noopener">
            Open full dashboard
          </a>
        </footer>
      </main>
      <OpenPanel />
    </div>
  );
}
