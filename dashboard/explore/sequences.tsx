/** The sequences report: visitors who complete the steps in order, with any events in between. */
import { STEPS_MIN } from "../../src/shared/limits.ts";
import { formatCount, formatRate } from "../format/locale.ts";
import { lazy } from "../kit/lazy.tsx";
import { Empty, ReportView } from "../kit/states.tsx";
import { useReport } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { isGuest } from "../state/share.ts";
import { StepBuilder, stepsInUrl } from "./steps.tsx";

const SavedSequences = lazy(async () => (await import("./saved-steps.tsx")).SavedSequences);

function SequenceStats({ steps }: { readonly steps: readonly string[] }) {
  const report = useReport("sequences", { ...scope.value, steps: steps.join(",") });
  return (
    <ReportView report={report} rows={3}>
      {({ converting_visitors, total_visitors, conversion_rate, total_matches }) => (
        <dl class="big-stats">
          <div>
            <dt>Completed</dt>
            <dd data-stat="converting">{formatCount(converting_visitors)}</dd>
          </div>
          <div>
            <dt title={`Of ${formatCount(total_visitors)} visitors`}>Conversion rate</dt>
            <dd>{formatRate(conversion_rate)}</dd>
          </div>
          <div>
            <dt title="Including repeated completions by the same visitor">Total completions</dt>
            <dd>{formatCount(total_matches)}</dd>
          </div>
        </dl>
      )}
    </ReportView>
  );
}

export function Sequences() {
  const steps = stepsInUrl();
  return (
    <div class="builder">
      <div class="builder-form">
        <StepBuilder />
        {!isGuest && <SavedSequences />}
      </div>
      <div class="builder-result">
        {steps.length < STEPS_MIN ? <Empty>Add two steps to see your sequence</Empty> : <SequenceStats steps={steps} />}
      </div>
    </div>
  );
}
