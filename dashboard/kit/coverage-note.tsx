/** A quiet line about days of which an import has only daily totals: whether the view counts them. Loaded if there are some. */
import type { CoveredDays } from "../api/reports.ts";
import { formatRange } from "../format/locale.ts";
import { fill, words } from "../words/words.ts";
import { tip } from "./tips.ts";

export interface CoverageNoteProps {
  readonly days: CoveredDays;
}

/** The dates from the first to the last of them; null without any. */
function datesOf(days: CoveredDays): string | null {
  const dates = days.flatMap(({ start_date: start, end_date: end }) => [start, end]).toSorted();
  const [first, last] = [dates[0], dates.at(-1)];
  return first === undefined || last === undefined ? null : formatRange(first, last);
}

function Line({ days, text, means }: { readonly days: CoveredDays; readonly text: string; readonly means: string }) {
  const dates = datesOf(days);
  return (
    dates && (
      <p class="coverage">
        <span tabIndex={0} {...tip(means)}>
          {fill(text, { dates })}
        </span>
      </p>
    )
  );
}

export const CoverageNote = ({ days }: CoverageNoteProps) => (
  <>
    <Line
      days={days.filter(({ answered, lacks }) => answered && !lacks)}
      text={words.coverage.counted}
      means={words.coverage.countedMeans}
    />
    <Line days={days.filter(({ lacks }) => lacks)} text={words.coverage.views} means={words.coverage.viewsMean} />
    <Line days={days.filter(({ answered }) => !answered)} text={words.coverage.leftOut} means={words.coverage.leftOutMeans} />
  </>
);
