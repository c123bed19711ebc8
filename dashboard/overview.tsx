/** The dashboard of a site: stats, chart and cards, or the realtime view; and the open dialog. */
import { Behavior } from "./behavior/behavior.tsx";
import { Cards } from "./cards/breakdown-cards.tsx";
import { DetailsPanel } from "./cards/details-panel.tsx";
import { MainChart } from "./charts/main-chart.tsx";
import { TopStats } from "./charts/top-stats.tsx";
import { isDimension } from "./format/dimensions.ts";
import { InstallationPanel } from "./installation/installation-dialog.tsx";
import { NoEventsNotice } from "./login/first-site.tsx";
import { PasswordPanel } from "./login/login.tsx";
import { isRealtime, RealtimeView } from "./realtime/realtime-view.tsx";
import { DeletePanel } from "./settings/delete-panel.tsx";
import { ExportPanel } from "./settings/export-panel.tsx";
import { KeysPanel } from "./settings/keys-panel.tsx";
import { TrackingCodePanel } from "./settings/tracking-code.tsx";
import { FilterPanel, FilterPills } from "./shell/filters.tsx";
import { HelpPanel } from "./shell/help-panel.tsx";
import { useKeyboard } from "./shell/keyboard.ts";
import { CustomRangePanel } from "./shell/period-picker.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { authState, isOffline } from "./state/connection.ts";
import { useReport } from "./state/use-report.ts";
import { comparison, isFiltered, openPanel, panel, scope, site } from "./state/view.ts";

/** By their names in the URL. */
const PANELS = {
  filter: FilterPanel,
  days: CustomRangePanel,
  help: HelpPanel,
  keys: KeysPanel,
  erase: DeletePanel,
  export: ExportPanel,
  snippet: TrackingCodePanel,
  installation: InstallationPanel,
  password: PasswordPanel,
} as const;

/** Any other name is the dimension of a details panel. */
function OpenPanel() {
  const name = panel.value?.split(":")[0];
  if (name === undefined) return null;
  if (isDimension(name)) return <DetailsPanel key={name} dimension={name} />;
  const Panel = Object.hasOwn(PANELS, name) ? PANELS[name as keyof typeof PANELS] : null;
  return Panel && <Panel />;
}

const OpenInstanceNotice = () =>
  authState.value === "open" ? (
    <p class="notice open-notice">
      No password is set: anyone with this URL can see your stats.{" "}
      <button type="button" class="link" onClick={() => openPanel("password")}>
        Set a password
      </button>
    </p>
  ) : null;

/** Rendered when the period is empty; shows its notice if the last twelve months are empty, too. */
function NoEvents() {
  const report = useReport("main", { site_id: site.value, period: "12mo" });
  return report.data?.total_events === 0 && site.value !== null ? <NoEventsNotice siteId={site.value} /> : null;
}

function Statistics() {
  const report = useReport("main", { ...scope.value, compare: comparison.value === "none" ? null : comparison.value });
  return (
    <>
      {report.data?.total_events === 0 && !report.isStale && !isFiltered.value && <NoEvents />}
      <section class="panel" aria-label="Overview">
        <TopStats report={report} />
        <MainChart />
      </section>
      <Cards />
      <Behavior />
    </>
  );
}

export function Overview({ sites }: { readonly sites: readonly string[] }) {
  useKeyboard();
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <TopBar sites={sites} />
      {isOffline.value && (
        <p class="offline" role="alert">
          Server unreachable. Retrying…
        </p>
      )}
      <main id="content" class="content" tabIndex={-1}>
        <h1 class="unseen">Stats of {site.value}</h1>
        <OpenInstanceNotice />
        <FilterPills />
        {isRealtime() ? <RealtimeView /> : <Statistics />}
        <footer class="page-foot">
          <span>All times are in UTC.</span>
          <button type="button" class="link" onClick={() => openPanel("help")}>
            Shortcuts and definitions
          </button>
        </footer>
      </main>
      <OpenPanel />
    </>
  );
}
