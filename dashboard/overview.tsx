/** The page itself: headline, chart, cards, behaviour; or what is on now. */
import { Behaviours } from "./behavior/behavior.tsx";
import { Cards } from "./cards/cards.tsx";
import { DetailsPanel } from "./cards/details-panel.tsx";
import { Snippet } from "./login/snippet.tsx";
import { Waiting } from "./login/first-site.tsx";
import { MainChart } from "./charts/main-chart.tsx";
import { TopFigures } from "./charts/top-figures.tsx";
import { RealtimeView } from "./realtime/realtime-view.tsx";
import { ErasePanel } from "./settings/erase-panel.tsx";
import { ExportPanel } from "./settings/export-panel.tsx";
import { KeysPanel } from "./settings/keys-panel.tsx";
import { PasswordPanel } from "./settings/password-panel.tsx";
import { SnippetPanel } from "./settings/snippet-panel.tsx";
import { FilterPanel, FilterPills } from "./shell/filters.tsx";
import { HelpPanel } from "./shell/help-panel.tsx";
import { useKeyboard } from "./shell/keyboard.ts";
import { DaysPanel } from "./shell/period-picker.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { door, isOffline } from "./state/connection.ts";
import { comparison, isFiltered, openPanel, panel, param, scope, site } from "./state/view.ts";
import { useFigure } from "./state/use-report.ts";
import { DIMENSIONS } from "./format/dimensions.ts";

const PANELS = {
  filter: FilterPanel,
  days: DaysPanel,
  help: HelpPanel,
  keys: KeysPanel,
  erase: ErasePanel,
  export: ExportPanel,
  snippet: SnippetPanel,
  password: PasswordPanel,
} as const;

function OpenPanel() {
  const name = panel.value?.split(":")[0];
  if (name === undefined) return null;
  if (Object.hasOwn(DIMENSIONS, name)) return <DetailsPanel key={name} dimension={name} />;
  const Panel = Object.hasOwn(PANELS, name) ? PANELS[name as keyof typeof PANELS] : null;
  return Panel && <Panel />;
}

const OpenNotice = () =>
  door.value === "open" ? (
    <p class="notice open-notice">
      No password is set: whoever can reach this address sees these figures.{" "}
      <button type="button" class="link" onClick={() => openPanel("password")}>
        Set a password
      </button>
    </p>
  ) : null;

/** Whether the site has no event at all: asked only when the period has none. */
function NoEvents() {
  const figure = useFigure("main", { site_id: site.value, period: "12mo" });
  if (figure.data === undefined || figure.data.total_events > 0 || site.value === null) return null;
  return (
    <section class="panel">
      <Waiting />
      <p>Put this line into the head of every page of {site.value}:</p>
      <Snippet siteId={site.value} />
    </section>
  );
}

function Figures() {
  const figure = useFigure("main", { ...scope.value, compare: comparison.value === "none" ? null : comparison.value });
  return (
    <>
      {figure.data?.total_events === 0 && !figure.isStale && !isFiltered.value && <NoEvents />}
      <section class="panel" aria-label="Overview">
        <TopFigures figure={figure} />
        <MainChart />
      </section>
      <Cards />
      <Behaviours />
    </>
  );
}

export function Overview({ sites }: { readonly sites: readonly string[] }) {
  useKeyboard();
  return (
    <>
      <a class="skip" href="#content">
        Skip to the figures
      </a>
      <TopBar sites={sites} />
      {isOffline.value && (
        <p class="offline" role="alert">
          The service cannot be reached. Trying again…
        </p>
      )}
      <main id="content" class="content" tabIndex={-1}>
        <h1 class="unseen">Figures of {site.value}</h1>
        <OpenNotice />
        <FilterPills />
        {param("view") === "realtime" ? <RealtimeView /> : <Figures />}
        <footer class="page-foot">
          <span>All times are UTC.</span>
          <button type="button" class="link" onClick={() => openPanel("help")}>
            Keys and definitions
          </button>
        </footer>
      </main>
      <OpenPanel />
    </>
  );
}
