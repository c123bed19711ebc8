/** A JSON Schema validator for the keywords that the OpenAPI document uses. An unknown keyword is an error. */
import type { Schema } from "../../src/runtime/base/json-schema.ts";

/** The document that `$ref` refers to. */
export type SchemaRoot = Readonly<Record<string, unknown>>;

/** A problem starts with the path to the invalid part: ` is too long`, `.rows[3].date is too long`. */
type Check = (value: unknown, schema: Schema) => string[];
type Rule = (value: unknown, schema: Schema, check: Check) => string[];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number" && Number.isFinite(value),
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: isObject,
  null: (value) => value === null,
};

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** A date that does not exist would become another one. */
function isDate(text: string): boolean {
  const instant = Date.parse(`${text}T00:00:00Z`);
  return DATE.test(text) && !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text);
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  "date-time": (text) => DATE_TIME.test(text) && isDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
};

const codePoints = (text: string): number => [...text].length;

/** A rule for values of one type. Values of other types pass, as JSON Schema requires. */
const forText =
  (holds: (text: string, schema: Schema) => boolean, says: string): Rule =>
  (value, schema) =>
    typeof value === "string" && !holds(value, schema) ? [says] : [];

const forNumber =
  (holds: (value: number, schema: Schema) => boolean, says: string): Rule =>
  (value, schema) =>
    typeof value === "number" && !holds(value, schema) ? [says] : [];

const forArray =
  (holds: (value: readonly unknown[], schema: Schema) => boolean, says: string): Rule =>
  (value, schema) =>
    Array.isArray(value) && !holds(value, schema) ? [says] : [];

const MAX = Number.POSITIVE_INFINITY;

const NO_RULE: Rule = () => [];

const RULES: Readonly<Record<Exclude<keyof Schema & string, "$ref">, Rule>> = {
  description: NO_RULE,
  default: NO_RULE,
  type(value, { type = [] }) {
    const types = typeof type === "string" ? [type] : type;
    return types.some((name) => TYPES[name]?.(value)) ? [] : [` is not of type ${types.join(" or ")}`];
  },
  const: (value, schema) => (value === schema.const ? [] : [` is not ${JSON.stringify(schema.const)}`]),
  enum: (value, schema) => (schema.enum?.some((known) => known === value) ? [] : [` is none of ${schema.enum?.join(", ")}`]),
  format: forText((text, { format = "" }) => FORMATS[format]?.(text) ?? false, " is not of its format"),
  pattern: forText((text, { pattern = "" }) => new RegExp(pattern, "u").test(text), " does not match its pattern"),
  minLength: forText((text, { minLength = 0 }) => codePoints(text) >= minLength, " is too short"),
  maxLength: forText((text, { maxLength = MAX }) => codePoints(text) <= maxLength, " is too long"),
  minimum: forNumber((value, { minimum = -MAX }) => value >= minimum, " is too small"),
  maximum: forNumber((value, { maximum = MAX }) => value <= maximum, " is too large"),
  minItems: forArray((value, { minItems = 0 }) => value.length >= minItems, " has too few items"),
  maxItems: forArray((value, { maxItems = MAX }) => value.length <= maxItems, " has too many items"),
  items: (value, { items = {} }, check) =>
    Array.isArray(value) ? value.flatMap((item, i) => check(item, items).map((problem) => `[${i}]${problem}`)) : [],
  properties: (value, { properties = {} }, check) =>
    isObject(value)
      ? Object.entries(properties)
          .filter(([name]) => Object.hasOwn(value, name))
          .flatMap(([name, schema]) => check(value[name], schema).map((problem) => `.${name}${problem}`))
      : [],
  required: (value, { required = [] }) =>
    isObject(value) ? required.filter((name) => !Object.hasOwn(value, name)).map((name) => ` lacks "${name}"`) : [],
  additionalProperties: (value, { additionalProperties = true, properties = {} }) =>
    isObject(value) && !additionalProperties
      ? Object.keys(value)
          .filter((name) => !Object.hasOwn(properties, name))
          .map((name) => ` has "${name}", which is no field of it`)
      : [],
  anyOf(value, { anyOf = [] }, check) {
    const found = anyOf.map((schema) => check(value, schema));
    return found.some((problems) => problems.length === 0)
      ? []
      : [` is none of its kinds:${found.map((problems) => problems[0]).join(";")}`];
  },
};

export const SCHEMA_KEYWORDS: readonly string[] = ["$ref", ...Object.keys(RULES)];

/** Resolves a reference within the document. */
export function resolveReference<T>(root: SchemaRoot, reference: string): T {
  if (!reference.startsWith("#/")) throw new Error(`${reference} leads out of the document`);
  let found: unknown = root;
  for (const part of reference.slice(2).split("/")) found = isObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  if (found === undefined) throw new Error(`${reference} leads nowhere`);
  return found as T;
}

function checkValue(root: SchemaRoot, value: unknown, { $ref, ...schema }: Schema): string[] {
  const referred = $ref === undefined ? [] : checkValue(root, value, resolveReference<Schema>(root, $ref));
  const own = Object.keys(schema).flatMap((keyword) => {
    const rule: Rule | undefined = Object.hasOwn(RULES, keyword) ? RULES[keyword as keyof typeof RULES] : undefined;
    if (!rule) throw new Error(`the checker does not know the keyword "${keyword}"; add a rule for it`);
    return rule(value, schema, (part, partSchema) => checkValue(root, part, partSchema));
  });
  return [...referred, ...own];
}

/** One message for each violation of the schema; empty if the value is valid. */
export const schemaProblems = (root: SchemaRoot, value: unknown, schema: Schema): string[] =>
  checkValue(root, value, schema).map((problem) => `the value${problem}`);
