/** Tabs (WAI-ARIA tabs pattern) whose choice is a URL parameter, and cards with tabs. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { navigate, param } from "../state/url.ts";
import { site } from "../state/view.ts";
import { useKeptHeight } from "./kept-height.ts";
import { Menu } from "./menu.tsx";
import { isPrinted } from "./printing.ts";

export interface Tab {
  readonly id: string;
  readonly label: string;
  /** Its id in earlier links. */
  readonly formerId?: string | undefined;
  /** Groups tabs in a menu. */
  readonly menu?: string | undefined;
}

interface TabsProps {
  readonly label: string;
  readonly param: string;
  readonly tabs: readonly Tab[];
}

/** Falls back to the first tab. */
const chosenTab = (paramName: string, tabs: readonly Tab[]): string =>
  tabs.find(({ id, formerId = id }) => [id, formerId].includes(param(paramName) ?? ""))?.id ?? tabs[0]?.id ?? "";

/** Tabs stand in the list, or in the menu that groups them, which shows its chosen one. */
function Tabs({ label, param: paramName, tabs }: TabsProps) {
  const chosen = chosenTab(paramName, tabs);
  const choose = (id = "") => navigate({ [paramName]: id === tabs[0]?.id ? null : id });
  const menus = [...new Set(tabs.flatMap(({ menu }) => menu ?? []))];
  const tabsIn = (wanted: string | undefined) => tabs.filter(({ menu }) => menu === wanted);
  const listed = tabsIn(undefined);
  const index = listed.findIndex(({ id }) => id === chosen);
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (Math.max(index, 0) + step + listed.length) % listed.length;
    choose(listed[next]?.id);
    (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  }
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {listed.map(({ id, label: text }, i) => (
          <button
            key={id}
            type="button"
            role="tab"
            aria-selected={i === index}
            tabIndex={i === Math.max(index, 0) ? 0 : -1}
            onClick={() => choose(id)}
          >
            {text}
          </button>
        ))}
      </div>
      {menus.map((name) => {
        const shown = tabsIn(name).find(({ id }) => id === chosen);
        const text = shown?.label ?? name;
        return (
          <Menu
            key={name}
            label={text}
            button={text}
            hasCaret
            buttonClass={shown ? "tab-menu chosen" : "tab-menu"}
            items={tabsIn(name).map(({ id, label: item }) => ({ label: item, isChosen: id === chosen, onChoose: () => choose(id) }))}
          />
        );
      })}
    </div>
  );
}

/** Loading starts this far below the viewport. */
const MARGIN = "250px";

function useNear<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!ref.current || isNear) return;
    const observer = new IntersectionObserver((entries) => setNear(entries.some((entry) => entry.isIntersecting)), { rootMargin: MARGIN });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [isNear]);
  return { ref, isNear: isNear || isPrinted.value };
}

interface TabbedCardProps {
  readonly title: string;
  readonly class?: string;
  readonly param: string;
  readonly tabs: readonly Tab[];
  /** Renders the chosen tab, which may load its data once the card is near the viewport. */
  readonly children: (tab: string, isNear: boolean) => ComponentChildren;
}

/** Loads its content when it comes near the viewport, or before printing. */
export function TabbedCard({ title, class: className = "card", param: paramName, tabs, children }: TabbedCardProps) {
  const { ref, isNear } = useNear<HTMLElement>();
  const tab = chosenTab(paramName, tabs);
  const body = useKeptHeight<HTMLDivElement>([site.value, paramName, tab].join(" "));
  return (
    <section class={className} aria-label={title} ref={ref} data-card={paramName}>
      <header class="card-head">
        <h2>{title}</h2>
        <Tabs label={title} param={paramName} tabs={tabs} />
      </header>
      <div class="card-body" ref={body}>
        {children(tab, isNear)}
      </div>
    </section>
  );
}
