/** What the period is compared with. */
import { Menu } from "../components/menu.tsx";
import { comparison, go, type Comparison } from "../state/view.ts";

const WORDS: Readonly<Record<Comparison, string>> = {
  previous_period: "Previous period",
  year_over_year: "A year ago",
  none: "No comparison",
};

export const chooseComparison = (chosen: Comparison): void => go({ compare: chosen === "previous_period" ? null : chosen });

/** On and off. */
export const toggleComparison = (): void => chooseComparison(comparison.value === "none" ? "previous_period" : "none");

export const ComparisonPicker = () => (
  <Menu
    label={comparison.value === "none" ? WORDS.none : `Comparison: vs. ${WORDS[comparison.value]}`}
    button={
      <>
        {comparison.value === "none" ? (
          WORDS.none
        ) : (
          <>
            vs.<span class="comparison-words"> {WORDS[comparison.value]}</span>
          </>
        )}{" "}
        <span class="caret" aria-hidden="true" />
      </>
    }
    items={(Object.keys(WORDS) as Comparison[]).map((id) => ({
      label: WORDS[id],
      isChosen: comparison.value === id,
      onChoose: () => chooseComparison(id),
    }))}
  />
);
