/** What the keys do in an open menu (WAI-ARIA menu pattern), and in its search field. */
import type { MenuItem } from "./menu-entry.tsx";

export interface OpenMenu {
  readonly root: HTMLElement;
  /** Those that are shown. */
  readonly items: readonly (MenuItem | null)[];
  /** Whether a search has narrowed them. */
  readonly isNarrowed: boolean;
  readonly onClose: () => void;
}

export const entriesIn = (root: HTMLElement): HTMLElement[] => [...root.querySelectorAll<HTMLElement>('[role^="menuitem"]')];

/** The chosen item of a menu of choices. One of actions may have further groups of choices. */
export const chosenIn = (root: HTMLElement): HTMLElement | null =>
  entriesIn(root)[0]?.role === "menuitemradio" ? root.querySelector('[role="menuitemradio"][aria-checked="true"]') : null;

const textOf = (entry: HTMLElement): string => entry.querySelector(".menu-text")?.textContent?.toLowerCase() ?? "";

/** The entry that an arrow key, Home, End or a letter leads to. */
function entryFor(key: string, entries: readonly HTMLElement[], focused: EventTarget | null): HTMLElement | undefined {
  const index = entries.indexOf(focused as HTMLElement);
  const after = [...entries.slice(index + 1), ...entries.slice(0, index + 1)];
  switch (key) {
    case "ArrowDown":
      return after[0];
    case "ArrowUp":
      return entries.at(Math.max(index, 0) - 1);
    case "Home":
      return entries[0];
    case "End":
      return entries.at(-1);
    default:
      return after.find((entry) => textOf(entry).startsWith(key.toLowerCase()));
  }
}

/** Enter chooses the first match. */
function onSearchKey(event: KeyboardEvent, { root, isNarrowed }: OpenMenu): void {
  const entries = entriesIn(root);
  const [first] = entries;
  if (!["Enter", "ArrowDown", "ArrowUp"].includes(event.key)) return;
  // Else Enter would open the menu again, whose button then has the focus.
  event.preventDefault();
  if (event.key === "ArrowUp") entries.at(-1)?.focus();
  else if (event.key === "ArrowDown") ((!isNarrowed && chosenIn(root)) || first)?.focus();
  else if (isNarrowed && first?.role === "menuitemradio") first.click();
}

function onItemKey(event: KeyboardEvent, { root, items, onClose }: OpenMenu): void {
  const { key } = event;
  const hinted = items.find((item) => item?.hint?.toLowerCase() === key.toLowerCase());
  const next = entryFor(key, entriesIn(root), event.target);
  if (hinted || next) event.preventDefault();
  if (hinted) {
    onClose();
    hinted.onChoose();
  } else if (next) next.focus();
  else if (key.length === 1 && key !== " ") root.querySelector("input")?.focus();
}

export function onMenuKey(event: KeyboardEvent, menu: OpenMenu): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // No shortcut of the page.
  event.stopPropagation();
  if (event.key === "Escape" || event.key === "Tab") menu.onClose();
  else if (event.target instanceof HTMLInputElement) onSearchKey(event, menu);
  else onItemKey(event, menu);
}
