/** JSON Schema as far as the document needs it (2020-12, the dialect of OpenAPI 3.1), and short ways to write it. */

type TypeName = "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";

export interface Schema {
  readonly $ref?: string;
  readonly type?: TypeName | readonly TypeName[];
  readonly description?: string;
  readonly default?: string | number;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly format?: "date" | "date-time";
  readonly pattern?: string;
  /** Lengths of texts are in Unicode code points, as the service counts them. */
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

export type Properties = Readonly<Record<string, Schema>>;

type OneType = Schema & { readonly type: TypeName };

/** What a schema says beside its type and description. */
type Rules = Omit<Schema, "type" | "description" | "$ref">;

export const text = (description: string, rules: Rules = {}): OneType => ({ type: "string", description, ...rules });

/** A number of things. */
export const count = (description: string, rules: Rules = {}): OneType => ({ type: "integer", minimum: 0, description, ...rules });

export const number = (description: string, rules: Rules = {}): OneType => ({ type: "number", description, ...rules });

/** A share of a whole; not in percent. */
export const fraction = (description: string): OneType => number(description, { minimum: 0, maximum: 1 });

export const boolean = (description: string): OneType => ({ type: "boolean", description });

export const list = (description: string, items: Schema, rules: Rules = {}): OneType => ({ type: "array", description, items, ...rules });

/** Of one type, or null for the reason that the description gives. */
export const orNull = ({ type, ...rules }: OneType): Schema => ({ type: [type, "null"], ...rules });

/** An object with these fields, all of which are there unless named as optional, and no others. */
export function closed(properties: Properties, { optional = [] }: { readonly optional?: readonly string[] } = {}): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}
