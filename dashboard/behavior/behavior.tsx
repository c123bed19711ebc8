/** What visitors do: goals, properties, revenue, and the ways they take. */
import type { ComponentChildren } from "preact";
import { chosenTab, Tabs } from "../components/tabs.tsx";
import { useNear } from "../components/use-near.ts";
import { Flow } from "./flow.tsx";
import { Funnel } from "./funnel.tsx";
import { Goals } from "./goals.tsx";
import { Properties } from "./properties.tsx";
import { Retention } from "./retention.tsx";
import { Revenue } from "./revenue.tsx";
import { Sequences } from "./sequences.tsx";

const TABS = [
  { id: "goals", label: "Goals" },
  { id: "properties", label: "Properties" },
  { id: "revenue", label: "Revenue" },
  { id: "funnel", label: "Funnel" },
  { id: "retention", label: "Retention" },
  { id: "sequences", label: "Sequences" },
  { id: "flow", label: "Flow" },
];

const CONTENT: Readonly<Record<string, () => ComponentChildren>> = {
  goals: () => <Goals />,
  properties: () => <Properties />,
  revenue: () => <Revenue />,
  funnel: () => <Funnel />,
  retention: () => <Retention />,
  sequences: () => <Sequences />,
  flow: () => <Flow />,
};

export function Behaviours() {
  const { ref, isNear } = useNear<HTMLElement>();
  const tab = chosenTab("did", TABS);
  return (
    <section class="card behaviours" aria-label="Behaviour" ref={ref} data-card="did">
      <header class="card-head">
        <h2>Behaviour</h2>
        <Tabs label="Behaviour" name="did" tabs={TABS} />
      </header>
      <div class="card-body">{isNear && <div key={tab}>{CONTENT[tab]?.()}</div>}</div>
    </section>
  );
}
