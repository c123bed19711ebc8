/** The sequences report: visitors who take steps in this order, with anything in between. */
import { STEPS_MIN } from "../../src/shared/limits.ts";
import { countOf, formatCount, formatRate } from "../format/locale.ts";
import { Empty, ReportView } from "../kit/states.tsx";
import { tip } from "../kit/tips.ts";
import { useReport } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { isGuest } from "../state/share.ts";
import { fill, words } from "../words/words.ts";
import { SavedSequences } from "./saved-reports.tsx";
import { StepBuilder, stepsInUrl } from "./steps.tsx";

function SequenceStats({ steps }: { readonly steps: readonly string[] }) {
  const report = useReport("sequences", { ...scope.value, steps: steps.join(",") });
  const { explore } = words;
  return (
    <ReportView report={report} rows={3}>
      {({ converting_visitors, total_visitors, conversion_rate, total_matches }) => (
        <dl class="big-stats">
          <div>
            <dt>{explore.completedBy}</dt>
            <dd data-stat="converting">{formatCount(converting_visitors)}</dd>
          </div>
          <div>
            <dt>{fill(explore.ofAllVisitors, { visitors: countOf(total_visitors, words.counts.visitor) })}</dt>
            <dd>{formatRate(conversion_rate)}</dd>
          </div>
          <div>
            <dt {...tip(explore.timesCompletedTip)}>{explore.timesCompleted}</dt>
            <dd>{formatCount(total_matches)}</dd>
          </div>
        </dl>
      )}
    </ReportView>
  );
}

export function Sequences() {
  const steps = stepsInUrl("sequence");
  return (
    <div class="builder">
      <div class="builder-form">
        <StepBuilder param="sequence" />
        {!isGuest && <SavedSequences />}
      </div>
      <div class="builder-result">
        {steps.length < STEPS_MIN ? <Empty>{words.explore.addSequenceSteps}</Empty> : <SequenceStats steps={steps} />}
      </div>
    </div>
  );
}
