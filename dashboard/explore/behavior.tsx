/** The Behavior card: a tab per report on what visitors do. Tabs behind the first load when they are chosen. */
import type { ComponentType } from "preact";
import type { Card } from "../../src/shared/site-choices.ts";
import { lazyWithWords, NotLoaded } from "../kit/lazy.tsx";
import { Skeleton } from "../kit/states.tsx";
import { TabbedCard } from "../kit/tabs.tsx";
import { isCardShown } from "../state/known-sites.ts";
import { words } from "../words/words.ts";
import { Goals } from "./goals.tsx";

const chosen = (load: () => Promise<ComponentType>): ComponentType => lazyWithWords(load, NotLoaded, () => <Skeleton />);

interface BehaviorTab {
  readonly id: Card;
  readonly label: string;
  readonly Content: ComponentType;
}

const TABS: readonly BehaviorTab[] = [
  { id: "goals", label: words.cards.goals, Content: Goals },
  { id: "properties", label: words.cards.properties, Content: chosen(async () => (await import("./properties.tsx")).Properties) },
  { id: "revenue", label: words.cards.revenue, Content: chosen(async () => (await import("./revenue.tsx")).Revenue) },
  { id: "funnel", label: words.cards.funnel, Content: chosen(async () => (await import("./funnel.tsx")).Funnel) },
  { id: "retention", label: words.cards.retention, Content: chosen(async () => (await import("./retention.tsx")).Retention) },
  { id: "sequences", label: words.cards.sequences, Content: chosen(async () => (await import("./funnel.tsx")).Sequences) },
  { id: "flow", label: words.cards.flow, Content: chosen(async () => (await import("./flow.tsx")).Flow) },
];

/** The settings can hide each tab, like a card. */
export function Behavior() {
  const tabs = TABS.filter(({ id }) => isCardShown(id));
  if (tabs.length === 0) return null;
  return (
    <TabbedCard title={words.goals.title} class="card behavior" param="did" tabs={tabs}>
      {(tab, isNear) => {
        const Content = isNear && tabs.find(({ id }) => id === tab)?.Content;
        return Content ? <Content /> : <Skeleton />;
      }}
    </TabbedCard>
  );
}
