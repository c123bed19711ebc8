/** A site's dashboard: bar, notices, filters, view or settings, and the open dialog. */
import { urlOf } from "../api/http.ts";
import type { Installation } from "../api/types.ts";
import { FilterPills } from "../filters/filter-pills.tsx";
import { lazyWithWords, loadStyle } from "../kit/lazy.tsx";
import { arrival, AwaitedSite, FirstVisitor } from "../setup/arrival.tsx";
import { DemoNotice, InstallationNotices, OpenInstanceNotice } from "../setup/notices.tsx";
import { useRequest } from "../state/requests.ts";
import { isSettings, site } from "../state/view.ts";
import { PageLayout, StatsFoot, StatsTitle } from "./page-layout.tsx";
import { SiteView } from "./site-view.tsx";
import { TopBar } from "./top-bar.tsx";

/** Defined by the build. The file is beside the scripts. */
declare const SETTINGS_STYLE_NAME: string;

const SettingsPage = lazyWithWords(async () => {
  const [{ SettingsPage: Page }] = await Promise.all([import("../settings/settings-page.tsx"), loadStyle(SETTINGS_STYLE_NAME)]);
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
  <PageLayout sites={sites} bar={<TopBar sites={sites} />}>
    {isSettings() ? <SettingsPage /> : <Stats sites={sites} />}
  </PageLayout>
);
