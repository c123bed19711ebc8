/** What changed, in one sentence or two above the numbers. Its names filter, its days open. */
import type { ChangeSegment } from "../../src/shared/change-sentences.ts";
import type { Report } from "../state/requests.ts";
import { actionOf, textsOf, type Changes } from "./changes.ts";

function Segment({ segment }: { readonly segment: ChangeSegment }) {
  const act = actionOf(segment);
  if (act === null) return <>{segment.text}</>;
  return (
    <button type="button" class={segment.day === undefined ? "said-value" : "said-day"} onClick={act}>
      {segment.text}
    </button>
  );
}

/** Days of which only sums are known are in the numbers below, and not in the sentence. */
const lacksDays = ({ coverage, start_date: start, end_date: end }: Changes): boolean =>
  coverage?.partial.some((days) => !days.answered && days.start_date <= end && days.end_date >= start) ?? false;

/** Keeps its place while it loads, so that the numbers below do not move. */
export function ChangeSentence({ report }: { readonly report: Report<Changes> }) {
  const { data, error, isStale } = report;
  if (error || (data && lacksDays(data))) return null;
  return (
    <p class={isStale ? "change-sentence stale" : "change-sentence"} aria-busy={isStale || !data}>
      {data && textsOf(data).headline.map((segment, i) => <Segment key={i} segment={segment} />)}
    </p>
  );
}
