/** Custom properties: which there are, and the values of one, for all events or one. */
import { RowList } from "../cards/row-list.tsx";
import { Empty, FigureView } from "../components/states.tsx";
import { go, param, scope } from "../state/view.ts";
import { useFigure } from "../state/use-report.ts";
import { countText } from "../format/numbers.ts";

const VALUES_SHOWN = 50;

function PropertyValues({ name, event }: { readonly name: string; readonly event: string | null }) {
  const figure = useFigure("property-values", { ...scope.value, key: name, event });
  return (
    <FigureView figure={figure}>
      {(values) =>
        values.length === 0 ? (
          <Empty />
        ) : (
          <>
            <p class="column-heads">
              <span>{name}</span>
              <span>Visitors</span>
            </p>
            <RowList
              label={`Values of ${name}`}
              rows={values.slice(0, VALUES_SHOWN).map(({ value, visitors, events }) => ({
                key: value,
                label: value,
                count: visitors,
                share: null,
                unit: `visitors, ${countText(events)} events`,
              }))}
            />
            {values.length > VALUES_SHOWN && <p class="dim">{countText(values.length - VALUES_SHOWN)} more values</p>}
          </>
        )
      }
    </FigureView>
  );
}

export function Properties() {
  const keys = useFigure("properties", scope.value);
  const goals = useFigure("goals", scope.value);
  return (
    <FigureView figure={keys}>
      {(names) => {
        const chosen = names.find((name) => name === param("key")) ?? names[0];
        if (chosen === undefined) {
          return (
            <Empty>
              No properties yet. Events carry them as <code>svc("Signup", {'{ props: { plan: "pro" } }'})</code>.
            </Empty>
          );
        }
        return (
          <>
            <div class="form inline">
              <label>
                Property
                <select value={chosen} onChange={(event) => go({ key: event.currentTarget.value })}>
                  {names.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
              <label>
                Of
                <select value={param("event") ?? ""} onChange={(event) => go({ event: event.currentTarget.value })}>
                  <option value="">all events</option>
                  {(goals.data ?? []).map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
            </div>
            <PropertyValues name={chosen} event={param("event")} />
          </>
        );
      }}
    </FigureView>
  );
}
