/** The menu that chooses the compared period. */
import { Menu } from "../kit/menu.tsx";
import { formatShortRange } from "../format/locale.ts";
import type { Comparison } from "../state/compared-range.ts";
import { bounds, comparedBy, comparedRange, comparison, isComparable, matchWeekdays, today } from "../state/period.ts";
import { navigate, param, type Changes } from "../state/url.ts";
import { openPanel } from "../state/view.ts";

export const COMPARISON_LABELS: Readonly<Record<Comparison, string>> = {
  previous_period: "Previous period",
  year_over_year: "Same period last year",
  custom: "Custom period",
  none: "No comparison",
};

const chooseComparison = (chosen: Comparison): void =>
  navigate({ compare: chosen === "previous_period" ? null : chosen, compare_start: null, compare_end: null });

/** What the shortcut turned off, and turns on again. */
let turnedOff: Changes = { compare: null };

export function toggleComparison(): void {
  if (comparison.value === "none") return navigate(turnedOff);
  const compare = comparison.value === "previous_period" ? null : comparison.value;
  turnedOff = { compare, compare_start: param("compare_start"), compare_end: param("compare_end") };
  chooseComparison("none");
}

/** With its dates, e.g. `Previous period (13 Oct – 11 Nov)`. */
function labelOf(choice: Comparison): string {
  const compared = comparedBy(choice);
  return compared
    ? `${COMPARISON_LABELS[choice]} (${formatShortRange(compared.start, compared.end, today.value)})`
    : COMPARISON_LABELS[choice];
}

const COMPARISONS = ["previous_period", "year_over_year"] as const;

const item = (choice: Exclude<Comparison, "custom">) => ({
  label: labelOf(choice),
  isChosen: comparison.value === choice,
  onChoose: () => chooseComparison(choice),
});

export function ComparisonPicker() {
  const chosen = comparison.value;
  const isCompared = chosen !== "none" && (bounds.value === null || comparedRange.value !== null);
  const offered = COMPARISONS.filter((choice) => bounds.value === null || comparedBy(choice) !== null);
  if (offered.length === 0 || !isComparable.value) return null;
  return (
    <Menu
      label={isCompared ? `Comparison: vs. ${COMPARISON_LABELS[chosen]}` : "Compare"}
      button={
        <>
          <span>
            {isCompared ? "vs." : "Compare"}
            {isCompared && <span class="comparison-label"> {COMPARISON_LABELS[chosen]}</span>}
          </span>
          <span class="caret" aria-hidden="true" />
        </>
      }
      items={[
        ...offered.map(item),
        { label: `${labelOf("custom")}…`, isChosen: chosen === "custom", onChoose: () => openPanel("compared-days") },
        item("none"),
        null,
        {
          label: "Match weekdays",
          isChecked: matchWeekdays.value,
          onChoose: () => navigate({ weekdays: matchWeekdays.value ? "off" : null }),
        },
      ]}
    />
  );
}
