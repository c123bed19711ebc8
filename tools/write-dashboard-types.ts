/** Generates dashboard/api/types.ts from the OpenAPI document: the shapes of responses, the reports by name, and the dimensions. */
import { writeFileSync } from "node:fs";
import { ROUTES } from "../src/handlers/app.ts";
import { openapiDocument } from "../src/handlers/openapi.ts";
import type { Schema } from "../src/runtime/base/json-schema.ts";

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

const REPORT_PATHS = "/api/stats/";

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `readonly ${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};`,
  );
  const rest = additionalProperties === false || fields.length > 0 ? [] : ["readonly [name: string]: unknown;"];
  return `{ ${[...fields, ...rest].join(" ")} }`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.enum) return schema.enum.map((literal) => JSON.stringify(literal)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return [schema.type ?? "unknown"]
    .flat()
    .map((type) => {
      if (type === "object") return objectType(schema);
      if (type === "array") return `readonly (${typeOf(schema.items ?? {})})[]`;
      return PRIMITIVES[type] ?? "unknown";
    })
    .join(" | ");
}

/** The part of an operation that this program reads. */
interface Operation {
  readonly parameters?: readonly { readonly name?: string; readonly schema?: Schema }[];
  readonly responses: { readonly 200?: { readonly content?: { readonly "application/json"?: { readonly schema: Schema } } } };
}

const document = openapiDocument(ROUTES);
const paths = document.paths as unknown as Readonly<Record<string, { readonly get?: Operation }>>;

const schemas = Object.entries<Schema>(document.components.schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)};`);

/** `/api/stats/breakdown/{dimension}` is the report "breakdown". */
const reportName = (path: string): string => path.slice(REPORT_PATHS.length).replace(/\/\{.*/, "");

const reports = Object.entries(paths)
  .filter(([path]) => path.startsWith(REPORT_PATHS))
  .map(([path, { get }]) => {
    const schema = get?.responses[200]?.content?.["application/json"]?.schema ?? {};
    // Other forms have types of their own.
    return `readonly ${JSON.stringify(reportName(path))}: ${typeOf(schema.anyOf?.[0] ?? schema)};`;
  });

const dimensions = paths[`${REPORT_PATHS}breakdown/{dimension}`]?.get?.parameters?.find(({ name }) => name === "dimension")?.schema;
if (!dimensions?.enum) throw new Error("The OpenAPI document lists no dimensions for the breakdown report");

writeFileSync(
  process.argv[2] ?? "",
  [
    "/** Generated from the OpenAPI document by tools/write-dashboard-types.ts; not kept in the repository. */",
    ...schemas,
    "/** The response of each report by its name, the path segment after /api/stats/. */",
    `export interface Reports { ${reports.join(" ")} }`,
    "/** What the breakdown report can group by. */",
    `export type Dimension = ${typeOf(dimensions)};`,
    "",
  ].join("\n"),
);
