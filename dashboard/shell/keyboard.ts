/** Keyboard shortcuts of the page. They are off while a field has the focus or a dialog is open. */
import { useLayoutEffect } from "preact/hooks";
import { isRealtime, toggleRealtime } from "../realtime/realtime-view.tsx";
import { PERIODS } from "../state/range.ts";
import { openPanel, panel } from "../state/view.ts";
import { toggleComparison } from "./comparison-picker.tsx";
import { clearFilters } from "./filters.tsx";
import { choosePeriod, PERIOD_LABELS, shiftPeriod } from "./period-picker.tsx";

const ACTIONS: Readonly<Record<string, () => void>> = {
  ...Object.fromEntries(PERIODS.map((period) => [PERIOD_LABELS[period].key.toLowerCase(), () => choosePeriod(period)])),
  ArrowLeft: () => shiftPeriod(-1),
  ArrowRight: () => shiftPeriod(1),
  x: toggleComparison,
  f: () => openPanel("filter"),
  "/": () => openPanel("filter"),
  r: toggleRealtime,
  Escape: () => (isRealtime() ? toggleRealtime() : clearFilters()),
  "?": () => openPanel("help"),
};

/** For the help dialog. */
export const SHORTCUTS: readonly (readonly [keys: string, meaning: string])[] = [
  ...PERIODS.map((period) => [PERIOD_LABELS[period].key, PERIOD_LABELS[period].label] as const),
  ["← →", "Previous and next period"],
  ["X", "Turn the comparison on or off"],
  ["F or /", "Add a filter"],
  ["R", "Realtime"],
  ["Esc", "Clear filters, close a dialog"],
  ["?", "Help"],
];

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, select, textarea, [contenteditable]") !== null;

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || panel.value !== null) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!Object.hasOwn(ACTIONS, key)) return;
  event.preventDefault();
  ACTIONS[key]?.();
}

/** Listens before the first paint, so that no key pressed on a visible page is lost. */
export function useKeyboard(): void {
  useLayoutEffect(() => {
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
