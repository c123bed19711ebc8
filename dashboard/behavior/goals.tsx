/** The goals report: custom events with their conversion rates. */
import { RowList } from "../cards/row-list.tsx";
import { Empty, ReportView } from "../components/states.tsx";
import { countOf, formatCount, formatRate } from "../format/locale.ts";
import { TRACK_FUNCTION } from "../names.ts";
import { useReport } from "../state/use-report.ts";
import { hasEvent } from "../state/filter-kind.ts";
import { everybodyScope } from "../state/scope.ts";
import { navigate } from "../state/url.ts";
import { filters, hasConversionRates, hasFilter, isFiltered, toggleFilter } from "../state/view.ts";

const NoGoals = () =>
  isFiltered.value ? (
    <Empty />
  ) : (
    <Empty>
      No goals yet. Track one with <code>{TRACK_FUNCTION}("Signup")</code>.
    </Empty>
  );

/** Conversion rates are shares of all visitors, so a filter on a goal chooses among the rows instead of narrowing the report. */
export function Goals() {
  const report = useReport("goals", everybodyScope.value);
  const shown = report.data?.filter(({ name }) => hasEvent(filters.value, name));
  return (
    <ReportView report={{ ...report, data: shown }}>
      {(goals) =>
        goals.length === 0 ? (
          <NoGoals />
        ) : (
          <>
            <p class="column-heads">
              <span>Goal</span>
              <span>
                {hasConversionRates.value && (
                  <>
                    <abbr title="Conversion rate">CR</abbr> ·{" "}
                  </>
                )}
                Visitors
              </span>
            </p>
            <RowList
              label="Goals"
              rows={goals.map(({ name, visitors, events, conversion_rate }) => ({
                key: name,
                label: name,
                count: visitors,
                share: null,
                countTitle: `${countOf(visitors, "visitor")}, ${countOf(events, "event")}`,
                text: hasConversionRates.value ? `${formatRate(conversion_rate)}  ·  ${formatCount(visitors)}` : formatCount(visitors),
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
