/** The Behavior card: a tab for each report on what visitors do. */
import type { ComponentChildren } from "preact";
import { Skeleton } from "../components/states.tsx";
import { useSteadyHeight } from "../components/steady-height.ts";
import { chosenTab, Tabs } from "../components/tabs.tsx";
import { useNear } from "../components/use-near.ts";
import { isCardShown } from "../state/known-sites.ts";
import { Flow } from "./flow.tsx";
import { Funnel } from "./funnel.tsx";
import { Goals } from "./goals.tsx";
import { Properties } from "./properties.tsx";
import { Retention } from "./retention.tsx";
import { Revenue } from "./revenue.tsx";
import { Sequences } from "./sequences.tsx";

interface BehaviorTab {
  readonly id: string;
  readonly label: string;
  readonly content: () => ComponentChildren;
}

const TABS: readonly BehaviorTab[] = [
  { id: "goals", label: "Goals", content: () => <Goals /> },
  { id: "properties", label: "Properties", content: () => <Properties /> },
  { id: "revenue", label: "Revenue", content: () => <Revenue /> },
  { id: "funnel", label: "Funnel", content: () => <Funnel /> },
  { id: "retention", label: "Retention", content: () => <Retention /> },
  { id: "sequences", label: "Sequences", content: () => <Sequences /> },
  { id: "flow", label: "Flow", content: () => <Flow /> },
];

function BehaviorCard({ tabs }: { readonly tabs: readonly BehaviorTab[] }) {
  const { ref, isNear } = useNear<HTMLElement>();
  const body = useSteadyHeight<HTMLDivElement>();
  const tab = chosenTab("did", tabs);
  return (
    <section class="card behavior" aria-label="Behavior" ref={ref} data-card="did">
      <header class="card-head">
        <h2>Behavior</h2>
        <Tabs label="Behavior" param="did" tabs={tabs} />
      </header>
      <div class="card-body" ref={body}>
        {isNear ? tabs.find(({ id }) => id === tab)?.content() : <Skeleton />}
      </div>
    </section>
  );
}

/** A tab is a card of its own for the settings, which may hide each of them. */
export function Behavior() {
  const tabs = TABS.filter(({ id }) => isCardShown(id));
  return tabs.length === 0 ? null : <BehaviorCard tabs={tabs} />;
}
