/** The full page of a share link: the site, its view, and the link's expiry. */
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { FilterPills } from "../filters/filter-pills.tsx";
import { formatTimestamp } from "../format/locale.ts";
import { SiteIcon } from "../kit/inline.tsx";
import type { MenuItem } from "../kit/menu.tsx";
import { themeItems } from "../kit/theme.ts";
import { OpenPanel, PageLayout, StatsFoot, StatsTitle } from "../page/page-layout.tsx";
import { SiteView } from "../page/site-view.tsx";
import { Bar, CurrentVisitors, ViewTools } from "../page/top-bar.tsx";
import { siteName, timeZone } from "../state/known-sites.ts";
import { nowMs } from "../state/period.ts";
import { shared } from "../state/share.ts";
import { hasRealtime, openPanel, site } from "../state/view.ts";

const guestItems = (): readonly (MenuItem | null)[] => [
  { label: "Export…", onChoose: () => openPanel("export") },
  null,
  ...themeItems(),
  null,
  { label: "Help", hint: "?", onChoose: () => openPanel("help") },
];

/** A link without its own name shows only the site's. */
const Owner = () => (
  <p class="viewed-site">
    <SiteIcon siteId={site.value ?? ""} />
    <strong title={site.value ?? ""}>{siteName.value}</strong>
    {shared.value?.name && <span class="dim">{shared.value.name}</span>}
  </p>
);

const GuestBar = () => (
  <Bar tools={<ViewTools />} items={guestItems()}>
    <Owner />
    {hasRealtime() && <CurrentVisitors />}
  </Bar>
);

/** The page announces the end of the link this long before. */
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

export const GuestDashboard = () => (
  <>
    <PageLayout sites={NO_SITES} bar={<GuestBar />}>
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
