/** Keys for whoever looks at the page every day. */
import { useLayoutEffect } from "preact/hooks";
import type { Period } from "../state/range.ts";
import { go, openPanel, panel, param, setFilters } from "../state/view.ts";
import { toggleComparison } from "./comparison-picker.tsx";
import { choosePeriod, shiftPeriod } from "./period-picker.tsx";

const PERIOD_KEYS: Readonly<Record<string, Period>> = { d: "day", w: "7d", m: "30d", q: "90d", y: "12mo" };

const ACTIONS: Readonly<Record<string, () => void>> = {
  ArrowLeft: () => shiftPeriod(-1),
  ArrowRight: () => shiftPeriod(1),
  x: toggleComparison,
  f: () => openPanel("filter"),
  "/": () => openPanel("filter"),
  r: () => go({ view: param("view") === "realtime" ? null : "realtime" }),
  Escape: () => (param("view") === null ? setFilters([]) : go({ view: null })),
  "?": () => openPanel("help"),
};

/** For the help. */
export const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ["D", "Today"],
  ["W", "Last 7 days"],
  ["M", "Last 30 days"],
  ["Q", "Last 90 days"],
  ["Y", "Last 12 months"],
  ["← →", "Previous and next period"],
  ["X", "Comparison on and off"],
  ["F or /", "Add a filter"],
  ["R", "Realtime"],
  ["Esc", "Clear filters, close what is open"],
  ["?", "This help"],
];

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, select, textarea, [contenteditable]") !== null;

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || panel.value !== null) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const chosen = PERIOD_KEYS[key];
  const action = chosen ? () => choosePeriod(chosen) : ACTIONS[key];
  if (!action) return;
  event.preventDefault();
  action();
}

/** Listens before the page is first painted: a key pressed as soon as something is seen is not lost. */
export function useKeyboard(): void {
  useLayoutEffect(() => {
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
