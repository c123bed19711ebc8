/** The properties report: values of one custom property, for all events or one. */
import { PROPERTY_PREFIX } from "../../src/shared/filters.ts";
import { TRACK_FUNCTION } from "../../src/shared/names.ts";
import { urlOf } from "../api/http.ts";
import type { Reports } from "../api/types.ts";
import { filteringRow, RowList } from "../cards/rows.tsx";
import { countOf } from "../format/locale.ts";
import { Empty, ReportView } from "../kit/states.tsx";
import { useReport, useRequest } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { navigate, param } from "../state/url.ts";
import { fill, rich, words } from "../words/words.ts";

const VALUES_SHOWN = 50;

/** Events may have a property with an empty key, which `urlOf` would leave out. */
const valuesUrl = (name: string, event: string | null): string =>
  `${urlOf("/api/stats/property-values", { ...scope.value, event })}&${new URLSearchParams({ name }).toString()}`;

/** The label of a key or a value. */
const labelOf = (text: string): string => (text === "" ? words.explore.emptyValue : text);

function PropertyValues({ name, event }: { readonly name: string; readonly event: string | null }) {
  const report = useRequest<Reports["property-values"]>(valuesUrl(name, event));
  return (
    <ReportView report={report}>
      {(values) =>
        values.length === 0 ? (
          <Empty />
        ) : (
          <>
            <p class="column-heads">
              <span title={name}>{labelOf(name)}</span>
              <span>{words.explore.visitors}</span>
            </p>
            <RowList
              label={fill(words.explore.valuesOf, { property: labelOf(name) })}
              rows={values.slice(0, VALUES_SHOWN).map(({ value, visitors, events }) => ({
                key: value,
                label: labelOf(value),
                count: visitors,
                share: null,
                countTitle: `${countOf(visitors, words.counts.visitor)}, ${countOf(events, words.counts.event)}`,
                ...filteringRow({ dimension: PROPERTY_PREFIX + name, value }, labelOf(value)),
              }))}
            />
            {values.length > VALUES_SHOWN && <p class="dim">{countOf(values.length - VALUES_SHOWN, words.counts.moreValues)}</p>}
          </>
        )
      }
    </ReportView>
  );
}

function PropertyForm({ names, chosen }: { readonly names: readonly string[]; readonly chosen: string }) {
  const goals = useReport("goals", scope.value);
  return (
    <div class="form inline">
      <label>
        {words.explore.property}
        <select value={chosen} title={chosen} onChange={(event) => navigate({ key: event.currentTarget.value })}>
          {names.map((name) => (
            <option key={name} value={name}>
              {labelOf(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {words.explore.event}
        <select value={param("event") ?? ""} onChange={(event) => navigate({ event: event.currentTarget.value })}>
          <option value="">{words.explore.allEvents}</option>
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
        if (chosen === undefined)
          return (
            <Empty>
              {rich(words.explore.noProperties, { code: <code>{`${TRACK_FUNCTION}("Signup", { props: { plan: "pro" } })`}</code> })}
            </Empty>
          );
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
