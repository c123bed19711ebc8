/** The dialog that adds a filter or changes one: what it is about, the test, and the values. */
import { useState } from "preact/hooks";
import { problemText, urlOf } from "../api/http.ts";
import { fetchReport } from "../api/reports.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Picker } from "../kit/picker.tsx";
import { Problem } from "../kit/states.tsx";
import { UNKNOWN } from "../format/dimensions.ts";
import {
  filterOf,
  FILTER_VALUES_MAX,
  FILTERS_MAX,
  isSameFilter,
  parseFilters,
  printFilter,
  PROPERTY_PREFIX,
  type Filter,
} from "../state/filters.ts";
import { scope, unfilteredScope } from "../state/scope.ts";
import { isViewer } from "../state/share.ts";
import { useAction } from "../state/use-action.ts";
import { isLoading, useReport } from "../state/use-report.ts";
import { closePanel, lockedFilters, ownFilters, panel, setFilters } from "../state/view.ts";
import { ANY_PROPERTY, dimensionGroups, groupedDimensionOf, TESTS, testsFor, type Test } from "./dimension-choices.ts";
import { isOnSet } from "../format/filter-words.ts";
import { Segments } from "./segments.tsx";
import { PickedValues, TypedValues } from "./values-field.tsx";

/** The filter that is made. */
interface Draft {
  readonly dimension: string;
  readonly test: Test;
  readonly values: readonly string[];
}

const testOf = (filter: Filter): Test => {
  const found = TESTS.find(
    ({ operator, isNot, isOnSet: onSet = false }) => operator === filter.operator && isNot === filter.isNot && onSet === isOnSet(filter),
  );
  return found ?? (TESTS[0] as Test);
};

const draftOf = (filter: Filter | null): Draft =>
  filter === null
    ? { dimension: "pages", test: TESTS[0] as Test, values: [] }
    : { dimension: filter.dimension, test: testOf(filter), values: filter.values };

/** Null while something is missing. */
function filterFrom({ dimension, test, values }: Draft): Filter | null {
  if (dimension === PROPERTY_PREFIX) return null;
  const given = test.isOnSet === true ? [UNKNOWN] : values.filter((value) => value !== "");
  return given.length === 0 ? null : filterOf(dimension, test.operator, test.isNot, given);
}

/** The filter to change, from the URL's `panel=filter:…`; null for a new one. */
const filterToChange = (): Filter | null => parseFilters(panel.value?.slice("filter:".length) ?? null)[0] ?? null;

interface DraftProps {
  readonly draft: Draft;
  readonly others: readonly Filter[];
  readonly change: (changes: Partial<Draft>) => void;
}

