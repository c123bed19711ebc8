/** The dialog that adds or changes a filter: its dimension, operator and values, picked or typed. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { filterOf, OPERATORS, printFilter, PROPERTY_PREFIX, UNRECORDED, type Filter, type Operator } from "../../src/shared/filters.ts";
import { normalizeHost, normalizePath } from "../../src/shared/paths.ts";
import { FILTER_CONDITIONS_MAX, FILTER_EXPRESSION_CHARS_MAX, FILTER_VALUE_CHARS_MAX, FILTER_VALUES_MAX } from "../../src/shared/limits.ts";
import { problemText, urlOf } from "../api/http.ts";
import { fetchReport } from "../api/reports.ts";
import type { Reports } from "../api/types.ts";
import { breakdownOf, DIMENSIONS, filterOfVersions, unknownLabel } from "../format/dimensions.ts";
import { dimensionName, isOnSet, OPERATOR_WORDS, valueName } from "../format/filter-words.ts";
import { formatCount } from "../format/locale.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Form, useSettled } from "../kit/forms.tsx";
import { CrossButton, LinkButton } from "../kit/inline.tsx";
import { Picker, type Choice } from "../kit/picker.tsx";
import { Failure, Problem } from "../kit/states.tsx";
import { canFilterBy, isSameFilter, parseFilters, printFilters, VISIT_PREFIX } from "../state/filters.ts";
import { isLoading, useAction, useReport, useRequest } from "../state/requests.ts";
import { scope, unfilteredScope } from "../state/scope.ts";
import { isGuest } from "../state/share.ts";
import { lockedFilters, ownFilters, savedFilterId, setFilters } from "../state/view-filters.ts";
import { closePanel, panel } from "../state/view.ts";
import { fill, words } from "../words/words.ts";
import { SavedFilters } from "./saved-items.tsx";

/** The picker shows as many. */
const SEARCHED_ROWS = 50;
/** Labels differ from values, so all are requested and searched here. */
const NAMED_ROWS = 1000;

type Row = Reports["breakdown"][number] | Reports["conversions"][number] | Reports["goals"][number] | Reports["property-values"][number];

/** A property's name may be empty, which `urlOf` would leave out. */
function urlFor(dimension: string, search: string, parameters: ReturnType<typeof scopeOf>): string {
  if (dimension === "goal") return urlOf("/api/stats/goals", parameters);
  const breakdown = breakdownOf(dimension);
  if (breakdown === undefined) {
    const name = dimension.slice(PROPERTY_PREFIX.length);
    return `${urlOf("/api/stats/property-values", { ...parameters, search })}&${new URLSearchParams({ name }).toString()}`;
  }
  const { format, versionOf } = DIMENSIONS[breakdown];
  const rows = format || versionOf ? { limit: NAMED_ROWS } : { limit: SEARCHED_ROWS, search, unknown_label: unknownLabel(breakdown) };
  return urlOf(`/api/stats/breakdown/${breakdown}`, { ...parameters, ...rows });
}

const scopeOf = (others: readonly Filter[]) => ({ ...unfilteredScope.value, segment: savedFilterId.value, filters: printFilters(others) });

/** A typed value that the period does not have. Versions and countries cannot be typed, because their labels differ from their values. */
function typedChoice(dimension: string, typed: string): Choice | null {
  const breakdown = breakdownOf(dimension);
  const { format, versionOf, spelling } = breakdown === undefined ? {} : DIMENSIONS[breakdown];
  if (format || versionOf || !canFilterBy(typed)) return null;
  const value = spelling === "path" ? normalizePath(typed) : spelling === "host" ? normalizeHost(typed) : typed;
  return { value, label: typed, hint: words.filterDialog.asTyped, isLast: true };
}

