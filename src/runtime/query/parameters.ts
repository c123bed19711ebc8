/** Request parameters as single declarations: how a value is parsed, and how the OpenAPI document describes it. */
import { exceedsChars } from "../../shared/text.ts";
import { SEARCH_CHARS_MAX } from "../base/config/report-limits.ts";
import { invalidInput, refusedValue } from "../base/errors.ts";
import { count, text, type Schema } from "../base/json-schema.ts";

export interface ParameterDescription {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  /** A value that is valid together with the examples of the other parameters. */
  readonly example?: string | number;
}

export interface Parameter<Value = unknown> extends ParameterDescription {
  readonly in: "query" | "path";
  /** The value is null if the parameter is missing. 400 with the parameter's name for an invalid value. */
  readonly parse: (value: string | null, name: string) => Value;
  /** True if it is read, by the values of the parameters declared before it; otherwise it is as if it were missing. By default always. */
  readonly isRead?: (values: Readonly<Record<string, unknown>>) => boolean;
}

export type Parameters = Readonly<Record<string, Parameter>>;

export type Values<P extends Parameters> = { readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never };

/** Parameters that are parsed only if a value declared before asks for them; otherwise they are ignored, even if invalid. */
export const readIf = <P extends Parameters, Before>(isNeeded: (values: Before) => boolean, parameters: P): P =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, declared]) => [
      name,
      { ...declared, isRead: (values: Readonly<Record<string, unknown>>) => isNeeded(values as Before) },
    ]),
  ) as P;

export const parameter = <Value>(description: ParameterDescription, parse: Parameter<Value>["parse"]): Parameter<Value> => ({
  in: "query",
  ...description,
  parse,
});

export const required = <Value>(description: ParameterDescription, parse: (value: string, name: string) => Value): Parameter<Value> =>
  parameter({ ...description, required: true }, (value, name) => {
    if (value === null) throw invalidInput(`"${name}" is required`);
    return parse(value, name);
  });

/** null if the parameter is missing. */
export const optional = <Value>(
  description: ParameterDescription,
  parse: (value: string, name: string) => Value,
): Parameter<Value | null> => parameter(description, (value, name) => (value === null ? null : parse(value, name)));

const valueIn = <Word extends string>(words: readonly Word[], value: string, name: string): Word => {
  const word = words.find((known) => known === value);
  if (word === undefined) throw refusedValue(`"${name}"`, `one of ${words.join(", ")}`, value);
  return word;
};

/** One of the values, by default the first. */
export const oneOf = <const Word extends string>(description: string, words: readonly [Word, ...Word[]]): Parameter<Word> =>
  parameter({ description, schema: text("One of the listed values.", { enum: words, default: words[0] }) }, (value, name) =>
    value === null ? words[0] : valueIn(words, value, name),
  );

export const optionalOneOf = <const Word extends string>(
  description: string,
  words: readonly Word[],
  meaning: string,
): Parameter<Word | null> =>
  optional({ description, schema: text(meaning, { enum: words }) }, (value, name) => valueIn(words, value, name));

const CURRENCY = /^[A-Z]{3}$/;

export const currencyOf = (column: string): Parameter<string | null> =>
  optional(
    {
      description: `The currency of \`${column}\`.`,
      schema: text("An ISO 4217 code in capital letters.", { pattern: CURRENCY.source }),
      example: "EUR",
    },
    (code, name) => {
      if (!CURRENCY.test(code)) throw refusedValue(`"${name}"`, "three capital letters, such as EUR", code);
      return code;
    },
  );

interface IntegerBounds {
  readonly min: number;
  readonly max: number;
}

interface IntegerRules extends IntegerBounds {
  readonly default: number;
}

type IntegerDescription = Omit<ParameterDescription, "schema"> & { readonly meaning: string };

function integerIn({ min, max }: IntegerBounds, value: string, name: string): number {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) throw refusedValue(`"${name}"`, `an integer from ${min} to ${max}`, value);
  return number;
}

/** An integer within the bounds, never clamped. `meaning` is the description of its schema. */
export const integer = (
  { meaning, ...description }: IntegerDescription,
  { default: byDefault, ...bounds }: IntegerRules,
): Parameter<number> =>
  parameter({ ...description, schema: count(meaning, { minimum: bounds.min, maximum: bounds.max, default: byDefault }) }, (value, name) =>
    value === null ? byDefault : integerIn(bounds, value, name),
  );

export const optionalInteger = ({ meaning, ...description }: IntegerDescription, bounds: IntegerBounds): Parameter<number | null> =>
  optional({ ...description, schema: count(meaning, { minimum: bounds.min, maximum: bounds.max }) }, (value, name) =>
    integerIn(bounds, value, name),
  );

/** A text of few characters; null for none, and for an empty one. */
const shortText = (description: string, example: string): Parameter<string | null> =>
  optional({ description, schema: text("A text.", { maxLength: SEARCH_CHARS_MAX }), example }, (value, name) => {
    if (exceedsChars(value, SEARCH_CHARS_MAX)) throw invalidInput(`"${name}" must be at most ${SEARCH_CHARS_MAX} characters`);
    return value === "" ? null : value;
  });

/** Searches texts; null for all. An empty text finds all. */
export const searchFor = (what: string): Parameter<string | null> =>
  shortText(`Only ${what} that contain this text, ignoring case. All are searched, not just those within the limit.`, "a");

export const UNKNOWN_LABEL: Parameter<string | null> = {
  ...shortText("What `search` looks in for values that were not recorded, in place of `(unknown)`.", "Direct / none"),
  isRead: ({ search }) => search !== null,
};

export const rowLimit = (description: string, max: number, byDefault: number): Parameter<number> =>
  integer({ description, meaning: "Values outside the bounds are refused.", example: 5 }, { min: 1, max, default: byDefault });

export function parseParameters<P extends Parameters>(
  parameters: P,
  read: (name: string, from: Parameter["in"]) => string | null,
): Values<P> {
  const values: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(parameters)) {
    const isRead = declared.isRead?.(values) ?? true;
    values[name] = declared.parse(isRead ? read(name, declared.in) : null, name);
  }
  return values as Values<P>;
}
