/**
 * Writes the parts of docs/http-api.md that the OpenAPI document has: a list for each group of routes with access, statuses,
 * parameters and types. The page marks each part with a comment that names its routes, the schema of its fields, or `parameters`
 * for those that reports share.
 */
import type { Access } from "../src/handlers/route.ts";
import type { Schema } from "../src/runtime/base/json-schema.ts";

interface Parameter {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** The part of the OpenAPI document that this file reads. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

interface DocumentedRoute {
  readonly id: string;
  readonly access: Access;
  readonly operation: Operation;
}

const LINE_CHARS_MAX = 120;

const REGION = /^<!-- api: (.+?) -->\n[^]*?^<!-- api end -->$/gm;

const DESCRIPTION_CHARS_MAX = 220;

/** The first sentence of a long description. The page explains the rest. */
const summaryOf = (text: string): string =>
  text.length <= DESCRIPTION_CHARS_MAX ? text : (/^.*?[.](?= [A-Z`]|$)/.exec(text)?.[0] ?? text);

const withLowerCase = (text: string): string => text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

/** `10000 days` becomes `10,000 days`, except in code. */
const withSeparators = (text: string): string =>
  text.replaceAll(/`[^`]*`|\b\d{5,}\b/g, (part) => (part.startsWith("`") ? part : Number(part).toLocaleString("en-US")));

/** A list item on lines of bounded length. */
function itemOf(text: string): string {
  const lines = ["-"];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= LINE_CHARS_MAX) lines[lines.length - 1] = line;
    else lines.push(`  ${word}`);
  }
  return lines.join("\n");
}

/** The text in the parentheses behind the name of a parameter. */
function factsOf({ required, schema }: Pick<Parameter, "required" | "schema">): string {
  const words = schema.enum?.map((word) => `\`${word}\``).join(", ");
  const bounds =
    schema.maximum === undefined
      ? undefined
      : `${(schema.minimum ?? 0).toLocaleString("en-US")} to ${schema.maximum.toLocaleString("en-US")}`;
  const length = schema.maxLength === undefined ? undefined : `at most ${schema.maxLength.toLocaleString("en-US")} characters`;
  const otherwise = schema.default === undefined ? "optional" : `default \`${schema.default}\``;
  return [words, bounds, length, required ? "required" : otherwise].filter((part) => part !== undefined).join("; ");
}

const parameterItem = ({ name, in: place, description, ...facts }: Omit<Parameter, "in"> & Partial<Pick<Parameter, "in">>): string =>
  itemOf(`${place === "header" ? "Header " : ""}\`${name}\` (${factsOf(facts)}): ${withLowerCase(withSeparators(summaryOf(description)))}`);

/** A schema in the notation of the page, with the names of those that the page defines. */
class Types {
  readonly #document: Document;
  /** Names of schemas by what they are. */
  readonly #names = new Map<string, string>();
  readonly #defined = new Set<string>();

  constructor(document: Document, routes: readonly DocumentedRoute[]) {
    this.#document = document;
    const written = routes
      .flatMap(({ operation }) => [bodyOf(operation), responseOf(operation)])
      .flatMap((schema) => (schema ? [this.#textOf(schema)] : []))
      .join("\n");
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const text = this.#textOf(schema);
      if (text.length > LINE_CHARS_MAX && written.split(text).length > 2) this.#names.set(text, name);
    }
  }

  /** A labeled list item, and the definitions of the names that it has and that the page does not define before it. */
  itemsOf(label: string, schema: Schema): string[] {
    const used: string[] = [];
    const text = this.#textOf(schema, used);
    const fresh = used.filter((name) => !this.#defined.has(name));
    for (const name of fresh) this.#defined.add(name);
    return [
      itemOf(`${label}: \`${text}\``),
      ...fresh.map((name) => itemOf(`\`${name}\`: \`${this.#textOf(this.#document.components.schemas[name] ?? {})}\``)),
    ];
  }

  /** Writes known schemas as their names if `used` is given, and adds the names to it. */
  #textOf(schema: Schema, used?: string[]): string {
    if (schema.$ref !== undefined) return this.#textOf(this.#document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, used);
    const name = used && this.#names.get(this.#textOf(schema));
    if (name === undefined) return this.#spelledOut(schema, used);
    if (!used?.includes(name)) used?.push(name);
    return name;
  }

  #spelledOut(schema: Schema, used?: string[]): string {
    if (schema.anyOf) return schema.anyOf.map((one) => this.#textOf(one, used)).join(" | ");
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
    if (schema.type === undefined) return "any";
    const types = [schema.type].flat().map((type) => this.#typeOf(type ?? "", schema, used));
    // `string|null` is one word, which no line break cuts.
    return types.join(types.every((type) => /^\w+$/.test(type)) ? "|" : " | ");
  }

  #typeOf(type: string, { items, properties, required = [] }: Schema, used?: string[]): string {
    if (type === "array" && items) return `[${this.#textOf(items, used)}]`;
    if (type !== "object" || !properties) return type;
    const fields = Object.entries(properties).map(
      ([name, field]) => `${name}${required.includes(name) ? "" : "?"}: ${this.#textOf(field, used)}`,
    );
    return `{ ${fields.join(", ")} }`;
  }
}

const jsonOf = (content: Content | undefined): Schema | undefined => content?.content?.["application/json"]?.schema;

const bodyOf = ({ requestBody }: Operation): Schema | undefined => jsonOf(requestBody);

/** OpenAPI's own document is not spelled out. */
function responseOf({ responses }: Operation): Schema | undefined {
  const schema = jsonOf(responses["201"] ?? responses["200"]);
  return schema?.$ref?.endsWith("/OpenApiDocument") ? undefined : schema;
}

/** The parameters of a route. A report with all shared ones lists only its own. */
function parametersOf({ components }: Document, { parameters = [] }: Operation): readonly Parameter[] {
  const resolved = parameters.flatMap((parameter) =>
    "$ref" in parameter ? (components.parameters[parameter.$ref.split("/").at(-1) ?? ""] ?? []) : [parameter],
  );
  const names = new Set(resolved.map(({ name }) => name));
  const hasAllShared = Object.values(components.parameters).every(({ in: place, name }) => place === "header" || names.has(name));
  const shared = new Set(Object.values(components.parameters));
  return resolved.filter((parameter) => parameter.in !== "path" && !(hasAllShared && shared.has(parameter)));
}

/** The page with every marked part as the document has it. */
export function withApiReference(
  page: string,
  openapi: unknown,
  routes: readonly { method: string; path: string; access: Access }[],
): string {
  const document = JSON.parse(JSON.stringify(openapi)) as Document;
  const documented = routes.map(({ method, path, access }): DocumentedRoute => {
    const template = path.replace(/:(\w+)/g, "{$1}");
    const operation = document.paths[template]?.[method.toLowerCase()];
    if (!operation) throw new Error(`${method} ${path} is not in the OpenAPI document`);
    return { id: `${method} ${template}`, access, operation };
  });
  const types = new Types(document, documented);
  const described = new Set<string>();

  /** Long descriptions that the page has above are not repeated. */
  function parameterItems(parameters: readonly Parameter[]): string[] {
    const items = parameters.map((parameter) => ({ ...parameter, item: parameterItem(parameter) }));
    const fresh = items.filter(({ item }) => item.length < DESCRIPTION_CHARS_MAX / 2 || !described.has(item));
    const known = items.filter((item) => !fresh.includes(item)).map(({ name }) => `\`${name}\``);
    for (const { item } of fresh) described.add(item);
    return [...fresh.map(({ item }) => item), ...(known.length > 0 ? [itemOf(`${known.join(", ")}: as above`)] : [])];
  }

  function routeItems(id: string): string[] {
    const route = documented.find((known) => known.id === id);
    if (!route) throw new Error(`docs/http-api.md marks a part of "${id}", which is not a route`);
    const [body, response] = [bodyOf(route.operation), responseOf(route.operation)];
    return [
      itemOf(`Route: \`${id}\` · ${route.access} · ${Object.keys(route.operation.responses).join(" ")}`),
      ...parameterItems(parametersOf(document, route.operation)),
      ...(body ? types.itemsOf("Body", body) : []),
      ...(response ? types.itemsOf("Response", response) : []),
    ];
  }

  function fieldItems(name: string): string[] {
    const { properties, required = [] } = document.components.schemas[name] ?? {};
    if (!properties) throw new Error(`docs/http-api.md marks a part of "${name}", which is no route and no schema with fields`);
    return Object.entries(properties).map(([field, schema]) =>
      parameterItem({ name: field, description: schema.description ?? "", required: required.includes(field), schema }),
    );
  }

  function itemsOf(subject: string): string[] {
    if (subject === "parameters") return Object.values(document.components.parameters).map(parameterItem);
    return subject.includes(" ") ? routeItems(subject) : fieldItems(subject);
  }

  return page.replaceAll(REGION, (_, subjects: string) =>
    [`<!-- api: ${subjects} -->`, "", ...subjects.split(", ").flatMap(itemsOf), "", "<!-- api end -->"].join("\n"),
  );
}
