/** What a share link shows, in full: whose site it is, the view of it, and how long the link works. */
import { formatTimestamp } from "../format/locale.ts";
import { PRODUCT_NAME } from "../names.ts";
import { FilterPills } from "../filters/filter-pills.tsx";
import { PageLayout, StatsFoot, StatsTitle } from "../page/page-layout.tsx";
import { SiteView } from "../page/site-view.tsx";
import { siteName, timeZone } from "../state/known-sites.ts";
import { nowMs } from "../state/period.ts";
import { shared } from "../state/share.ts";
import { ViewerBar } from "./guest-bar.tsx";
import { OpenPanel } from "../page/open-panel.tsx";

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

export const ViewerDashboard = () => (
  <>
    <PageLayout sites={NO_SITES} bar={<ViewerBar />}>
      <StatsTitle />
      <p class="shared-by">
        <span>Shared by the owner of {siteName.value}</span>
        <small>Powered by {PRODUCT_NAME}</small>
      </p>
      <Expiry />
      <FilterPills />
      <SiteView sites={NO_SITES} />
      <StatsFoot />
    </PageLayout>
    <OpenPanel />
  </>
);
