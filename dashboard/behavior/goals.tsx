/** What visitors did beside looking at pages, and how large a share of them did it. */
import { RowList } from "../cards/row-list.tsx";
import { Empty, FigureView } from "../components/states.tsx";
import { filters, go, scope, toggleFilter } from "../state/view.ts";
import { useFigure } from "../state/use-report.ts";
import { countText, rateText } from "../format/numbers.ts";

export function Goals() {
  const figure = useFigure("goals", scope.value);
  return (
    <FigureView figure={figure}>
      {(goals) =>
        goals.length === 0 ? (
          <Empty>
            No events yet. Pages send them with <code>svc("Signup")</code>.
          </Empty>
        ) : (
          <>
            <p class="column-heads">
              <span>Goal</span>
              <span>Conversion rate, visitors</span>
            </p>
            <RowList
              label="Goals"
              rows={goals.map(({ name, visitors, events, conversion_rate }) => ({
                key: name,
                label: name,
                count: visitors,
                share: null,
                unit: `visitors, ${countText(events)} events`,
                text: `${rateText(conversion_rate)}  ·  ${countText(visitors)}`,
                isChosen: filters.value.some((filter) => filter.dimension === "events" && !filter.isNot && filter.value === name),
                onChoose: () => toggleFilter({ dimension: "events", isNot: false, value: name }),
              }))}
            />
            <footer class="card-foot">
              <button type="button" class="link" onClick={() => go({ did: "properties" })}>
                Look at their properties
              </button>
            </footer>
          </>
        )
      }
    </FigureView>
  );
}
