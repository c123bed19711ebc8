/** What a form sends, and which of its fields the service has refused: that field gets the focus. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { useAction } from "../state/use-action.ts";
import { fieldProblem, type FieldLabels, type FieldProblem } from "./field-problem.ts";

/** A field as `Field` shows it. */
export interface CheckedField {
  readonly id: string;
  readonly label: string;
  readonly problem: string | null;
}

/** The labels are those of all fields that have an input of the id. */
export function useFieldProblems<Name extends string>(labels: FieldLabels<Name>, fieldId: (name: Name) => string) {
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, problem, run } = useAction((error): FieldProblem<Name> => fieldProblem(error, labels));

  useLayoutEffect(() => {
    if (problem?.field) form.current?.querySelector<HTMLElement>(`#${fieldId(problem.field)}`)?.focus();
  }, [problem]);

  const problemOf = (name: Name): string | null => (problem?.field === name ? problem.text : null);
  return {
    form,
    isBusy,
    run,
    problemOf,
    field: (name: Name): CheckedField => ({ id: fieldId(name), label: labels[name], problem: problemOf(name) }),
    /** What concerns no field. */
    formProblem: problem?.field === null ? problem.text : null,
  };
}
