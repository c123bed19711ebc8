/** The part of JSON Schema 2020-12 that the OpenAPI document uses. Each schema has the TypeScript type of its values. */
import type { Decimal } from "./decimal.ts";

type TypeName = "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";

/** Exists at compile time only. */
declare const described: unique symbol;

export interface Schema<Value = unknown> {
  readonly [described]?: Value;
  readonly $ref?: string;
  readonly type?: TypeName | readonly TypeName[];
  readonly description?: string;
  readonly default?: string | number;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly format?: "date" | "date-time";
  readonly pattern?: string;
  /** Lengths of strings are in Unicode code points, as the service counts them. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly anyOf?: readonly Schema[];
}

export type Described<S extends Schema> = S extends Schema<infer Value> ? Value : never;

export type Properties = Readonly<Record<string, Schema>>;

type OneType<Value> = Schema<Value> & { readonly type: TypeName };

/** The keywords of a schema other than its type and description. */
type Rules = Omit<Schema, "type" | "description" | "$ref" | typeof described>;

export const text = (description: string, rules: Rules = {}): OneType<string> => ({ type: "string", description, ...rules });

export const word = <const Word extends string>(description: string, words: readonly Word[]): OneType<Word> => ({
  type: "string",
  description,
  enum: words,
});

/** A non-negative integer. */
export const count = (description: string, rules: Rules = {}): OneType<number> => ({ type: "integer", minimum: 0, description, ...rules });

export const number = (description: string, rules: Rules = {}): OneType<number> => ({ type: "number", description, ...rules });

/** A number that is written with all digits. */
export const exactNumber = (description: string): OneType<Decimal> => ({ type: "number", description });

/** A fraction from 0 to 1, not a percentage. */
export const fraction = (description: string): OneType<number> => number(description, { minimum: 0, maximum: 1 });

export const boolean = (description: string): OneType<boolean> => ({ type: "boolean", description });

export const list = <Item>(description: string, items: Schema<Item>, rules: Rules = {}): OneType<readonly Item[]> => ({
  type: "array",
  description,
  items,
  ...rules,
});

/** A nullable type. The description says when it is null. */
export const orNull = <Value>({ type, ...rules }: OneType<Value>): Schema<Value | null> =>
  ({ type: [type, "null"], ...rules }) as Schema<Value | null>;

/** Any schema, or null. The description says when it is null. */
export const nullable = <Value>(schema: Schema<Value>): Schema<Value | null> =>
  ({ anyOf: [schema, { type: "null" }] }) as Schema<Value | null>;

export const reference = <Value>(name: string): Schema<Value> => ({ $ref: `#/components/schemas/${name}` });

type Fields<P extends Properties, Optional extends keyof P> = {
  readonly [Name in Exclude<keyof P, Optional>]: Described<P[Name]>;
} & { readonly [Name in Optional]?: Described<P[Name]> };

/** An object with exactly these fields, all required unless listed as optional. */
export function closed<const P extends Properties, const Optional extends keyof P & string = never>(
  properties: P,
  { optional = [] }: { readonly optional?: readonly Optional[] } = {},
): Schema<Fields<P, Optional>> {
  const required = Object.keys(properties).filter((name) => !(optional as readonly string[]).includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}
