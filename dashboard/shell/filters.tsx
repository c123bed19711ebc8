/** Filters: pills below the bar, and the dialog that makes them of values that there are. */
import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { Picker } from "../components/picker.tsx";
import { Failure } from "../components/states.tsx";
import { canFilterBy, parseFilters, type Filter } from "../state/filters.ts";
import { closePanel, filters, openPanel, panel, period, range, setFilters, site } from "../state/view.ts";
import { useBreakdown } from "../state/use-report.ts";
import { DIMENSIONS, FILTERABLE, valueText } from "../format/dimensions.ts";
import { countText } from "../format/numbers.ts";

const VALUES_MAX = 1000;

/** As many as the service takes. */
const FILTERS_MAX = 12;

const isSame = (a: Filter, b: Filter) => a.dimension === b.dimension && a.isNot === b.isNot && a.value === b.value;

export function FilterPills() {
  if (filters.value.length === 0) return null;
  return (
    <ul class="pills" aria-label="Filters">
      {filters.value.map((filter) => {
        const words = `${DIMENSIONS[filter.dimension]?.one ?? filter.dimension} ${filter.isNot ? "is not" : "is"}`;
        const value = valueText(filter.dimension, filter.value);
        return (
          <li key={`${filter.dimension}${filter.isNot}${filter.value}`} class="pill">
            <button
              type="button"
              class="pill-text"
              title="Change this filter"
              onClick={() => openPanel(`filter:${filter.dimension}${filter.isNot ? "!=" : "=="}${filter.value}`)}
            >
              {words} <strong>{value}</strong>
            </button>
            <button
              type="button"
              class="pill-remove"
              aria-label={`Remove filter: ${words} ${value}`}
              onClick={() => setFilters(filters.value.filter((known) => !isSame(known, filter)))}
            >
              ×
            </button>
          </li>
        );
      })}
      <li>
        <button type="button" class="link" onClick={() => setFilters([])}>
          Clear all
        </button>
      </li>
    </ul>
  );
}

/** The filter that the dialog was opened with. */
const openedWith = (): Filter | null => parseFilters(panel.value?.slice("filter:".length) ?? null)[0] ?? null;

export function FilterPanel() {
  const before = openedWith();
  const [dimension, setDimension] = useState(before?.dimension ?? "pages");
  const [isNot, setNot] = useState(before?.isNot ?? false);
  const [value, setValue] = useState(before?.value ?? "");
  const scope = {
    site_id: site.value,
    ...(period.value === "custom" ? { start_date: range.value.start, end_date: range.value.end } : { period: period.value }),
  };
  const figure = useBreakdown(dimension, { ...scope, limit: VALUES_MAX });
  const choices = figure.isStale
    ? []
    : (figure.data ?? []).map((row) => ({ value: row.value, label: valueText(dimension, row.value), hint: countText(row.visitors) }));
  const others = filters.value.filter((known) => before === null || !isSame(known, before));
  const isFull = others.length >= FILTERS_MAX;
  return (
    <Dialog title={before ? "Change filter" : "Add filter"} onClose={closePanel}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (value !== "" && !isFull) setFilters([...others, { dimension, isNot, value }]);
        }}
      >
        <div class="form-row">
          <label>
            What
            <select
              value={dimension}
              onChange={(event) => {
                setDimension(event.currentTarget.value);
                setValue("");
              }}
            >
              {FILTERABLE.map((slug) => (
                <option key={slug} value={slug}>
                  {DIMENSIONS[slug]?.one}
                </option>
              ))}
            </select>
          </label>
          <label>
            Condition
            <select value={isNot ? "is not" : "is"} onChange={(event) => setNot(event.currentTarget.value === "is not")}>
              <option>is</option>
              <option>is not</option>
            </select>
          </label>
        </div>
        <Picker
          label="Value"
          choices={choices.filter((choice) => canFilterBy(choice.value))}
          value={value}
          placeholder={figure.data ? "Pick a value" : "Loading…"}
          onPick={setValue}
        />
        {figure.error && <Failure figure={figure} />}
        {isFull && <p class="problem">At most {FILTERS_MAX} filters.</p>}
        <button type="submit" class="button primary" disabled={value === "" || isFull}>
          Filter
        </button>
      </form>
    </Dialog>
  );
}
