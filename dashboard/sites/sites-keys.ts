/** The keys of the page of all sites, and of its list of cards. They are off while a field has the focus or a dialog is open. */
import { useLayoutEffect } from "preact/hooks";
import { openPanel, panel } from "../state/view.ts";
import { cardFor } from "../kit/pointing.ts";
import { openCard } from "./site-card.tsx";
import type { SiteRow } from "./site-order.ts";

/** For the help dialog. */
export const SITES_SHORTCUTS: readonly (readonly [keys: string, meaning: string])[] = [
  ["/", "Search sites"],
  ["Arrow keys, Home, End", "Move between sites"],
  ["1 to 9", "Open the site with this number"],
  ["Esc", "Close a dialog"],
  ["?", "Help"],
];

const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.closest("input, select") !== null;

function actionOf(key: string, rows: readonly SiteRow[], focusSearch: () => void): (() => void) | null {
  if (key === "/") return focusSearch;
  if (key === "?") return () => openPanel("help");
  const row = /^[1-9]$/.test(key) ? rows[Number(key) - 1] : undefined;
  return row ? () => openCard(row.site_id) : null;
}

/** For the list. Each is still reached by Tab. */
export function onCardKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const cards = [...(event.currentTarget as HTMLElement).children] as HTMLElement[];
  const index = cards.findIndex((card) => card.contains(event.target as Node));
  const columns = cards.filter(({ offsetTop }) => offsetTop === cards[0]?.offsetTop).length;
  const next = cardFor(event.key, index, cards.length, columns);
  if (next === null) return;
  event.preventDefault();
  cards[next]?.querySelector("a")?.focus();
}

/** Listens before the first paint, so that no key pressed on a visible page is lost. */
export function useSitesKeys(rows: readonly SiteRow[], focusSearch: () => void): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || panel.value !== null)
        return;
      const action = actionOf(event.key, rows, focusSearch);
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [rows]);
}
