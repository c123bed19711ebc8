/** Keyboard shortcuts of the page. They are off while a field has the focus or a dialog is open. */
import { useLayoutEffect } from "preact/hooks";
import { annotatePointed, hasAnnotations } from "../charts/annotations.ts";
import { clearFilters } from "../filters/filter-pills.tsx";
import { PERIOD_KEYS, PERIOD_LABELS } from "../format/periods.ts";
import { hasModifier } from "../kit/pointing.ts";
import { choosePeriod, isComparable, offeredPeriods, shiftPeriod, toggleComparison } from "../state/period.ts";
import {
  backToDashboard,
  closeSettings,
  isBots,
  isExplore,
  isRealtime,
  isSettings,
  openPanel,
  panel,
  toggleExplore,
  toggleRealtime,
} from "../state/view.ts";
import { words } from "../words/words.ts";
import { actionOfSiteKey } from "./top-bar.tsx";

const ACTIONS: Readonly<Record<string, () => void>> = {
  ...Object.fromEntries(
    PERIOD_KEYS.map(({ period, key }) => [key.toLowerCase(), () => offeredPeriods.value.includes(period) && choosePeriod(period)]),
  ),
  ArrowLeft: () => shiftPeriod(-1),
  ArrowRight: () => shiftPeriod(1),
  // Only the dashboard has a comparison, but not for all time.
  x: () => isRealtime() || isExplore() || isBots() || !isComparable.value || toggleComparison(),
  f: () => openPanel("filter"),
  "/": () => openPanel("filter"),
  n: () => isRealtime() || isExplore() || isBots() || !hasAnnotations() || annotatePointed(),
  r: toggleRealtime,
  e: toggleExplore,
  Escape: () =>
    isRealtime() ? toggleRealtime() : isExplore() || isBots() ? isDeliberate && backToDashboard() : isDeliberate && clearFilters(),
  "?": () => openPanel("help"),
};

/** Escape is pressed once too often to close a menu: it clears filters only if there was no other Escape just before. */
const ESCAPES_APART_MS = 700;
let lastEscapeMs = -Infinity;
let isDeliberate = true;

/** Sees also the keys that a menu keeps from the page. */
function onEveryKey({ key }: KeyboardEvent): void {
  if (key !== "Escape") return;
  const nowMs = performance.now();
  isDeliberate = nowMs - lastEscapeMs > ESCAPES_APART_MS;
  lastEscapeMs = nowMs;
}

/** Settings have neither period nor filters. */
const SETTINGS_ACTIONS: typeof ACTIONS = { Escape: closeSettings, "?": () => openPanel("help") };

type Shortcut = readonly [keys: string, meaning: string];

/** A site's shortcuts. Guests see one site, and no annotations. The words load with the help. */
export const siteShortcuts = (isGuest: boolean): readonly Shortcut[] => [
  ...PERIOD_KEYS.map(({ period, key }) => [key, PERIOD_LABELS[period].label] as const),
  ["← →", words.help.previousNext],
  ["X", words.help.comparison],
  [words.help.fOrSlash, words.help.addFilter],
  [words.help.shiftF10, words.help.rowFilters],
  [words.help.shiftArrows, words.help.chartPart],
  ...(isGuest ? [] : [["N", words.help.annotate] as const]),
  ["R", words.help.realtime],
  ["E", words.exploreLinks.title],
  ...(isGuest ? [] : [[words.help.oneToNine, words.help.siteNumber] as const]),
  [words.help.escape, words.help.clear],
  ["?", words.help.title],
];

export const sitesShortcuts = (): readonly Shortcut[] => [
  ["/", words.help.searchSites],
  [words.help.arrowKeys, words.help.moveSites],
  [words.help.oneToNine, words.help.openSite],
  [words.help.escape, words.help.closeDialog],
  ["?", words.help.title],
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
