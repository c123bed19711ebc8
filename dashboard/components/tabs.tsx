/** Tabs (WAI-ARIA tabs pattern) whose choice is a URL parameter. */
import { navigate, param } from "../state/view.ts";

export interface Tab {
  readonly id: string;
  readonly label: string;
}

interface TabsProps {
  readonly label: string;
  readonly param: string;
  readonly tabs: readonly Tab[];
}

/** The id of the chosen tab, by default the first. */
export const chosenTab = (paramName: string, tabs: readonly Tab[]): string =>
  tabs.find(({ id }) => id === param(paramName))?.id ?? tabs[0]?.id ?? "";

export function Tabs({ label, param: paramName, tabs }: TabsProps) {
  const chosen = chosenTab(paramName, tabs);
  const choose = (id: string) => navigate({ [paramName]: id === tabs[0]?.id ? null : id });
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const index = tabs.findIndex(({ id }) => id === chosen);
    const next = (index + step + tabs.length) % tabs.length;
    choose(tabs[next]?.id ?? "");
    (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === chosen}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => choose(id)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
