/** Menus of the period and the comparison. */
import { dayAfter, type Period } from "../../src/shared/periods.ts";
import { formatRange, formatShortRange } from "../format/locale.ts";
import { againstText, comparisonName, PERIOD_LABELS } from "../format/periods.ts";
import { LinkButton } from "../kit/inline.tsx";
import { Menu, type MenuItem } from "../kit/menu.tsx";
import {
  bounds,
  chooseComparison,
  choosePeriod,
  comparedBy,
  comparedRange,
  comparison,
  defaultPeriod,
  hasAllSharedDates,
  isComparable,
  matchWeekdays,
  movedRange,
  offeredPeriods,
  period,
  range,
  shiftPeriod,
  today,
  urlRangeProblem,
} from "../state/period.ts";
import { isWithin, type Comparison } from "../state/range.ts";
import { navigate } from "../state/url.ts";
import { hasRealtime, isRealtime, openPanel } from "../state/view.ts";
import { fill, rich, words } from "../words/words.ts";

const arrow = (name: string, text: string, shortcut: string, lengths: 1 | -1) => (
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

const realtimeItem = () => ({
  label: words.page.realtime,
  hint: "R",
  isChosen: isRealtime(),
  onChoose: () => navigate({ view: "realtime" }),
});

/** Returns from a part of a share link's dates to all of them. */
const allSharedItem = () => ({
  label: words.page.allShared,
  isChosen: hasAllSharedDates.value && !isRealtime(),
  onChoose: () => navigate({ period: null, start: null, end: null }),
});

/** null if the share link does not show it. */
function yesterdayItem(): MenuItem | null {
  const { start, end } = range.value;
  const yesterday = dayAfter(today.value, -1);
  if (!isWithin({ start: yesterday, end: yesterday }, bounds.value)) return null;
  return {
    label: words.page.yesterday,
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

/** Groups: single days, days up to now, calendar periods, and all else. */
function periodItems(): (MenuItem | null)[] {
  const offered = (...ids: readonly Period[]) => ids.filter((id) => offeredPeriods.value.includes(id)).map(periodItem);
  const groups: readonly (readonly (MenuItem | null)[])[] = [
    [defaultPeriod.value === null ? allSharedItem() : null, ...offered("day"), yesterdayItem()],
    offered("7d", "30d", "90d", "6mo", "12mo"),
    offered("month", "year", "all"),
    [{ label: words.page.customRange, onChoose: () => openPanel("days") }, hasRealtime() ? realtimeItem() : null],
  ];
  const shown = groups.map((group) => group.filter((item) => item !== null)).filter((group) => group.length > 0);
  return shown.flatMap((group, i) => (i === 0 ? group : [null, ...group]));
}

export function PeriodPicker() {
  const { start, end } = range.value;
  const chosen = period.value;
  const label = isRealtime() ? words.page.realtime : chosen === "custom" ? formatRange(start, end) : PERIOD_LABELS[chosen].label;
  return (
    <div class="period">
      {arrow(words.page.previousPeriod, "‹", "←", -1)}
      {arrow(words.page.nextPeriod, "›", "→", 1)}
      <Menu label={fill(words.page.periodMenu, { period: label })} button={<span>{label}</span>} hasCaret items={periodItems()} />
    </div>
  );
}

/** Replaces reports that would fail: the URL contains dates that cannot be shown. */
export const RangeNotice = () =>
  urlRangeProblem.value && (
    <p class="notice" role="status">
      {rich(words.page.cannotShow, {
        problem: urlRangeProblem.value.text,
        dates: formatRange(range.value.start, range.value.end),
        choose: (text) => <LinkButton onClick={() => openPanel("days")}>{text}</LinkButton>,
      })}
    </p>
  );

/** `Previous period (13 Oct – 11 Nov)` */
function labelOf(choice: Comparison): string {
  const compared = comparedBy(choice);
  const name = comparisonName(choice, compared, range.value);
  return compared ? `${name} (${formatShortRange(compared.start, compared.end, today.value)})` : name;
}

const item = (choice: Exclude<Comparison, "custom">) => ({
  label: labelOf(choice),
  isChosen: comparison.value === choice,
  onChoose: () => chooseComparison(choice),
});

export function ComparisonPicker() {
  const chosen = comparison.value;
  const compared = comparedRange.value && againstText(comparedRange.value, today.value);
  const offered = (["previous_period", "year_over_year"] as const).filter((choice) => bounds.value === null || comparedBy(choice) !== null);
  if (offered.length === 0 || !isComparable.value) return null;
  return (
    <Menu
      label={compared === null ? words.compare.compare : fill(words.compare.label, { dates: compared })}
      button={
        <span>
          <span class={compared === null ? "" : "comparison-short"}>{words.compare.compare}</span>
          {compared !== null && <span class="comparison-label">{compared}</span>}
        </span>
      }
      hasCaret
      items={[
        ...offered.map(item),
        { label: `${labelOf("custom")}…`, isChosen: chosen === "custom", onChoose: () => openPanel("compared-days") },
        item("none"),
        null,
        {
          label: words.page.matchWeekdays,
          isChecked: matchWeekdays.value,
          onChoose: () => navigate({ weekdays: matchWeekdays.value ? "off" : null }),
        },
      ]}
    />
  );
}
