/** Writes the types of the service's answers from its own description, for the compiler only: the page imports nothing of the service. */
import { writeFileSync } from "node:fs";
import { ROUTES } from "../src/handlers/app.ts";
import { openapiDocument } from "../src/handlers/openapi.ts";
import type { Schema } from "../src/handlers/openapi/schema.ts";

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

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
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
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

const { schemas } = openapiDocument(ROUTES).components;
const types = Object.entries<Schema>(schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)};`);
writeFileSync(
  process.argv[2] ?? "",
  `/** Made from the service's description by tools/write-dashboard-types.ts; not kept in the repository. */\n${types.join("\n")}\n`,
);
