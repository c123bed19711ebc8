/** The goals report: custom events with their conversion rates. */
import { RowList } from "../cards/row-list.tsx";
import { Empty, ReportView } from "../components/states.tsx";
import { formatCount, formatRate } from "../format/locale.ts";
import { TRACK_FUNCTION } from "../names.ts";
import { useReport } from "../state/use-report.ts";
import { hasFilter, navigate, scope, toggleFilter } from "../state/view.ts";

const NoGoals = () => (
  <Empty>
    No goals yet. Track one with <code>{TRACK_FUNCTION}("Signup")</code>.
  </Empty>
);

export function Goals() {
  const report = useReport("goals", scope.value);
  return (
    <ReportView report={report}>
      {(goals) =>
        goals.length === 0 ? (
          <NoGoals />
        ) : (
          <>
            <p class="column-heads">
              <span>Goal</span>
              <span>
                <abbr title="Conversion rate">CR</abbr> · Visitors
              </span>
            </p>
            <RowList
              label="Goals"
              rows={goals.map(({ name, visitors, events, conversion_rate }) => ({
                key: name,
                label: name,
                count: visitors,
                share: null,
                unit: `visitors, ${formatCount(events)} events`,
                text: `${formatRate(conversion_rate)}  ·  ${formatCount(visitors)}`,
                isChosen: hasFilter("events", name),
                onChoose: () => toggleFilter("events", name),
              }))}
            />
            <footer class="card-foot">
              <button type="button" class="link" onClick={() => navigate({ did: "properties" })}>
                View properties
              </button>
            </footer>
          </>
        )
      }
    </ReportView>
  );
}
