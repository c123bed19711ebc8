/** Which field of a form the service has refused. Its message names it, as in `Field "name" must be …`. */
import { problemText } from "../api/http.ts";

/** The labels of a form's fields, by their names in the API. */
export type FieldLabels<Name extends string> = Readonly<Record<Name, string>>;

export interface FieldProblem<Name extends string> {
  /** Null for a problem of the whole form. */
  readonly field: Name | null;
  readonly text: string;
}

const FIELD = /^(?:Field )?"(\w+)"/;

/** The text has the label in place of the name. */
export function fieldProblem<Name extends string>(error: unknown, labels: FieldLabels<Name>): FieldProblem<Name> {
  const text = problemText(error);
  const name = FIELD.exec(text)?.[1] ?? "";
  if (!Object.hasOwn(labels, name)) return { field: null, text };
  const field = name as Name;
  return { field, text: text.replace(FIELD, labels[field]) };
}
