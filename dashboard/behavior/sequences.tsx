/** How many visitors do one thing after the other, whatever they do in between. */
import { Empty, FigureView } from "../components/states.tsx";
import { scope } from "../state/view.ts";
import { useFigure } from "../state/use-report.ts";
import { countText, rateText } from "../format/numbers.ts";
import { StepBuilder, stepsInAddress } from "./steps.tsx";

const STEPS_MIN = 2;

function SequenceFigures({ steps }: { readonly steps: readonly string[] }) {
  const figure = useFigure("sequences", { ...scope.value, steps: steps.join(",") });
  return (
    <FigureView figure={figure} rows={3}>
      {({ converting_visitors, total_visitors, conversion_rate, total_matches }) => (
        <dl class="big-figures">
          <div>
            <dt>Visitors who did</dt>
            <dd data-figure="converting">{countText(converting_visitors)}</dd>
          </div>
          <div>
            <dt>Of all {countText(total_visitors)}</dt>
            <dd>{rateText(conversion_rate)}</dd>
          </div>
          <div>
            <dt title="How often the sequence was gone through, by the same visitor more than once, too.">Times in all</dt>
            <dd>{countText(total_matches)}</dd>
          </div>
        </dl>
      )}
    </FigureView>
  );
}

export function Sequences() {
  const steps = stepsInAddress();
  return (
    <div class="builder">
      <div class="builder-form">
        <StepBuilder />
      </div>
      <div class="builder-result">
        {steps.length < STEPS_MIN ? <Empty>The figures appear here</Empty> : <SequenceFigures steps={steps} />}
      </div>
    </div>
  );
}
