/** The page in a frame (`?embed=1`; docs/sharing.md, "Embedding"): the site's view, and a footer that opens it in full. */
import { useEffect, useRef } from "preact/hooks";
import { FilterPills } from "../filters/filter-pills.tsx";
import { formatRange } from "../format/locale.ts";
import { LinkButton } from "../kit/inline.tsx";
import { OutageBanner } from "../kit/states.tsx";
import { OpenPanel, StatsTitle } from "../page/page-layout.tsx";
import { SiteView } from "../page/site-view.tsx";
import { siteName, timeZone } from "../state/known-sites.ts";
import { range } from "../state/period.ts";
import { useRealtimePolling } from "../state/realtime.ts";
import { navigate, param, PERIOD_PARAMS, search } from "../state/url.ts";
import { isRealtime } from "../state/view.ts";

/** Parameters of the frame's address, whatever the reader chooses later. */
const FRAME = new URLSearchParams(location.search);

export const isEmbedded = FRAME.get("embed") === "1";

const hasOtherDates = (): boolean => PERIOD_PARAMS.some((name) => param(name) !== FRAME.get(name));

/** Returns to the dates and interval of the frame's address. */
const showFrameDates = (): void => navigate(Object.fromEntries([...PERIOD_PARAMS, "interval"].map((name) => [name, FRAME.get(name)])));

/** Reports the height of the content to the embedding page. The height is not secret, so any page may receive it. */
function tellHeight(content: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    parent.postMessage({ type: "sandpiper:height", height: Math.ceil(content.getBoundingClientRect().height) }, "*");
  });
  observer.observe(content);
  return () => observer.disconnect();
}

/** The URL of this view without the frame. */
function wholePageUrl(): string {
  const parameters = new URLSearchParams(search.value);
  for (const name of ["embed", "theme", "panel"]) parameters.delete(name);
  const query = parameters.toString();
  return `${location.origin}${location.pathname}${query === "" ? "" : `?${query}`}`;
}

/** The bar polls elsewhere. */
function RealtimePolling() {
  useRealtimePolling();
  return null;
}

/** Keeps the focus, which is on a button that disappears. */
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
          {hasOtherDates() && <LinkButton onClick={leaveDates}>Back to all dates</LinkButton>}
          <a class="link" href={wholePageUrl()} target="_blank" rel="noopener">
            Open full dashboard
          </a>
        </footer>
      </main>
      <OpenPanel />
    </div>
  );
}
