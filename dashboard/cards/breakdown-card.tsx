/** A card of breakdowns: tabs, the nine most frequent values, and a way to all of them. */
import type { ComponentChildren } from "preact";
import { chosenTab, Tabs, type Tab } from "../components/tabs.tsx";
import { Empty, FigureView } from "../components/states.tsx";
import { useNear } from "../components/use-near.ts";
import { totalVisitors } from "../charts/totals.ts";
import { filters, openPanel, scope } from "../state/view.ts";
import { useBreakdown } from "../state/use-report.ts";
import { DIMENSIONS } from "../format/dimensions.ts";
import { rowsOf } from "./breakdown-rows.ts";
import { RowList } from "./row-list.tsx";

const ROWS = 9;

interface CardProps {
  readonly title: string;
  /** The address parameter of its tab. */
  readonly name: string;
  readonly tabs: readonly Tab[];
  /** For tabs that are no list. */
  readonly special?: Readonly<Record<string, () => ComponentChildren>>;
}

/** Who filters by a browser wants to see its versions. */
const DEEPER: Readonly<Record<string, string>> = { browsers: "browser-versions", os: "os-versions" };

function dimensionOf(tab: string): string {
  const deeper = DEEPER[tab];
  const isChosen = filters.value.some(({ dimension, isNot }) => dimension === tab && !isNot);
  return deeper !== undefined && isChosen ? deeper : tab;
}

/** Asks for one row more than is shown, to know whether there are more. */
function BreakdownList({ dimension }: { readonly dimension: string }) {
  const figure = useBreakdown(dimension, { ...scope.value, limit: ROWS + 1 });
  const title = DIMENSIONS[dimension]?.title ?? dimension;
  return (
    <FigureView figure={figure}>
      {(breakdown) => (
        <>
          {breakdown.length === 0 ? (
            <Empty />
          ) : (
            <RowList label={title} rows={rowsOf(dimension, breakdown.slice(0, ROWS), totalVisitors.value)} />
          )}
          <footer class="card-foot">
            {breakdown.length > 0 && (
              <button type="button" class="link" onClick={() => openPanel(dimension)}>
                Details<span class="unseen"> of {title}</span>
              </button>
            )}
          </footer>
        </>
      )}
    </FigureView>
  );
}

export function BreakdownCard({ title, name, tabs, special = {} }: CardProps) {
  const { ref, isNear } = useNear<HTMLElement>();
  const tab = chosenTab(name, tabs);
  const dimension = dimensionOf(tab);
  const content = special[tab];
  return (
    <section class="card" aria-label={title} ref={ref} data-card={name}>
      <header class="card-head">
        <h2>{title}</h2>
        <Tabs label={title} name={name} tabs={tabs} />
      </header>
      <div class="card-body">
        {content === undefined && (
          <p class="column-heads">
            <span>{DIMENSIONS[dimension]?.one}</span>
            <span>Visitors</span>
          </p>
        )}
        {isNear && (content ? content() : <BreakdownList key={dimension} dimension={dimension} />)}
      </div>
    </section>
  );
}