interface ValuesProps {
  readonly dimension: string;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

/** Offers the site's values that match a typed text, with their visitors, in the period and under the reader's `others` filters. */
function PickedValues({ dimension, values, others, onChange }: ValuesProps & { readonly others: readonly Filter[] }) {
  const root = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const report = useRequest<readonly Row[]>(urlFor(dimension, useSettled(typed), scopeOf(others)));
  const defined = useReport("conversions", dimension === "goal" ? scopeOf(others) : null).data ?? [];
  const nameOf = (value: string) => valueName(dimension, value, [...lockedFilters.value, ...others]);
  const isDefined = (row: Row) => "name" in row && defined.some(({ name }) => name === row.name);
  const choices = [...defined, ...(report.data ?? []).filter((row) => !isDefined(row))]
    .map((row) => ({ value: "name" in row ? row.name : row.value, visitors: row.visitors }))
    .filter(({ value }) => canFilterBy(value))
    .map(({ value, visitors }) => ({ value, label: nameOf(value), hint: formatCount(visitors) }));

  function remove(value: string) {
    root.current?.querySelector("input")?.focus();
    onChange(values.filter((known) => known !== value));
  }

  function onKeyDown({ key, target }: KeyboardEvent) {
    const last = values.at(-1);
    if (key === "Backspace" && target instanceof HTMLInputElement && target.value === "" && last !== undefined) remove(last);
  }

  return (
    <div class="values-field" ref={root} onKeyDown={onKeyDown}>
      {values.length > 0 && (
        <ul class="chosen-values" aria-label={words.filterDialog.chosen}>
          {values.map((value) => (
            <li key={value} class="chosen-value">
              <span title={nameOf(value)}>{nameOf(value)}</span>
              <CrossButton
                class="pill-remove"
                label={fill(words.filterDialog.remove, { value: nameOf(value) })}
                onClick={() => remove(value)}
              />
            </li>
          ))}
        </ul>
      )}
      <Picker
        label={words.filterDialog.value}
        choices={choices.filter(({ value }) => !values.includes(value))}
        isLoading={!report.error && (report.data === undefined || report.isStale)}
        value=""
        placeholder={values.length > 0 ? words.filterDialog.another : words.filterDialog.select}
        onPick={(value) => {
          setTyped("");
          onChange([...values, value]);
        }}
        choiceOf={(text) => (choices.some(({ value }) => value === text) || values.includes(text) ? null : typedChoice(dimension, text))}
        onType={setTyped}
      />
      {report.error && <Failure report={report} />}
    </div>
  );
}

/** A part of a value, a pattern and an expression that a dimension has. */
interface Examples {
  readonly like: string;
  readonly matches: string;
}

const PATHS: Examples = { like: "/blog/*", matches: "^/blog/\\d+" };
const HOSTS: Examples = { like: "*.example.com", matches: "^(www|shop)\\." };
const URLS: Examples = { like: "https://example.com/*", matches: "^https://(www\\.)?example\\.com/" };
const SOURCES: Examples = { like: "*.social", matches: "^(Google|Bing)$" };
const TAGS: Examples = { like: "summer-*", matches: "^(spring|summer)-" };
const VERSIONS: Examples = { like: "14*", matches: "^1[45]" };
const NAMES: Examples = { like: "Sign*", matches: "^(Signup|Login)$" };

/** Keyed by the names of dimensions in filters, those of visits without their prefix. */
const EXAMPLES: Readonly<Record<string, Examples>> = {
  pages: PATHS,
  "entry-page": PATHS,
  "exit-page": PATHS,
  hostnames: HOSTS,
  channels: { like: "Organic *", matches: "^(Organic|Paid) " },
  sources: SOURCES,
  referrers: URLS,
  regions: { like: "North *", matches: "^(North|South) " },
  cities: { like: "San *", matches: "^(San|Santa) " },
  browsers: { like: "Chrom*", matches: "^(Chrome|Edge)$" },
  "browser-versions": VERSIONS,
  os: { like: "*OS", matches: "^(iOS|Android)$" },
  "os-versions": VERSIONS,
};

function examplesOf(dimension: string): Examples {
  const name = dimension.startsWith(VISIT_PREFIX) ? dimension.slice(VISIT_PREFIX.length) : dimension;
  return EXAMPLES[name] ?? (name.startsWith("utm-") ? TAGS : NAMES);
}

function placeholderOf(dimension: string, operator: Exclude<Operator, "in">): string {
  const { text, pattern, expression } = words.filterDialog;
  const { like, matches } = examplesOf(dimension);
  if (operator === "like") return fill(pattern, { example: like });
  return operator === "matches" ? fill(expression, { example: matches }) : text;
}

interface TextsProps extends ValuesProps {
  readonly operator: Exclude<Operator, "in">;
  /** The service has rejected one of them. */
  readonly isInvalid: boolean;
}

/** Empty texts are not applied. Focuses an added text, and the neighbor of a removed one. */
function TypedValues({ dimension, operator, values, isInvalid, onChange }: TextsProps) {
  const texts = values.length === 0 ? [""] : values;
  const root = useRef<HTMLDivElement>(null);
  const shown = useRef(texts.length);
  const inputs = () => [...(root.current?.querySelectorAll("input") ?? [])];
  useLayoutEffect(() => {
    if (texts.length > shown.current) inputs().at(-1)?.focus();
    shown.current = texts.length;
  }, [texts.length]);

  function remove(i: number) {
    inputs()[Math.max(i - 1, 0)]?.focus();
    onChange(texts.toSpliced(i, 1));
  }

  return (
    <div class="values-field" ref={root}>
      {texts.map((text, i) => (
        <div key={i} class="typed-value">
          <input
            type="text"
            aria-invalid={isInvalid}
            aria-label={i === 0 ? words.filterDialog.value : fill(words.filterDialog.valueNumber, { number: i + 1 })}
            placeholder={placeholderOf(dimension, operator)}
            maxLength={operator === "matches" ? FILTER_EXPRESSION_CHARS_MAX : FILTER_VALUE_CHARS_MAX}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            value={text}
            onInput={(event) => onChange(texts.with(i, event.currentTarget.value))}
          />
          {texts.length > 1 && <CrossButton label={fill(words.filterDialog.removeNumber, { number: i + 1 })} onClick={() => remove(i)} />}
        </div>
      ))}
      <LinkButton onClick={() => onChange([...texts, ""])}>{words.filterDialog.another}</LinkButton>
    </div>
  );
}

/** All custom properties; the key is chosen beside it. */
const ANY_PROPERTY = "props";

const GROUPS: readonly (readonly [label: string, dimensions: readonly string[]])[] = [
  [words.filterDialog.page, ["pages", "entry-page", "exit-page", "hostnames", "visit-hostnames"]],
  [words.filterDialog.source, ["visit-channels", "visit-sources", "visit-referrers"]],
  [words.filterDialog.location, ["countries", "regions", "cities"]],
  [words.filterDialog.device, ["browsers", "browser-versions", "os", "os-versions", "screen-sizes", "devices"]],
  [words.filterDialog.campaign, ["visit-utm-campaigns", "visit-utm-sources", "visit-utm-mediums", "visit-utm-contents", "visit-utm-terms"]],
  [words.filterDialog.eventAndGoal, ["events", "goal"]],
  [words.filterDialog.property, [ANY_PROPERTY]],
  [words.filterDialog.recorded, ["sources", "referrers", "utm-campaigns", "utm-sources", "utm-mediums", "utm-contents", "utm-terms"]],
];

/** Versions are offered only beside a filter by their browser or system, or if one is chosen already. */
function isOffered(dimension: string, chosen: string, others: readonly Filter[]): boolean {
  const breakdown = breakdownOf(dimension);
  const isVersion = breakdown !== undefined && DIMENSIONS[breakdown].versionOf !== undefined;
  return !isVersion || dimension === chosen || filterOfVersions(breakdown, others) !== undefined;
}

/** An operator with its negation, or whether the value is set at all. */
interface Test {
  readonly text: string;
  readonly operator: Operator;
  readonly isNot: boolean;
  readonly isOnSet?: boolean;
}

const TESTS: readonly Test[] = [
  ...OPERATORS.flatMap((operator) =>
    [false, true].map((isNot) => ({ text: OPERATOR_WORDS[operator][isNot ? "isNot" : "is"], operator, isNot })),
  ),
  { text: OPERATOR_WORDS.set.is, operator: "in", isNot: true, isOnSet: true },
  { text: OPERATOR_WORDS.set.isNot, operator: "in", isNot: false, isOnSet: true },
];

/** Values shown by other names than those stored, so that nobody searches for parts of them. */
const CODED: ReadonlySet<string> = new Set(["countries", "devices", "screen-sizes"]);

interface Draft {
  readonly dimension: string;
  readonly test: Test;
  readonly values: readonly string[];
}

/** A new filter begins with pages that are equal to a value. */
function draftOf(filter: Filter = filterOf("pages", "in", false, [])): Draft {
  const { dimension, operator, isNot, values } = filter;
  const test = TESTS.find((each) => each.operator === operator && each.isNot === isNot && (each.isOnSet ?? false) === isOnSet(filter));
  return { dimension, test: test ?? (TESTS[0] as Test), values };
}

/** null while incomplete. */
function filterFrom({ dimension, test, values }: Draft): Filter | null {
  if (dimension === PROPERTY_PREFIX) return null;
  const given = test.isOnSet === true ? [UNRECORDED] : values.filter((value) => value !== "");
  return given.length === 0 ? null : filterOf(dimension, test.operator, test.isNot, given);
}

/** Read from `panel=filter:…` in the URL; undefined for a new filter. */
const filterToChange = (): Filter | undefined => parseFilters(panel.value?.slice("filter:".length) ?? null)[0];

interface DraftProps {
  readonly draft: Draft;
  readonly others: readonly Filter[];
  readonly change: (changes: Partial<Draft>) => void;
}

const DimensionField = ({ draft: { dimension }, others, change }: DraftProps) => (
  <label>
    {words.filterDialog.filterBy}
    <select
      value={dimension.startsWith(PROPERTY_PREFIX) ? ANY_PROPERTY : dimension}
      onChange={({ currentTarget: { value } }) => change({ dimension: value === ANY_PROPERTY ? PROPERTY_PREFIX : value, values: [] })}
    >
      {GROUPS.map(([label, dimensions]) => (
        <optgroup key={label} label={label}>
          {dimensions
            .filter((id) => isOffered(id, dimension, [...lockedFilters.value, ...others]))
            .map((id) => (
              <option key={id} value={id}>
                {id === ANY_PROPERTY ? words.filterDialog.customProperty : dimensionName(id)}
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
    {words.filterDialog.operator}
    <select
      value={test.text}
      onChange={(event) => {
        const next = TESTS.find(({ text }) => text === event.currentTarget.value) ?? test;
        const areKept = (next.operator === "in") === (test.operator === "in") && test.isOnSet !== true;
        change({ test: next, values: areKept ? values : [] });
      }}
    >
      {TESTS.filter((each) => each === test || each.operator === "in" || !CODED.has(dimension)).map(({ text }) => (
        <option key={text}>{text}</option>
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
      <span class="field-label">{words.filterDialog.property}</span>
      <Picker
        label={words.filterDialog.property}
        choices={keys.filter((name) => name !== "").map((name) => ({ value: name, label: name }))}
        isLoading={isLoading(report)}
        value={key}
        placeholder={words.filterDialog.selectProperty}
        onPick={(picked) => change({ dimension: PROPERTY_PREFIX + picked, values: [] })}
        choiceOf={(typed) => (keys.includes(typed) ? null : { value: typed, label: typed, hint: words.filterDialog.asTyped, isLast: true })}
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
        {words.filterDialog.value}
      </span>
      {test.operator === "in" ? (
        <PickedValues key={dimension} dimension={dimension} values={values} others={others} onChange={onChange} />
      ) : (
        <TypedValues dimension={dimension} operator={test.operator} values={values} isInvalid={isInvalid} onChange={onChange} />
      )}
    </div>
  );
}

/** Exceeded limits of one request; null within them. */
function excessOf(filter: Filter | null, others: readonly Filter[]): string | null {
  const all = [...lockedFilters.value, ...others, ...(filter ? [filter] : [])];
  const max = FILTER_CONDITIONS_MAX - lockedFilters.value.length;
  if (others.length >= max) return fill(words.filterDialog.tooMany, { max });
  return all.flatMap(({ values }) => values).length > FILTER_VALUES_MAX
    ? fill(words.filterDialog.tooManyValues, { max: FILTER_VALUES_MAX })
    : null;
}

/** Extracts `missing closing )` from a message of the service, which names its parameters. */
function expressionProblem(message: string): string {
  const [, rule] = /regular expression for "[^"]*" (.*)$/su.exec(message) ?? [];
  const [, reason] = /error parsing regexp: (.*)$/su.exec(message) ?? [];
  if (reason !== undefined) return fill(words.filterDialog.invalidExpression, { reason });
  return rule === undefined ? message : fill(words.filterDialog.invalidExpression, { reason: rule });
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
  const { isBusy, problem, run, clear } = useAction(filterProblem);
  const others = ownFilters.value.filter((known) => !changed || !isSameFilter(known, changed));
  const filter = filterFrom(draft);
  const excess = excessOf(filter, others);
  const change = (changes: Partial<Draft>) => {
    clear();
    setDraft((before) => ({ ...before, ...changes }));
  };
  const fields: DraftProps = { draft, others, change };

  function submit() {
    if (filter === null || excess !== null || isBusy) return;
    void run(async () => {
      await checkExpressions(filter);
      setFilters([...others.filter((known) => !isSameFilter(known, filter)), filter]);
    });
  }

  return (
    <Dialog title={changed ? words.filterDialog.changeTitle : words.filterDialog.addTitle} onClose={closePanel}>
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
          {words.filterDialog.apply}
        </button>
      </Form>
      {!changed && !isGuest && (
        <section class="segments" aria-label={words.filterDialog.segments}>
          <h3>{words.filterDialog.segments}</h3>
          <SavedFilters />
        </section>
      )}
    </Dialog>
  );
}
