/** The dialog that adds or changes a filter: its dimension, operator and values. */
import { useState } from "preact/hooks";
import { filterOf, OPERATORS, printFilter, PROPERTY_PREFIX, UNRECORDED, type Filter, type Operator } from "../../src/shared/filters.ts";
import { FILTER_CONDITIONS_MAX, FILTER_VALUES_MAX } from "../../src/shared/limits.ts";
import { problemText, urlOf } from "../api/http.ts";
import { fetchReport } from "../api/reports.ts";
import { breakdownOf, DIMENSIONS, filterOfVersions } from "../format/dimensions.ts";
import { dimensionName, isOnSet, OPERATOR_WORDS, SET_WORDS } from "../format/filter-words.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Form } from "../kit/forms.tsx";
import { Picker } from "../kit/picker.tsx";
import { Problem } from "../kit/states.tsx";
import { isSameFilter, parseFilters } from "../state/filters.ts";
import { isLoading, useAction, useReport } from "../state/requests.ts";
import { scope, unfilteredScope } from "../state/scope.ts";
import { isGuest } from "../state/share.ts";
import { lockedFilters, ownFilters, setFilters } from "../state/view-filters.ts";
import { closePanel, panel } from "../state/view.ts";
import { SavedFilters } from "./saved-filters.tsx";
import { PickedValues, TypedValues } from "./values-field.tsx";

/** All custom properties; the key is chosen beside it. */
const ANY_PROPERTY = "props";

const GROUPS: readonly (readonly [label: string, dimensions: readonly string[]])[] = [
  ["Page", ["pages", "entry-page", "exit-page", "hostnames"]],
  ["Source", ["sources", "referrers"]],
  ["Location", ["countries", "regions", "cities"]],
  ["Device", ["browsers", "browser-versions", "os", "os-versions", "screen-sizes", "devices"]],
  ["Campaign", ["utm-campaigns", "utm-sources", "utm-mediums", "utm-contents", "utm-terms"]],
  ["Event and goal", ["events", "goal"]],
  ["Property", [ANY_PROPERTY]],
];

interface DimensionChoice {
  readonly id: string;
  readonly label: string;
}

/** Versions are offered only beside a filter by their browser or system, or if one is chosen already. */
function isOffered(dimension: string, chosen: string, others: readonly Filter[]): boolean {
  const breakdown = breakdownOf(dimension);
  const isVersion = breakdown !== undefined && DIMENSIONS[breakdown].versionOf !== undefined;
  return !isVersion || dimension === chosen || filterOfVersions(breakdown, others) !== undefined;
}

const choiceOf = (id: string): DimensionChoice => ({ id, label: id === ANY_PROPERTY ? "Custom property" : dimensionName(id) });

/** `others` are the reader's other filters. */
const dimensionGroups = (chosen: string, others: readonly Filter[]): readonly (readonly [string, readonly DimensionChoice[]])[] =>
  GROUPS.map(([label, dimensions]) => [label, dimensions.filter((each) => isOffered(each, chosen, others)).map(choiceOf)]);

const groupedDimensionOf = (dimension: string): string => (dimension.startsWith(PROPERTY_PREFIX) ? ANY_PROPERTY : dimension);

/** An operator with its negation, or whether the value is set at all. */
interface Test {
  readonly words: string;
  readonly operator: Operator;
  readonly isNot: boolean;
  readonly isOnSet?: boolean;
}

const TESTS: readonly Test[] = [
  ...OPERATORS.flatMap((operator) => [false, true].map((isNot) => ({ words: OPERATOR_WORDS[operator][isNot ? 1 : 0], operator, isNot }))),
  { words: SET_WORDS.isSet, operator: "in", isNot: true, isOnSet: true },
  { words: SET_WORDS.isNotSet, operator: "in", isNot: false, isOnSet: true },
];

/** Values shown by other names than those stored, so that nobody searches for parts of them. */
const CODED: ReadonlySet<string> = new Set(["countries", "devices", "screen-sizes"]);

const testsFor = (dimension: string, chosen: Test): readonly Test[] =>
  TESTS.filter((test) => test === chosen || test.operator === "in" || !CODED.has(dimension));

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

/** null while incomplete. */
function filterFrom({ dimension, test, values }: Draft): Filter | null {
  if (dimension === PROPERTY_PREFIX) return null;
  const given = test.isOnSet === true ? [UNRECORDED] : values.filter((value) => value !== "");
  return given.length === 0 ? null : filterOf(dimension, test.operator, test.isNot, given);
}

/** Read from `panel=filter:…` in the URL; null for a new filter. */
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

/** Picked values are kept for the negation of their operator, typed texts for all operators on texts. */
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

/** Exceeded limits of one request; null within them. */
function excessOf(filter: Filter | null, others: readonly Filter[]): string | null {
  const all = [...lockedFilters.value, ...others, ...(filter ? [filter] : [])];
  const max = FILTER_CONDITIONS_MAX - lockedFilters.value.length;
  if (others.length >= max) return `Choose up to ${max} filters.`;
  return all.flatMap(({ values }) => values).length > FILTER_VALUES_MAX ? `Choose up to ${FILTER_VALUES_MAX} values in all filters.` : null;
}

/** Extracts `missing closing )` from a message of the service, which names its parameters. */
function expressionProblem(message: string): string {
  const [, rule] = /regular expression for "[^"]*" (.*)$/su.exec(message) ?? [];
  const [, reason] = /error parsing regexp: (.*)$/su.exec(message) ?? [];
  if (reason !== undefined) return `Invalid regular expression: ${reason}`;
  return rule === undefined ? message : `The regular expression ${rule}.`;
}

const filterProblem = (error: unknown): string => expressionProblem(problemText(error));

/** Only the service can compile expressions. @throws ServiceError if it rejects this one */
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

  function submit() {
    if (filter !== null && excess === null && !isBusy) void run(() => apply(filter));
  }

  return (
    <Dialog title={changed ? "Change filter" : "Add filter"} onClose={closePanel}>
      <Form onSubmit={submit}>
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
      </Form>
      {changed === null && !isGuest && (
        <section class="segments" aria-label="Segments">
          <h3>Segments</h3>
          <SavedFilters />
        </section>
      )}
    </Dialog>
  );
}
