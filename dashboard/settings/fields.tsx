/** Labelled form fields with hints, and the service's objection to one of them. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { problemText } from "../api/http.ts";
import { useAction } from "../state/requests.ts";
import { fill, words } from "../words/words.ts";

/** Labels by field name in the API. */
export type FieldLabels<Name extends string> = Readonly<Record<Name, string>>;

interface FieldProblem<Name extends string> {
  /** null for a problem of the whole form. */
  readonly field: Name | null;
  readonly text: string;
}

/** The place in a list, as in `"channel_rules[2].source"`, stays in the message. */
const FIELD = /^(?:Field )?"(\w+)((?:\[|\.)[^"]*)?"/;

/** `Channel rules, rule 3` for `[2].source`; the label alone without a place. */
function labelOfPlace(field: string, place = ""): string {
  const [, index] = /^\[(\d+)\]/.exec(place) ?? [];
  return index === undefined ? field : fill(words.settings.ruleOfField, { field, number: Number(index) + 1 });
}

/** Thrown by a form that refuses a field itself, in its own words. */
export class RefusedField extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Replaces the name by the label. */
function fieldProblem<Name extends string>(error: unknown, labels: FieldLabels<Name>): FieldProblem<Name> {
  if (error instanceof RefusedField) return { field: error.field as Name, text: error.message };
  const text = problemText(error);
  const name = FIELD.exec(text)?.[1] ?? "";
  if (!Object.hasOwn(labels, name)) return { field: null, text };
  const field = name as Name;
  return { field, text: text.replace(FIELD, (_, _name, place: string | undefined) => labelOfPlace(labels[field], place)) };
}

export interface CheckedField {
  readonly id: string;
  readonly label: string;
  readonly problem: string | null;
}

/** Covers all fields that have an input with `fieldId`. Focuses the rejected one, whose problem lasts until it is changed. */
export function useFieldProblems<Name extends string>(labels: FieldLabels<Name>, fieldId: (name: Name) => string) {
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, problem, run, clear } = useAction((error): FieldProblem<Name> => fieldProblem(error, labels));

  useLayoutEffect(() => {
    if (problem?.field) form.current?.querySelector<HTMLElement>(`#${fieldId(problem.field)}`)?.focus();
  }, [problem]);

  useLayoutEffect(() => {
    const root = form.current;
    if (!problem || !root) return undefined;
    const onInput = ({ target }: Event) => {
      if (problem.field === null || root.querySelector(`#${fieldId(problem.field)}`)?.contains(target as Node)) clear();
    };
    root.addEventListener("input", onInput);
    return () => root.removeEventListener("input", onInput);
  }, [problem]);

  const problemOf = (name: Name): string | null => (problem?.field === name ? problem.text : null);
  return {
    form,
    isBusy,
    run,
    field: (name: Name): CheckedField => ({ id: fieldId(name), label: labels[name], problem: problemOf(name) }),
    /** Problems of no single field. */
    formProblem: problem?.field === null ? problem.text : null,
  };
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly problem?: string | null | undefined;
}

const describedBy = (id: string): string => `${id}-hint ${id}-problem`;

/** Ties an input to its label, hint and problem. */
export const fieldAttributes = ({ id, problem }: Pick<FieldProps, "id" | "problem">) => ({
  id,
  "aria-invalid": problem != null,
  "aria-describedby": describedBy(id),
});

export const pickerAttributes = ({ id, label, problem }: FieldProps) => ({
  inputId: id,
  label,
  isInvalid: problem != null,
  describedBy: describedBy(id),
});

export const Field = ({ id, label, hint, problem, children }: FieldProps & { readonly children: ComponentChildren }) => (
  <div class="labelled">
    <label for={id}>{label}</label>
    {children}
    <p class="hint" id={`${id}-hint`}>
      {hint}
    </p>
    <p class="problem" id={`${id}-problem`} role="alert">
      {problem}
    </p>
  </div>
);

interface TextFieldProps extends FieldProps {
  readonly type?: "text" | "date" | "password";
  readonly value: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly min?: string;
  readonly onInput: (value: string) => void;
}

export const TextField = ({ hint, onInput, type = "text", ...field }: TextFieldProps) => (
  <Field id={field.id} label={field.label} hint={hint} problem={field.problem}>
    <input
      {...fieldAttributes(field)}
      // The types of JSX want a literal.
      type={type as "text"}
      required={field.required ?? false}
      maxLength={field.maxLength}
      min={field.min}
      placeholder={field.placeholder}
      autocomplete={type === "password" ? "new-password" : "off"}
      value={field.value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  </Field>
);

interface LinesFieldProps extends FieldProps {
  /** Lines as typed, including empty ones. */
  readonly lines: readonly string[];
  readonly placeholder?: string;
  readonly onInput: (lines: readonly string[]) => void;
}

const ROWS_MIN = 3;
const ROWS_MAX = 12;

/** One entry per line. */
export const LinesField = ({ hint, lines, placeholder, onInput, ...field }: LinesFieldProps) => (
  <Field {...field} hint={hint}>
    <textarea
      {...fieldAttributes(field)}
      rows={Math.min(Math.max(lines.length + 1, ROWS_MIN), ROWS_MAX)}
      placeholder={placeholder}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      value={lines.join("\n")}
      onInput={({ currentTarget }) => onInput(currentTarget.value === "" ? [] : currentTarget.value.split("\n"))}
    />
  </Field>
);

export const entriesOf = (lines: readonly string[]): string[] => lines.map((line) => line.trim()).filter((line) => line !== "");

/** Closing the page asks for confirmation while anything is unsaved. */
export const guardUnload = (hasUnsaved: () => boolean): void =>
  addEventListener("beforeunload", (event) => {
    if (hasUnsaved()) event.preventDefault();
  });
