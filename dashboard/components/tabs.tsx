/** A row of tabs; the chosen one is in the address. */
import { go, param } from "../state/view.ts";

export interface Tab {
  readonly id: string;
  readonly label: string;
}

interface TabsProps {
  readonly label: string;
  /** The address parameter. */
  readonly name: string;
  readonly tabs: readonly Tab[];
}

/** The id of the chosen tab, else of the first. */
export const chosenTab = (name: string, tabs: readonly Tab[]): string => tabs.find(({ id }) => id === param(name))?.id ?? tabs[0]?.id ?? "";

export function Tabs({ label, name, tabs }: TabsProps) {
  const chosen = chosenTab(name, tabs);
  const choose = (id: string) => go({ [name]: id === tabs[0]?.id ? null : id });
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = tabs.findIndex(({ id }) => id === chosen);
    const next = (at + step + tabs.length) % tabs.length;
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
