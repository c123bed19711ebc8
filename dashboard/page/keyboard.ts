/** Keyboard shortcuts of the page. They are off while a field has the focus or a dialog is open. */
import { useLayoutEffect } from "preact/hooks";
import { annotatePointed, hasAnnotations } from "../charts/annotations.ts";
import { clearFilters } from "../filters/filter-pills.tsx";
import { isComparable, offeredPeriods } from "../state/period.ts";
import { closeSettings, isRealtime, isSettings, openPanel, panel, toggleRealtime } from "../state/view.ts";
import { toggleComparison, choosePeriod, PERIOD_KEYS, PERIOD_LABELS, shiftPeriod } from "./period-picker.tsx";
import { actionOfSiteKey } from "./top-bar.tsx";

const ACTIONS: Readonly<Record<string, () => void>> = {
  ...Object.fromEntries(
    PERIOD_KEYS.map(({ period, key }) => [key.toLowerCase(), () => offeredPeriods.value.includes(period) && choosePeriod(period)]),
  ),
  ArrowLeft: () => shiftPeriod(-1),
  ArrowRight: () => shiftPeriod(1),
  // The realtime view has no comparison, nor has all time.
  x: () => isRealtime() || !isComparable.value || toggleComparison(),
  f: () => openPanel("filter"),
  "/": () => openPanel("filter"),
  n: () => isRealtime() || !hasAnnotations() || annotatePointed(),
  r: toggleRealtime,
  Escape: () => (isRealtime() ? toggleRealtime() : clearFilters()),
  "?": () => openPanel("help"),
};

/** The settings have neither a period nor filters. */
const SETTINGS_ACTIONS: typeof ACTIONS = { Escape: closeSettings, "?": () => openPanel("help") };

/** Of no use to viewers, who have one site and no annotations. */
const SITE_KEYS = "1 to 9";
const ANNOTATE_KEY = "N";
export const KEYS_OF_OWNERS: readonly string[] = [SITE_KEYS, ANNOTATE_KEY];

/** For the help dialog. */
export const SHORTCUTS: readonly (readonly [keys: string, meaning: string])[] = [
  ...PERIOD_KEYS.map(({ period, key }) => [key, PERIOD_LABELS[period].label] as const),
  ["← →", "Previous and next period"],
  ["X", "Turn the comparison on or off"],
  ["F or /", "Add a filter"],
  ["Shift+F10", "Filters for the focused row: only it, also it, or all but it"],
  [ANNOTATE_KEY, "Annotate the point of the chart, or today"],
  ["R", "Realtime"],
  [SITE_KEYS, "The site with this number in the menu"],
  ["Esc", "Clear filters, leave realtime or settings, close a dialog"],
  ["?", "Help"],
];

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, select, textarea, [contenteditable]") !== null;

function onKeyDown(event: KeyboardEvent, sites: readonly string[]): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || panel.value !== null) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const actions = isSettings() ? SETTINGS_ACTIONS : ACTIONS;
  const action = actionOfSiteKey(key, sites) ?? (Object.hasOwn(actions, key) ? actions[key] : undefined);
  if (!action) return;
  event.preventDefault();
  action();
}

/** Listens before the first paint, so that no key pressed on a visible page is lost. */
export function useKeyboard(sites: readonly string[]): void {
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event, sites);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [sites]);
}
