/** The filters of the view: pills under the bar, and the dialog that adds or changes one. */
import { useState } from "preact/hooks";
import type { Dimension } from "../api/types.ts";
import { Dialog } from "../components/dialog.tsx";
import { Picker } from "../components/picker.tsx";
import { Failure } from "../components/states.tsx";
import { DIMENSIONS, FILTERABLE, filterOfVersions, formatValue, isDimension } from "../format/dimensions.ts";
import { formatCount } from "../format/locale.ts";
import { canFilterBy, FILTERS_MAX, isSameFilter, parseFilters, printFilter, type Filter } from "../state/filters.ts";
import { useBreakdown } from "../state/use-report.ts";
import { unfilteredScope } from "../state/scope.ts";
import { canClear, closePanel, filters, lockedFilters, openPanel, ownFilters, panel, setFilters } from "../state/view.ts";

/** The service's limit for one request. */
const VALUES_MAX = 1000;

const without = (filter: Filter | null): Filter[] => ownFilters.value.filter((known) => filter === null || !isSameFilter(known, filter));

const FILTER_BUTTON_ID = "add-filter";

export const FilterButton = () => (
  <button type="button" id={FILTER_BUTTON_ID} class="bar-button" title="Add a filter (F)" onClick={() => openPanel("filter")}>
    <svg class="filter-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2 4h12M4.500 8h7M7 12h2" />
    </svg>
    <span class="filter-label">Filter</span>
  </button>
);

/** Moves the focus from a pill that is about to be removed to the next one, or to the Filter button. */
function leavePill(pill: Element | null | undefined): void {
  const next = [pill?.nextElementSibling, pill?.previousElementSibling].map((other) => other?.querySelector<HTMLElement>(".pill-remove"));
  (next.find((found) => found != null) ?? document.getElementById(FILTER_BUTTON_ID))?.focus();
}

export function clearFilters(): void {
  if (document.activeElement?.closest(".pills")) leavePill(null);
  setFilters([]);
}

function textsOf({ dimension, isNot, value }: Filter): { readonly condition: string; readonly valueText: string } {
  const isKnown = isDimension(dimension);
  return {
    condition: `${isKnown ? DIMENSIONS[dimension].singular : dimension} ${isNot ? "is not" : "is"}`,
    valueText: isKnown ? formatValue(dimension, value, filters.value) : value,
  };
}

/** Of a share link: it cannot be changed or removed. */
function LockedPill({ filter }: { readonly filter: Filter }) {
  const { condition, valueText } = textsOf(filter);
  return (
    <li class="pill locked" title="This page always has this filter">
      <span class="pill-text">
        <span class="unseen">Fixed filter: </span>
        {condition} <strong>{valueText}</strong>
      </span>
    </li>
  );
}

function FilterPill({ filter }: { readonly filter: Filter }) {
  const { condition, valueText } = textsOf(filter);
  return (
    <li class="pill">
      <button type="button" class="pill-text" title="Change this filter" onClick={() => openPanel(`filter:${printFilter(filter)}`)}>
        {condition} <strong>{valueText}</strong>
      </button>
      <button
        type="button"
        class="pill-remove"
        aria-label={`Remove filter: ${condition} ${valueText}`}
        onClick={(event) => {
          leavePill(event.currentTarget.closest("li"));
          setFilters(without(filter));
        }}
      >
        ×
      </button>
    </li>
  );
}

export const FilterPills = () =>
  filters.value.length === 0 ? null : (
    <ul class="pills" aria-label="Filters">
      {lockedFilters.value.map((filter) => (
        <LockedPill key={printFilter(filter)} filter={filter} />
      ))}
      {ownFilters.value.map((filter) => (
        <FilterPill key={printFilter(filter)} filter={filter} />
      ))}
      {canClear.value && (
        <li>
          <button type="button" class="link" onClick={clearFilters}>
            Clear all
          </button>
        </li>
      )}
    </ul>
  );

interface ValuePickerProps {
  readonly dimension: Dimension;
  readonly value: string;
  readonly onPick: (value: string) => void;
}

/** Picks from the values of the period, whatever the other filters; from versions of the filtered browser only. */
function ValuePicker({ dimension, value, onPick }: ValuePickerProps) {
  const whole = filterOfVersions(dimension, filters.value);
  const report = useBreakdown(dimension, { ...unfilteredScope.value, filters: whole && printFilter(whole), limit: VALUES_MAX });
  const rows = report.isStale ? [] : (report.data ?? []);
  return (
    <>
      <Picker
        label="Value"
        choices={rows
          .filter((row) => canFilterBy(row.value))
          .map((row) => ({ value: row.value, label: formatValue(dimension, row.value, filters.value), hint: formatCount(row.visitors) }))}
        value={value}
        placeholder={report.data ? "Select a value" : "Loading…"}
        onPick={onPick}
      />
      {report.error && <Failure report={report} />}
    </>
  );
}

/** Versions only beside a filter by what they are versions of. */
const isOffered = (dimension: Dimension): boolean =>
  DIMENSIONS[dimension].versionOf === undefined || filterOfVersions(dimension, filters.value) !== undefined;

/** The filter to change, from the URL's `panel=filter:…`; null for a new one. */
const filterToChange = (): Filter | null => parseFilters(panel.value?.slice("filter:".length) ?? null)[0] ?? null;

export function FilterPanel() {
  const changed = filterToChange();
  const [dimension, setDimension] = useState<Dimension>(changed && isDimension(changed.dimension) ? changed.dimension : "pages");
  const [isNot, setNot] = useState(changed?.isNot ?? false);
  const [value, setValue] = useState(changed?.value ?? "");
  const others = without(changed);
  const max = FILTERS_MAX - lockedFilters.value.length;
  const isFull = others.length >= max;

  function submit(event: Event) {
    event.preventDefault();
    if (value !== "" && !isFull) setFilters([...others, { dimension, isNot, value }]);
  }

  return (
    <Dialog title={changed ? "Change filter" : "Add filter"} onClose={closePanel}>
      <form class="form" onSubmit={submit}>
        <div class="form-row">
          <label>
            Filter by
            <select
              value={dimension}
              onChange={(event) => {
                setDimension(event.currentTarget.value as Dimension);
                setValue("");
              }}
            >
              {FILTERABLE.filter((slug) => slug === dimension || isOffered(slug)).map((slug) => (
                <option key={slug} value={slug}>
                  {DIMENSIONS[slug].singular}
                </option>
              ))}
            </select>
          </label>
          <label>
            Operator
            <select value={isNot ? "is not" : "is"} onChange={(event) => setNot(event.currentTarget.value === "is not")}>
              <option>is</option>
              <option>is not</option>
            </select>
          </label>
        </div>
        <ValuePicker dimension={dimension} value={value} onPick={setValue} />
        {isFull && <p class="problem">Choose up to {max} filters.</p>}
        <button type="submit" class="button primary" disabled={value === "" || isFull}>
          Filter
        </button>
      </form>
    </Dialog>
  );
}
