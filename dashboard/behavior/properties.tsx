/** The properties report: the values of one custom property, for all events or one. */
import { RowList } from "../cards/row-list.tsx";
import { Empty, ReportView } from "../components/states.tsx";
import { countOf, formatCount } from "../format/locale.ts";
import { TRACK_FUNCTION } from "../names.ts";
import { useReport } from "../state/use-report.ts";
import { navigate, param, scope } from "../state/view.ts";

const VALUES_SHOWN = 50;

function PropertyValues({ name, event }: { readonly name: string; readonly event: string | null }) {
  const report = useReport("property-values", { ...scope.value, key: name, event });
  return (
    <ReportView report={report}>
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
                unit: `visitors, ${formatCount(events)} events`,
              }))}
            />
            {values.length > VALUES_SHOWN && <p class="dim">{countOf(values.length - VALUES_SHOWN, "more value")}</p>}
          </>
        )
      }
    </ReportView>
  );
}

const NoProperties = () => (
  <Empty>
    No properties yet. Add them to an event with{" "}
    <code>
      {TRACK_FUNCTION}("Signup", {'{ props: { plan: "pro" } }'})
    </code>
    .
  </Empty>
);

interface PropertyFormProps {
  readonly names: readonly string[];
  readonly chosen: string;
}

function PropertyForm({ names, chosen }: PropertyFormProps) {
  const goals = useReport("goals", scope.value);
  return (
    <div class="form inline">
      <label>
        Property
        <select value={chosen} onChange={(event) => navigate({ key: event.currentTarget.value })}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Event
        <select value={param("event") ?? ""} onChange={(event) => navigate({ event: event.currentTarget.value })}>
          <option value="">All events</option>
          {(goals.data ?? []).map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </div>
  );
}

export function Properties() {
  const report = useReport("properties", scope.value);
  return (
    <ReportView report={report}>
      {(names) => {
        const chosen = names.find((name) => name === param("key")) ?? names[0];
        if (chosen === undefined) return <NoProperties />;
        return (
          <>
            <PropertyForm names={names} chosen={chosen} />
            <PropertyValues name={chosen} event={param("event")} />
          </>
        );
      }}
    </ReportView>
  );
}
