/** The menu that chooses the compared period. */
import { Menu } from "../components/menu.tsx";
import { comparison, navigate, type Comparison } from "../state/view.ts";

const LABELS: Readonly<Record<Comparison, string>> = {
  previous_period: "Previous period",
  year_over_year: "Same period last year",
  none: "No comparison",
};

const chooseComparison = (chosen: Comparison): void => navigate({ compare: chosen === "previous_period" ? null : chosen });

export const toggleComparison = (): void => chooseComparison(comparison.value === "none" ? "previous_period" : "none");

export function ComparisonPicker() {
  const isCompared = comparison.value !== "none";
  return (
    <Menu
      label={isCompared ? `Comparison: vs. ${LABELS[comparison.value]}` : "Compare"}
      button={
        <>
          {isCompared ? "vs." : "Compare"}
          {isCompared && <span class="comparison-label"> {LABELS[comparison.value]}</span>} <span class="caret" aria-hidden="true" />
        </>
      }
      items={(Object.keys(LABELS) as Comparison[]).map((id) => ({
        label: LABELS[id],
        isChosen: comparison.value === id,
        onChoose: () => chooseComparison(id),
      }))}
    />
  );
}