const DimensionField = ({ draft: { dimension }, others, change }: DraftProps) => (
  <label>
    Filter by
    <select
      value={groupedDimensionOf(dimension)}
      onChange={({ currentTarget: { value } }) => change({ dimension: value === ANY_PROPERTY ? PROPERTY_PREFIX : value, values: [] })}
    >
      {dimensionGroups(dimension, [...lockedFilters.value, ...others]).map(([label, choices]) => (
        <optgroup key={label} label={label}>
          {choices.map((choice) => (
            <option key={choice.id} value={choice.id}>
              {choice.label}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  </label>
);

/** Values that were picked stay for the negation of their test; texts for all tests of texts. */
const OperatorField = ({ draft: { dimension, test, values }, change }: DraftProps) => (
  <label>
    Operator
    <select
      value={test.words}
      onChange={(event) => {
        const next = TESTS.find(({ words }) => words === event.currentTarget.value) ?? test;
        const areKept = (next.operator === "in") === (test.operator === "in") && test.isOnSet !== true;
        change({ test: next, values: areKept ? values : [] });
      }}
    >
      {testsFor(dimension, test).map(({ words }) => (
        <option key={words}>{words}</option>
      ))}
    </select>
  </label>
);

function KeyField({ draft: { dimension }, change }: DraftProps) {
  const report = useReport("properties", unfilteredScope.value);
  const keys = report.data ?? [];
  const key = dimension.slice(PROPERTY_PREFIX.length);
  return (
    <div class="labelled">
      <span class="field-label">Property</span>
      <Picker
        label="Property"
        choices={keys.filter((name) => name !== "").map((name) => ({ value: name, label: name }))}
        isLoading={isLoading(report)}
        value={key}
        placeholder="Select a property"
        onPick={(picked) => change({ dimension: PROPERTY_PREFIX + picked, values: [] })}
        choiceOf={(typed) => (keys.includes(typed) ? null : { value: typed, label: typed, hint: "as typed", isLast: true })}
      />
    </div>
  );
}

function ValuesField({ draft: { dimension, test, values }, others, change, isInvalid }: DraftProps & { readonly isInvalid: boolean }) {
  if (test.isOnSet === true || dimension === PROPERTY_PREFIX) return null;
  const onChange = (next: readonly string[]) => change({ values: next });
  return (
    <div class="labelled">
      <span class="field-label" aria-hidden="true">
        Value
      </span>
      {test.operator === "in" ? (
        <PickedValues key={dimension} dimension={dimension} values={values} others={others} onChange={onChange} />
      ) : (
        <TypedValues operator={test.operator} values={values} isInvalid={isInvalid} onChange={onChange} />
      )}
    </div>
  );
}

/** What is too much for one request; null for what is not. */
function excessOf(filter: Filter | null, others: readonly Filter[]): string | null {
  const all = [...lockedFilters.value, ...others, ...(filter ? [filter] : [])];
  const max = FILTERS_MAX - lockedFilters.value.length;
  if (others.length >= max) return `Choose up to ${max} filters.`;
  return all.flatMap(({ values }) => values).length > FILTER_VALUES_MAX ? `Choose up to ${FILTER_VALUES_MAX} values in all filters.` : null;
}

/** `Invalid regular expression: missing closing )` of the service's message, which names its parameters. */
function expressionProblem(message: string): string {
  const [, rule] = /regular expression for "[^"]*" (.*)$/su.exec(message) ?? [];
  const [, reason] = /error parsing regexp: (.*)$/su.exec(message) ?? [];
  if (reason !== undefined) return `Invalid regular expression: ${reason}`;
  return rule === undefined ? message : `The regular expression ${rule}.`;
}

const filterProblem = (error: unknown): string => expressionProblem(problemText(error));

/** Only the service knows which expressions it can read. @throws ServiceError if it cannot read this one */
async function checkExpressions(filter: Filter): Promise<void> {
  if (filter.operator !== "matches") return;
  const url = urlOf("/api/stats/breakdown/events", { ...scope.value, filters: printFilter(filter), limit: 1 });
  await fetchReport(url, AbortSignal.timeout(CHECK_MS_MAX));
}

const CHECK_MS_MAX = 20_000;

export function FilterPanel() {
  const [changed] = useState(filterToChange);
  const [draft, setDraft] = useState(() => draftOf(changed));
  const { isBusy, problem, run } = useAction(filterProblem);
  const others = ownFilters.value.filter((known) => changed === null || !isSameFilter(known, changed));
  const filter = filterFrom(draft);
  const excess = excessOf(filter, others);
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const fields: DraftProps = { draft, others, change };

  async function apply(next: Filter) {
    await checkExpressions(next);
    setFilters([...others.filter((known) => !isSameFilter(known, next)), next]);
  }

  function submit(event: Event) {
    event.preventDefault();
    if (filter !== null && excess === null && !isBusy) void run(() => apply(filter));
  }

  return (
    <Dialog title={changed ? "Change filter" : "Add filter"} onClose={closePanel}>
      <form class="form" onSubmit={submit}>
        <div class="form-row">
          <DimensionField {...fields} />
          <OperatorField {...fields} />
        </div>
        {draft.dimension.startsWith(PROPERTY_PREFIX) && <KeyField {...fields} />}
        <ValuesField {...fields} isInvalid={problem !== null} />
        {excess !== null && <p class="problem">{excess}</p>}
        <Problem text={problem} />
        <button type="submit" class="button primary" disabled={filter === null || excess !== null} aria-disabled={isBusy}>
          Apply filter
        </button>
      </form>
      {changed === null && !isViewer && (
        <section class="segments" aria-label="Segments">
          <h3>Segments</h3>
          <Segments />
        </section>
      )}
    </Dialog>
  );
}
