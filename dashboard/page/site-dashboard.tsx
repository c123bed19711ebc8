/** The dashboard of a site: the bar, notices, filters, the view of the site, and the open dialog. */
import { urlOf } from "../api/http.ts";
import type { Installation } from "../api/types.ts";
import { lazy } from "../kit/lazy.tsx";
import { arrival } from "../setup/arrival.ts";
import { AwaitedSite } from "../setup/awaited-site.tsx";
import { FirstVisitor } from "../setup/first-visitor.tsx";
import { InstallationNotices } from "../setup/installation-notices.tsx";
import { DemoNotice } from "../setup/demo-site.tsx";
import { OpenInstanceNotice } from "../setup/open-instance-notice.tsx";
import { OpenPanel } from "./open-panel.tsx";
import { loadStyle as loadSettingsStyle } from "../settings/style.ts";
import { FilterPills } from "../filters/filter-pills.tsx";
import { PageLayout, StatsFoot, StatsTitle } from "./page-layout.tsx";
import { TopBar } from "./top-bar.tsx";
import { SiteView } from "./site-view.tsx";
import { useRequest } from "../state/use-report.ts";
import { isSettings, site } from "../state/view.ts";

const SettingsPage = lazy(async () => {
  const [{ SettingsPage: Page }] = await Promise.all([import("../settings/settings-page.tsx"), loadSettingsStyle()]);
  return Page;
});

interface SiteDashboardProps {
  readonly sites: readonly string[];
}

function Stats({ sites }: SiteDashboardProps) {
  const siteId = site.value ?? "";
  const hasReports = sites.includes(siteId) || arrival.value?.siteId === siteId;
  // Fetched once for all parts that need it: on Workers, each request asks every running object.
  const installation = useRequest<Installation>(hasReports ? urlOf("/api/installation", { site_id: siteId }) : null);
  return (
    <>
      <StatsTitle />
      <OpenInstanceNotice />
      {installation.data && <InstallationNotices installation={installation.data} />}
      <FirstVisitor />
      <AwaitedSite />
      <DemoNotice sites={sites} />
      <FilterPills />
      <SiteView sites={sites} installation={installation} />
      <StatsFoot />
    </>
  );
}

export const SiteDashboard = ({ sites }: SiteDashboardProps) => (
  <>
    <PageLayout sites={sites} bar={<TopBar sites={sites} />}>
      {isSettings() ? <SettingsPage /> : <Stats sites={sites} />}
    </PageLayout>
    <OpenPanel />
  </>
);
