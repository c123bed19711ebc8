/**
 * Request bodies as single declarations: the schema of each field in the OpenAPI document, which is also its rule, and how its value is
 * read. Text that is not JSON is a 400, a missing field or one of the wrong type a 422, a value that breaks its rule a 400.
 */
import { exceedsChars, wellFormed } from "../../shared/text.ts";
import type { JsonObject } from "../../storage/record-store.ts";
import { AppError, invalidInput, refusedValue } from "./errors.ts";
import { closed, type Properties, type Schema } from "./json-schema.ts";

/** 422 for a body that is JSON, but not what the endpoint expects. */
export const malformedBody = (message: string): AppError => new AppError({ code: "malformed_body" }, message);

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** 400 for text that is not JSON, 422 for JSON that is not an object. */
export function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of JSON.parse would quote the body.
    throw invalidInput("The body is not valid JSON");
  }
  if (!isObject(value)) throw malformedBody("The body must be a JSON object");
  return value;
}

/** null for an absent field. Only own properties count: `{}` has no `constructor`. */
export const fieldOf = (body: JsonObject, name: string): unknown => (Object.hasOwn(body, name) ? (body[name] ?? null) : null);

/** `rule` completes "… must be …". */
export const refusedField = (name: string, rule: string, value: unknown): AppError => refusedValue(`Field "${name}"`, rule, value);

// Fields

export interface Field<Value = unknown> {
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** 422 for a value of the wrong type, and for a missing field (null) that is required. */
  readonly read: (value: unknown, name: string) => unknown;
  /** 400 for a value that breaks its rule. `sent` is what `read` returned. */
  readonly check: (sent: unknown, name: string) => Value;
}

type Rule<Sent, Value = Sent> = (sent: Sent, name: string) => Value;

/** An optional field, null if it is missing. `read` returns undefined for a value that is not of the `type`. */
export const field = <Sent, Value>(
  schema: Schema,
  type: string,
  read: (value: unknown, name: string) => Sent | undefined,
  rule: Rule<Sent, Value>,
): Field<Value | null> => ({
  schema,
  isRequired: false,
  read(value, name) {
    const sent = value === null ? null : read(value, name);
    if (sent === undefined) throw malformedBody(`Field "${name}" must be ${type}`);
    return sent;
  },
  check: (sent, name) => (sent === null ? null : rule(sent as Sent, name)),
});

export const required = <Value>({ read, check, ...declared }: Field<Value | null>): Field<Value> => ({
  ...declared,
  isRequired: true,
  read(value, name) {
    if (value === null) throw malformedBody(`Field "${name}" is missing`);
    return read(value, name);
  },
  check: (sent, name) => check(sent, name) as Value,
});

export const withDefault = <Value>({ check, ...declared }: Field<Value | null>, byDefault: Value): Field<Value> => ({
  ...declared,
  check: (sent, name) => check(sent, name) ?? byDefault,
});

/** The lengths and words of the schema. */
const bySchema =
  ({ minLength = 0, maxLength = Infinity, enum: words }: Schema): Rule<string> =>
  (sent, name) => {
    if (words && !words.includes(sent)) throw refusedField(name, `one of ${words.join(", ")}`, sent);
    if (sent.length >= minLength && !exceedsChars(sent, maxLength)) return sent;
    throw refusedField(name, minLength > 0 ? `${minLength} to ${maxLength} characters` : `at most ${maxLength} characters`, sent);
  };

const textOf = (value: unknown) => (typeof value === "string" ? wellFormed(value) : undefined);

/** The schema is the rule by default. */
export function textField(schema: Schema): Field<string | null>;
export function textField<Value>(schema: Schema, rule: Rule<string, Value>): Field<Value | null>;
export function textField(schema: Schema, rule: Rule<string, unknown> = bySchema(schema)): Field {
  return field(schema, "a string", textOf, rule);
}

/** A text that is checked together with others, or elsewhere. */
export const anyText = (schema: Schema): Field<string | null> => textField(schema, (sent) => sent);

export const wordField = <Word extends string>(schema: Schema<Word>): Field<Word | null> =>
  textField(schema, bySchema(schema) as Rule<string, Word>);

/** A text that people read: not only spaces. */
export const visibleField = (schema: Schema): Field<string | null> =>
  textField(schema, (sent, name) => {
    if (sent.trim() !== "" && !exceedsChars(sent, schema.maxLength ?? Infinity)) return sent;
    throw refusedField(name, `1 to ${schema.maxLength} characters and not only spaces`, sent);
  });

