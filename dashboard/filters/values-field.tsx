/** The values of a filter: picked from the site's values, or typed texts. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { PROPERTY_PREFIX, type Filter, type Operator } from "../../src/shared/filters.ts";
import { FILTER_EXPRESSION_CHARS_MAX, FILTER_VALUE_CHARS_MAX } from "../../src/shared/limits.ts";
import { urlOf } from "../api/http.ts";
import type { Reports } from "../api/types.ts";
import { breakdownOf, DIMENSIONS, unknownLabel } from "../format/dimensions.ts";
import { valueName } from "../format/filter-words.ts";
import { formatCount } from "../format/locale.ts";
import { useSettled } from "../kit/forms.tsx";
import { CrossButton, LinkButton } from "../kit/inline.tsx";
import { Picker, type Choice } from "../kit/picker.tsx";
import { Failure } from "../kit/states.tsx";
import { canFilterBy, printFilters } from "../state/filters.ts";
import { useReport, useRequest, type Report } from "../state/requests.ts";
import { unfilteredScope } from "../state/scope.ts";
import { lockedFilters, savedFilterId } from "../state/view-filters.ts";

/** The picker shows as many. */
const SEARCHED_ROWS = 50;
/** Labels differ from values, so all are requested and searched here. */
const NAMED_ROWS = 1000;

type Row = Reports["breakdown"][number] | Reports["conversions"][number] | Reports["goals"][number] | Reports["property-values"][number];

/** A property's name may be empty, which `urlOf` would leave out. */
function urlFor(dimension: string, search: string, scope: ReturnType<typeof scopeOf>): string {
  if (dimension === "goal") return urlOf("/api/stats/goals", scope);
  const breakdown = breakdownOf(dimension);
  if (breakdown === undefined) {
    const name = dimension.slice(PROPERTY_PREFIX.length);
    return `${urlOf("/api/stats/property-values", { ...scope, search })}&${new URLSearchParams({ name }).toString()}`;
  }
  const { format, versionOf } = DIMENSIONS[breakdown];
  const rows = format || versionOf ? { limit: NAMED_ROWS } : { limit: SEARCHED_ROWS, search, unknown_label: unknownLabel(breakdown) };
  return urlOf(`/api/stats/breakdown/${breakdown}`, { ...scope, ...rows });
}

const scopeOf = (others: readonly Filter[]) => ({ ...unfilteredScope.value, segment: savedFilterId.value, filters: printFilters(others) });

interface Suggestions {
  readonly report: Report<unknown>;
  readonly choices: readonly Choice[];
}

/** The site's values that match a typed text, with their visitors, in the period and under the reader's `others` filters. */
function useSuggestions(dimension: string, typed: string, others: readonly Filter[]): Suggestions {
  const search = useSettled(typed);
  const report = useRequest<readonly Row[]>(urlFor(dimension, search, scopeOf(others)));
  const defined = useReport("conversions", dimension === "goal" ? scopeOf(others) : null).data ?? [];
  const isDefined = (row: Row) => "name" in row && defined.some(({ name }) => name === row.name);
  const choices = [...defined, ...(report.data ?? []).filter((row) => !isDefined(row))]
    .map((row) => ({ value: "name" in row ? row.name : row.value, visitors: row.visitors }))
    .filter(({ value }) => canFilterBy(value))
    .map(({ value, visitors }) => ({
      value,
      label: valueName(dimension, value, [...lockedFilters.value, ...others]),
      hint: formatCount(visitors),
    }));
  return { report, choices };
}

const ChosenValue = ({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }) => (
  <li class="chosen-value">
    <span title={name}>{name}</span>
    <CrossButton class="pill-remove" label={`Remove ${name}`} onClick={onRemove} />
  </li>
);

/** A typed value that the period does not have. Versions and countries cannot be typed, because their labels differ from their values. */
function typedChoice(dimension: string, typed: string): Choice | null {
  const breakdown = breakdownOf(dimension);
  const isNamed = breakdown !== undefined && (DIMENSIONS[breakdown].format ?? DIMENSIONS[breakdown].versionOf) !== undefined;
  return isNamed || !canFilterBy(typed) ? null : { value: typed, label: typed, hint: "as typed", isLast: true };
}

interface ValuesProps {
  readonly dimension: string;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

export function PickedValues({ dimension, values, others, onChange }: ValuesProps & { readonly others: readonly Filter[] }) {
  const root = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const { report, choices } = useSuggestions(dimension, typed, others);
  const all = [...lockedFilters.value, ...others];

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
        <ul class="chosen-values" aria-label="Chosen values">
          {values.map((value) => (
            <ChosenValue key={value} name={valueName(dimension, value, all)} onRemove={() => remove(value)} />
          ))}
        </ul>
      )}
      <Picker
        label="Value"
        choices={choices.filter(({ value }) => !values.includes(value))}
        isLoading={!report.error && (report.data === undefined || report.isStale)}
        value=""
        placeholder={values.length > 0 ? "Or another value" : "Select a value"}
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

const PLACEHOLDERS: Readonly<Record<Exclude<Operator, "in">, string>> = {
  contains: "Text",
  begins: "Text",
  like: "Text with *, such as /blog/*",
  matches: "RE2 expression, such as ^/blog/\\d+",
};

interface TextsProps extends Omit<ValuesProps, "dimension"> {
  readonly operator: Exclude<Operator, "in">;
  /** The service has rejected one of them. */
  readonly isInvalid: boolean;
}

/** Focuses an added text, and the neighbor of a removed one. */
function useTextFocus(count: number) {
  const root = useRef<HTMLDivElement>(null);
  const shown = useRef(count);
  const inputs = () => [...(root.current?.querySelectorAll("input") ?? [])];
  useLayoutEffect(() => {
    if (count > shown.current) inputs().at(-1)?.focus();
    shown.current = count;
  }, [count]);
  return { root, leave: (i: number) => inputs()[Math.max(i - 1, 0)]?.focus() };
}

/** Empty texts are not applied. */
export function TypedValues({ operator, values, isInvalid, onChange }: TextsProps) {
  const texts = values.length === 0 ? [""] : values;
  const { root, leave } = useTextFocus(texts.length);

  function remove(i: number) {
    leave(i);
    onChange(texts.toSpliced(i, 1));
  }

  return (
    <div class="values-field" ref={root}>
      {texts.map((text, i) => (
        <div key={i} class="typed-value">
          <input
            type="text"
            aria-invalid={isInvalid}
            aria-label={i === 0 ? "Value" : `Value ${i + 1}`}
            placeholder={PLACEHOLDERS[operator]}
            maxLength={operator === "matches" ? FILTER_EXPRESSION_CHARS_MAX : FILTER_VALUE_CHARS_MAX}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            value={text}
            onInput={(event) => onChange(texts.with(i, event.currentTarget.value))}
          />
          {texts.length > 1 && <CrossButton label={`Remove value ${i + 1}`} onClick={() => remove(i)} />}
        </div>
      ))}
      <LinkButton onClick={() => onChange([...texts, ""])}>Or another value</LinkButton>
    </div>
  );
}
