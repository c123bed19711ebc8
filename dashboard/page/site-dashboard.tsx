/** A site's dashboard: bar, notices, filters, view or settings, and the open dialog. */
import { areRollupsRemade } from "../../src/shared/rollup-progress.ts";
import { urlOf } from "../api/http.ts";
import type { Installation } from "../api/types.ts";
import { FilterPills } from "../filters/filter-pills.tsx";
import { lazy, lazyLater } from "../kit/lazy.tsx";
import { arrival, awaitedSite } from "../setup/arrival.ts";
import { DemoNotice, OpenInstanceNotice } from "../setup/notices.tsx";
import { useRequest } from "../state/requests.ts";
import { isBots, isSettings, site } from "../state/view.ts";
import { PageLayout, StatsFoot, StatsTitle } from "./page-layout.tsx";
import { SiteView } from "./site-view.tsx";
import { TopBar } from "./top-bar.tsx";

const SettingsPage = lazyLater(async () => (await import("../settings/settings-page.tsx")).SettingsPage);

interface InstallationProps {
  readonly installation: Installation;
}

const InstallationNotices = lazy<InstallationProps>(async () => (await import("../setup/installation-notices.tsx")).InstallationNotices);
const ArrivalNotices = lazyLater(async () => (await import("../setup/arrival-notices.tsx")).ArrivalNotices);

/** Whether `serviceFindings` finds anything. */
const hasFindings = ({ proxy, files_left_out: files, rollups }: Installation): boolean =>
  proxy !== null || files > 0 || areRollupsRemade(rollups.days_made, rollups.days_due);

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
      {installation.data && hasFindings(installation.data) && <InstallationNotices installation={installation.data} />}
      {(arrival.value !== null || awaitedSite.value !== null) && <ArrivalNotices />}
      <DemoNotice sites={sites} />
      {!isBots() && <FilterPills />}
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
