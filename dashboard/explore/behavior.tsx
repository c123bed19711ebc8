/** The Behavior card: a tab per report on what visitors do. Tabs behind the first load when they are chosen. */
import type { ComponentType } from "preact";
import type { Card } from "../../src/shared/site-choices.ts";
import { lazyWithWords, NotLoaded } from "../kit/lazy.tsx";
import { Skeleton } from "../kit/states.tsx";
import { TabbedCard } from "../kit/tabs.tsx";
import { isCardShown } from "../state/known-sites.ts";
import { Goals } from "./goals.tsx";

const chosen = (load: () => Promise<ComponentType>): ComponentType => lazyWithWords(load, NotLoaded, () => <Skeleton />);

interface BehaviorTab {
  readonly id: Card;
  readonly label: string;
  readonly Content: ComponentType;
}

const TABS: readonly BehaviorTab[] = [
  { id: "goals", label: "Goals", Content: Goals },
  { id: "properties", label: "Properties", Content: chosen(async () => (await import("./properties.tsx")).Properties) },
  { id: "revenue", label: "Revenue", Content: chosen(async () => (await import("./revenue.tsx")).Revenue) },
  { id: "funnel", label: "Funnel", Content: chosen(async () => (await import("./funnel.tsx")).Funnel) },
  { id: "retention", label: "Retention", Content: chosen(async () => (await import("./retention.tsx")).Retention) },
  { id: "sequences", label: "Sequences", Content: chosen(async () => (await import("./funnel.tsx")).Sequences) },
  { id: "flow", label: "Flow", Content: chosen(async () => (await import("./flow.tsx")).Flow) },
];

/** The settings can hide each tab, like a card. */
export function Behavior() {
  const tabs = TABS.filter(({ id }) => isCardShown(id));
  if (tabs.length === 0) return null;
  return (
    <TabbedCard title="Behavior" class="card behavior" param="did" tabs={tabs}>
      {(tab, isNear) => {
        const Content = isNear && tabs.find(({ id }) => id === tab)?.Content;
        return Content ? <Content /> : <Skeleton />;
      }}
    </TabbedCard>
  );
}
