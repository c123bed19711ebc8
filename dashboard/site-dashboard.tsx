/** The dashboard of a site: the bar, notices, filters, the view of the site, and the open dialog. */
import { lazy } from "./components/lazy.tsx";
import { AwaitedSite } from "./first-event/awaited-site.tsx";
import { FirstVisitor } from "./first-event/first-visitor.tsx";
import { InstallationNotices } from "./installation/installation-notices.tsx";
import { DemoNotice } from "./login/demo-site.tsx";
import { OpenInstanceNotice } from "./login/open-instance-notice.tsx";
import { OpenPanel } from "./open-panel.tsx";
import { loadStyle as loadSettingsStyle } from "./settings/site/style.ts";
import { FilterPills } from "./shell/filters.tsx";
import { PageLayout, StatsFoot, StatsTitle } from "./shell/page-layout.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { SiteView } from "./site-view.tsx";
import { isSettings, site } from "./state/view.ts";

const SettingsPage = lazy(async () => {
  const [{ SettingsPage: Page }] = await Promise.all([import("./settings/site/settings-page.tsx"), loadSettingsStyle()]);
  return Page;
});

interface SiteDashboardProps {
  readonly sites: readonly string[];
}

const Stats = ({ sites }: SiteDashboardProps) => (
  <>
    <StatsTitle />
    <OpenInstanceNotice />
    {sites.includes(site.value ?? "") && <InstallationNotices />}
    <FirstVisitor />
    <AwaitedSite />
    <DemoNotice sites={sites} />
    <FilterPills />
    <SiteView sites={sites} />
    <StatsFoot />
  </>
);

export const SiteDashboard = ({ sites }: SiteDashboardProps) => (
  <>
    <PageLayout sites={sites} bar={<TopBar sites={sites} />}>
      {isSettings() ? <SettingsPage /> : <Stats sites={sites} />}
    </PageLayout>
    <OpenPanel />
  </>
);
