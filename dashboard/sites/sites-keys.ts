/** Keyboard shortcuts of the page of all sites. They are off while a field has the focus or a dialog is open. */
import { useLayoutEffect } from "preact/hooks";
import { param } from "../state/url.ts";
import { openPanel, openSite, panel } from "../state/view.ts";
import type { SiteRow } from "./site-order.ts";

/** For the help dialog. */
export const SITES_SHORTCUTS: readonly (readonly [keys: string, meaning: string])[] = [
  ["/", "Search sites"],
  ["1 to 9", "Open the site with this number"],
  ["Esc", "Close a dialog"],
  ["?", "Help"],
];

const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.closest("input, select") !== null;

function actionOf(key: string, rows: readonly SiteRow[], focusSearch: () => void): (() => void) | null {
  if (key === "/") return focusSearch;
  if (key === "?") return () => openPanel("help");
  const row = /^[1-9]$/.test(key) ? rows[Number(key) - 1] : undefined;
  return row ? () => openSite(row.site_id, { period: param("period") }) : null;
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