/** A visible text, without the spaces around it. */
export function trimmedField(schema: Schema): Field<string | null> {
  const visible = visibleField(schema);
  return { ...visible, check: (sent, name) => visible.check(typeof sent === "string" ? sent.trim() : sent, name) };
}

export const flagField = (schema: Schema): Field<boolean | null> =>
  field(
    schema,
    "true or false",
    (value) => (typeof value === "boolean" ? value : undefined),
    (sent) => sent,
  );

export const numberField = (schema: Schema, rule: Rule<number> = (sent) => sent): Field<number | null> =>
  field(schema, "a number", (value) => (typeof value === "number" ? value : undefined), rule);

export const integerField = (schema: Schema): Field<number | null> =>
  numberField(schema, (sent, name) => {
    const { minimum = 0, maximum = Infinity } = schema;
    if (Number.isInteger(sent) && sent >= minimum && sent <= maximum) return sent;
    throw refusedField(name, `an integer from ${minimum} to ${maximum}`, sent);
  });

export const textsField = <Value>(schema: Schema, rule: Rule<readonly string[], Value>): Field<Value | null> =>
  field(
    schema,
    "an array of strings",
    (value) => (Array.isArray(value) && value.every((entry) => typeof entry === "string") ? value.map(wellFormed) : undefined),
    rule,
  );

// Bodies

export type Fields = Readonly<Record<string, Field>>;

export type ValuesOf<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends Field<infer Value> ? Value : never };

/** Values of the right types, whose rules are not checked yet. */
type SentFields<F extends Fields> = Readonly<Record<keyof F, unknown>>;

export class Body<F extends Fields> {
  readonly #fields: F;
  readonly #isOpen: boolean;
  readonly responseOnly: Properties;
  /** The schemas of the fields, which responses may have as well. */
  readonly properties: { readonly [Name in keyof F]: Schema };

  /**
   * A body with `responseOnly` refuses unknown fields, because a misspelt one would silently have its default, and ignores those that only
   * responses have, because a response may be sent back. Any other body ignores all unknown fields.
   */
  constructor(fields: F, responseOnly: Properties | null = null) {
    this.#fields = fields;
    this.responseOnly = responseOnly ?? {};
    this.#isOpen = responseOnly === null;
    this.properties = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])) as Body<F>["properties"];
  }

  /** The schema in requests. */
  get schema(): Schema {
    const names = Object.keys(this.#fields).filter((name) => this.#fields[name]?.isRequired);
    const properties = { ...this.properties, ...this.responseOnly };
    return { type: "object", properties, required: names, ...(!this.#isOpen && { additionalProperties: false }) };
  }

  /** The schema in responses, which have all fields. */
  get responseSchema(): Schema {
    return closed({ ...this.responseOnly, ...this.properties });
  }

  /** Reads all fields; 422 for a wrong type. `prefix` begins their names in messages. */
  read(body: JsonObject, prefix = ""): SentFields<F> {
    return this.#map((declared, name) => declared.read(fieldOf(body, name), prefix + name)) as SentFields<F>;
  }

  check(sent: SentFields<F>, prefix = ""): ValuesOf<F> {
    return this.#map((declared, name) => declared.check(sent[name], prefix + name)) as ValuesOf<F>;
  }

  /** Checks one value alone, for what has to be known before the others are checked. */
  checkOne<Name extends keyof F & string>(sent: SentFields<F>, name: Name): ValuesOf<F>[Name] {
    return this.#fields[name]?.check(sent[name], name) as ValuesOf<F>[Name];
  }

  parse(body: JsonObject, prefix = ""): ValuesOf<F> {
    if (!this.#isOpen) refuseUnknownFields(body, Object.keys(this.#fields), Object.keys(this.responseOnly), prefix);
    return this.check(this.read(body, prefix), prefix);
  }

  #map(value: (declared: Field, name: string) => unknown): object {
    return Object.fromEntries(Object.entries(this.#fields).map(([name, declared]) => [name, value(declared, name)]));
  }
}

function refuseUnknownFields(body: JsonObject, fields: readonly string[], ignored: readonly string[], prefix: string): void {
  const unknown = Object.keys(body).find((name) => !fields.includes(name) && !ignored.includes(name));
  if (unknown === undefined) return;
  throw invalidInput(`Unknown field ${JSON.stringify(prefix + unknown.slice(0, 64))}. Use any of: ${fields.join(", ")}`);
}
