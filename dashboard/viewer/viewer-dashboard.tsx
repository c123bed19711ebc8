/** What a share link shows, in full: whose site it is, the view of it, and how long the link works. */
import { useEffect, useRef } from "preact/hooks";
import { keepFocus } from "../components/kept-focus.ts";
import { formatRange, formatTimestamp } from "../format/locale.ts";
import { PRODUCT_NAME } from "../names.ts";
import { FilterPills } from "../shell/filters.tsx";
import { useKeyboard } from "../shell/keyboard.ts";
import { SiteView } from "../site-view.tsx";
import { siteName, timeZone } from "../state/known-sites.ts";
import { nowMs, range } from "../state/period.ts";
import { shared } from "../state/share.ts";
import { openPanel } from "../state/view.ts";
import { ViewerBar } from "./viewer-bar.tsx";
import { ViewerPanel } from "./viewer-panel.tsx";

/** From then on, the page says when the link ends. */
const NEAR_MS = 7 * 86_400_000;

const NO_SITES: readonly string[] = [];

function Expiry() {
  const expiresAt = shared.value?.expires_at ?? null;
  if (expiresAt === null || Date.parse(expiresAt) - nowMs.value > NEAR_MS) return null;
  return (
    <p class="notice" role="status">
      This link works until {formatTimestamp(expiresAt, timeZone.value)}.
    </p>
  );
}

const Foot = () => (
  <footer class="page-foot">
    <span>All times are in {timeZone.value}.</span>
    <button type="button" class="link" onClick={() => openPanel("help")}>
      Shortcuts and definitions
    </button>
  </footer>
);

export function ViewerDashboard() {
  const content = useRef<HTMLElement>(null);
  useKeyboard(NO_SITES);
  useEffect(() => (content.current ? keepFocus(content.current) : undefined), []);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <ViewerBar />
      <main id="content" ref={content} class="content" tabIndex={-1}>
        <h1 class="unseen">
          Stats of {siteName.value}, {formatRange(range.value.start, range.value.end)}
        </h1>
        <p class="shared-by">
          <span>Shared by the owner of {siteName.value}</span>
          <small>Powered by {PRODUCT_NAME}</small>
        </p>
        <Expiry />
        <FilterPills />
        <SiteView sites={NO_SITES} />
        <Foot />
      </main>
      <ViewerPanel />
    </>
  );
}
