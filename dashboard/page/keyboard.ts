/** Keyboard shortcuts of the page. They are off while a field has the focus or a dialog is open. */
import { useLayoutEffect } from "preact/hooks";
import { annotatePointed, hasAnnotations } from "../charts/annotations.ts";
import { clearFilters } from "../filters/filter-pills.tsx";
import { PERIOD_KEYS, PERIOD_LABELS } from "../format/periods.ts";
import { hasModifier } from "../kit/pointing.ts";
import { choosePeriod, isComparable, offeredPeriods, shiftPeriod, toggleComparison } from "../state/period.ts";
import { closeSettings, isRealtime, isSettings, openPanel, panel, toggleRealtime } from "../state/view.ts";
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
  Escape: () => (isRealtime() ? toggleRealtime() : isDeliberate && clearFilters()),
  "?": () => openPanel("help"),
};

/** Escape is pressed once too often to close a menu: it clears filters only if there was no other Escape just before. */
const ESCAPES_APART_MS = 700;
let lastEscapeMs = -Infinity;
let isDeliberate = true;

/** Sees also the keys that a menu keeps from the page. */
function onEveryKey({ key, timeStamp }: KeyboardEvent): void {
  if (key !== "Escape") return;
  isDeliberate = timeStamp - lastEscapeMs > ESCAPES_APART_MS;
  lastEscapeMs = timeStamp;
}

/** Settings have neither period nor filters. */
const SETTINGS_ACTIONS: typeof ACTIONS = { Escape: closeSettings, "?": () => openPanel("help") };

/** Useless to guests, who see one site and no annotations. */
const SITE_KEYS = "1 to 9";
const ANNOTATE_KEY = "N";
export const KEYS_OF_OWNERS: readonly string[] = [SITE_KEYS, ANNOTATE_KEY];

export const SHORTCUTS: readonly (readonly [keys: string, meaning: string])[] = [
  ...PERIOD_KEYS.map(({ period, key }) => [key, PERIOD_LABELS[period].label] as const),
  ["← →", "Previous and next period"],
  ["X", "Turn the comparison on or off"],
  ["F or /", "Add a filter"],
  ["Shift+F10", "Filter the focused row: include, add, exclude"],
  ["Shift+← →", "Choose a part of the focused chart, which Enter shows"],
  [ANNOTATE_KEY, "Add an annotation"],
  ["R", "Realtime"],
  [SITE_KEYS, "The site with this number in the menu"],
  ["Esc", "Close a menu or dialog, leave realtime or settings, clear filters"],
  ["?", "Help"],
];

export const SITES_SHORTCUTS: typeof SHORTCUTS = [
  ["/", "Search sites"],
  ["Arrow keys, Home, End", "Move between sites"],
  ["1 to 9", "Open the site with this number"],
  ["Esc", "Close a dialog"],
  ["?", "Help"],
];

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, select, textarea, [contenteditable]") !== null;

/** Listens before the first paint, so that no key pressed on a visible page is lost. */
export function useShortcuts(actionOf: (key: string) => (() => void) | undefined, changes: readonly unknown[]): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || hasModifier(event) || isTyping(event.target) || panel.value !== null) return;
      const action = actionOf(event.key.length === 1 ? event.key.toLowerCase() : event.key);
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", onEveryKey, { capture: true });
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onEveryKey, { capture: true });
      document.removeEventListener("keydown", onKeyDown);
    };
  }, changes);
}

export const useSiteShortcuts = (sites: readonly string[]): void =>
  useShortcuts(
    (key) => {
      const actions = isSettings() ? SETTINGS_ACTIONS : ACTIONS;
      return actionOfSiteKey(key, sites) ?? (Object.hasOwn(actions, key) ? actions[key] : undefined);
    },
    [sites],
  );
