/** The period: a menu of named ones, and arrows to the previous and next. */
import type { MenuItem } from "../kit/menu-entry.tsx";
import { Menu } from "../kit/menu.tsx";
import { formatRange } from "../format/locale.ts";
import { dayAfter, PERIODS, type Period } from "../state/range.ts";
import {
  bounds,
  defaultPeriod,
  hasAllSharedDates,
  movedRange,
  offeredPeriods,
  period,
  range,
  today,
  urlRangeProblem,
} from "../state/period.ts";
import { isWithin } from "../state/shared-range.ts";
import { navigate } from "../state/url.ts";
import { hasRealtime, isRealtime, openPanel } from "../state/view.ts";

interface PeriodLabel {
  readonly label: string;
  /** The keyboard shortcut. */
  readonly key?: string;
}

export const PERIOD_LABELS: Readonly<Record<Period, PeriodLabel>> = {
  day: { label: "Today", key: "D" },
  "7d": { label: "Last 7 days", key: "W" },
  "30d": { label: "Last 30 days", key: "M" },
  "90d": { label: "Last 90 days", key: "Q" },
  "6mo": { label: "Last 6 months" },
  "12mo": { label: "Last 12 months", key: "Y" },
  month: { label: "Month to date" },
  year: { label: "Year to date" },
  all: { label: "All time", key: "A" },
};

/** Those that have a key. */
export const PERIOD_KEYS = PERIODS.flatMap((named) => {
  const { key } = PERIOD_LABELS[named];
  return key === undefined ? [] : [{ period: named, key }];
});

export const choosePeriod = (chosen: Period): void =>
  navigate({ period: chosen === defaultPeriod.value ? null : chosen, start: null, end: null });

/** By its length, `lengths` times; negative into the past. */
export function shiftPeriod(lengths: number): void {
  // Without a next period, the realtime view is left for the current one.
  navigate(movedRange(lengths) ?? { view: null });
}

interface ArrowProps {
  readonly name: string;
  readonly text: string;
  readonly shortcut: string;
  readonly lengths: number;
}

const Arrow = ({ name, text, shortcut, lengths }: ArrowProps) => (
  <button
    type="button"
    class="bar-button arrow"
    aria-label={name}
    title={`${name} (${shortcut})`}
    disabled={movedRange(lengths) === null}
    onClick={() => shiftPeriod(lengths)}
  >
    {text}
  </button>
);

const realtimeItem = () => ({ label: "Realtime", hint: "R", isChosen: isRealtime(), onChoose: () => navigate({ view: "realtime" }) });

/** The way back from some of the dates of a share link. */
const allSharedItem = () => ({
  label: "All shared dates",
  isChosen: hasAllSharedDates.value && !isRealtime(),
  onChoose: () => navigate({ period: null, start: null, end: null }),
});

/** Null where a share link does not show it. */
function yesterdayItem(): MenuItem | null {
  const { start, end } = range.value;
  const yesterday = dayAfter(today.value, -1);
  if (!isWithin({ start: yesterday, end: yesterday }, bounds.value)) return null;
  return {
    label: "Yesterday",
    isChosen: start === yesterday && end === yesterday && !hasAllSharedDates.value && !isRealtime(),
    onChoose: () => navigate({ start: yesterday, end: yesterday, period: null }),
  };
}

const periodItem = (id: Period): MenuItem => ({
  label: PERIOD_LABELS[id].label,
  ...(PERIOD_LABELS[id].key !== undefined && { hint: PERIOD_LABELS[id].key }),
  isChosen: id === period.value && !isRealtime(),
  onChoose: () => choosePeriod(id),
});

/** Single days, days up to now, those of the calendar, and what is no named period. A line is between groups. */
function periodItems(): (MenuItem | null)[] {
  const offered = (...ids: readonly Period[]) => ids.filter((id) => offeredPeriods.value.includes(id)).map(periodItem);
  const groups: readonly (readonly (MenuItem | null)[])[] = [
    [defaultPeriod.value === null ? allSharedItem() : null, ...offered("day"), yesterdayItem()],
    offered("7d", "30d", "90d", "6mo", "12mo"),
    offered("month", "year", "all"),
    [{ label: "Custom range…", onChoose: () => openPanel("days") }, hasRealtime() ? realtimeItem() : null],
  ];
  const shown = groups.map((group) => group.filter((item) => item !== null)).filter((group) => group.length > 0);
  return shown.flatMap((group, i) => (i === 0 ? group : [null, ...group]));
}

function PeriodMenu() {
  const { start, end } = range.value;
  const chosen = period.value;
  const label = isRealtime() ? "Realtime" : chosen === "custom" ? formatRange(start, end) : PERIOD_LABELS[chosen].label;
  return (
    <Menu
      label={`Period: ${label}`}
      button={
        <>
          <span>{label}</span> <span class="caret" aria-hidden="true" />
        </>
      }
      items={periodItems()}
    />
  );
}

export const PeriodPicker = () => (
  <div class="period">
    <Arrow name="Previous period" text="‹" shortcut="←" lengths={-1} />
    <Arrow name="Next period" text="›" shortcut="→" lengths={1} />
    <PeriodMenu />
  </div>
);

/** In place of reports that would fail: the dates of a link that cannot be shown. */
export const RangeNotice = () =>
  urlRangeProblem.value && (
    <p class="notice" role="status">
      The dates in this link can't be shown. {urlRangeProblem.value.text} Showing {formatRange(range.value.start, range.value.end)}.{" "}
      <button type="button" class="link" onClick={() => openPanel("days")}>
        Choose other dates
      </button>
    </p>
  );
