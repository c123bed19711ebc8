/** Explore: reports that the reader asks for, on a page of their own. Saved ones come first; each report loads when it is chosen. */
import type { ComponentType } from "preact";
import { lazy } from "../kit/lazy.tsx";
import { onPlainClick } from "../kit/pointing.ts";
import { Empty, Skeleton } from "../kit/states.tsx";
import { TabbedCard } from "../kit/tabs.tsx";
import { shownReports } from "../state/known-sites.ts";
import { isGuest } from "../state/share.ts";
import { isExploreReport, param, type ExploreReport } from "../state/url.ts";
import { backToDashboard, dashboardHref } from "../state/view.ts";
import { words } from "../words/words.ts";
import { SavedReports } from "./saved-reports.tsx";

const chosen = (load: () => Promise<ComponentType>): ComponentType => lazy(load, { Loading: () => <Skeleton /> });

const REPORTS: Readonly<Record<ExploreReport, ComponentType>> = {
  funnel: chosen(async () => (await import("./funnel.tsx")).Funnel),
  flow: chosen(async () => (await import("./flow.tsx")).Flow),
  sequences: chosen(async () => (await import("./sequences.tsx")).Sequences),
  retention: chosen(async () => (await import("./retention.tsx")).Retention),
  properties: chosen(async () => (await import("./properties.tsx")).Properties),
};

export function ExplorePage() {
  const reports = shownReports();
  const shown = reports.find((report) => report === param("report")) ?? reports[0];
  return (
    <section aria-label={words.explore.title}>
      <header class="explore-head">
        <h2>{words.explore.title}</h2>
        <a class="link" href={dashboardHref()} onClick={onPlainClick(backToDashboard)}>
          {words.explore.back}
        </a>
      </header>
      {!isGuest && <SavedReports />}
      {shown === undefined ? (
        <Empty>{words.explore.nothingShown}</Empty>
      ) : (
        <TabbedCard
          title={words.cards[shown]}
          class="card panel explored"
          param="report"
          tabs={reports.map((id) => ({ id, label: words.cards[id] }))}
        >
          {(report) => {
            const Report = isExploreReport(report) ? REPORTS[report] : Skeleton;
            return <Report key={report} />;
          }}
        </TabbedCard>
      )}
    </section>
  );
}
