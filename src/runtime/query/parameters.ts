/** Request parameters as single declarations: how a value is parsed, and how the OpenAPI document describes it. */
import { invalidInput } from "../errors.ts";
import { count, text, type Schema } from "./json-schema.ts";

/** What the OpenAPI document says of a parameter. */
export interface ParameterDescription {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  /** A valid value, where the other parameters have their examples. */
  readonly example?: string | number;
}

export interface Parameter<Value = unknown> extends ParameterDescription {
  readonly in: "query" | "path";
  /** Takes null where the request does not have the parameter; 400 with its name where the value breaks a rule. */
  readonly parse: (value: string | null, name: string) => Value;
}

/** By name. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** What the parameters of a request were parsed to. */
export type Values<P extends Parameters> = { readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never };

export const parameter = <Value>(description: ParameterDescription, parse: Parameter<Value>["parse"]): Parameter<Value> => ({
  in: "query",
  ...description,
  parse,
});

/** 400 where the parameter is missing. */
export const required = <Value>(description: ParameterDescription, parse: (value: string, name: string) => Value): Parameter<Value> =>
  parameter({ ...description, required: true }, (value, name) => {
    if (value === null) throw invalidInput(`"${name}" is required`);
    return parse(value, name);
  });

/** Null where the parameter is missing. */
export const optional = <Value>(
  description: ParameterDescription,
  parse: (value: string, name: string) => Value,
): Parameter<Value | null> => parameter(description, (value, name) => (value === null ? null : parse(value, name)));

const wordIn = <Word extends string>(words: readonly Word[], value: string, name: string): Word => {
  const word = words.find((known) => known === value);
  if (word === undefined) throw invalidInput(`"${name}" must be one of ${words.join(", ")}`);
  return word;
};

/** One of the words, by default the first. */
export const oneOf = <const Word extends string>(description: string, words: readonly [Word, ...Word[]]): Parameter<Word> =>
  parameter({ description, schema: text("One of them.", { enum: words, default: words[0] }) }, (value, name) =>
    value === null ? words[0] : wordIn(words, value, name),
  );

/** One of the words, or none. */
export const optionalOneOf = <const Word extends string>(
  description: string,
  words: readonly Word[],
  meaning: string,
): Parameter<Word | null> => optional({ description, schema: text(meaning, { enum: words }) }, (value, name) => wordIn(words, value, name));

export interface IntegerRules {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** An integer within the bounds, never clamped. `meaning` describes the value. */
export const integer = (
  { meaning, ...description }: Omit<ParameterDescription, "schema"> & { readonly meaning: string },
  { min, max, default: byDefault }: IntegerRules,
): Parameter<number> =>
  parameter({ ...description, schema: count(meaning, { minimum: min, maximum: max, default: byDefault }) }, (value, name) => {
    if (value === null) return byDefault;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) throw invalidInput(`"${name}" must be a whole number from ${min} to ${max}`);
    return number;
  });

/** How many rows a result has at most. */
export const rowLimit = (description: string, max: number, byDefault: number): Parameter<number> =>
  integer({ description, meaning: "More is refused.", example: 5 }, { min: 1, max, default: byDefault });

/** Parses each parameter of a request, in the order of their declaration. */
export const parseParameters = <P extends Parameters>(
  parameters: P,
  read: (name: string, from: Parameter["in"]) => string | null,
): Values<P> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, declared]) => [name, declared.parse(read(name, declared.in), name)]),
  ) as Values<P>;
