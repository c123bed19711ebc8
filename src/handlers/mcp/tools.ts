/** The tools of the MCP server: reports and lists, described and answered as by the HTTP API. */
import type { Schema } from "../../runtime/base/json-schema.ts";
import { REPORTS } from "../../runtime/reports/registry.ts";
import type { Report } from "../../runtime/reports/report.ts";
import { getGoals, GOALS_API } from "../goals.ts";
import type { Operation, Operations, Parameter } from "../openapi/operation.ts";
import type { Handler } from "../route.ts";
import { getSegments, SEGMENTS_API } from "../segments.ts";
import { getSites, reportHandler, STATS_API } from "../stats.ts";
import { UNTRUSTED } from "./strangers-texts.ts";

export interface Tool {
  readonly name: string;
  readonly handler: Handler;
  /** Its arguments by name. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The entry of `tools/list`. */
  readonly listed: object;
}

const READ: readonly (readonly [id: string, handler: Handler])[] = [
  ["GET /api/sites", getSites],
  ...REPORTS.map((report: Report) => [`GET ${report.path}`, reportHandler(report)] as const),
  ["GET /api/goals", getGoals],
  ["GET /api/segments", getSegments],
];

const OPERATIONS: Operations = { ...STATS_API.operations, ...GOALS_API.operations, ...SEGMENTS_API.operations };

const SCHEMAS: Readonly<Record<string, Schema>> = { ...STATS_API.schemas, ...GOALS_API.schemas, ...SEGMENTS_API.schemas };

/** `session_timeseries` for `getSessionTimeseries`. */
const nameOf = ({ operationId }: Operation): string =>
  operationId.replace(/^get(?=[A-Z])/, "").replace(/[A-Z]/g, (letter, at: number) => (at === 0 ? "" : "_") + letter.toLowerCase());

/** They ask for files, which are no results of tools. */
const OF_FILES = ["format", "bom"];

const isArgument = ({ name, in: place }: Parameter): boolean => place !== "header" && !OF_FILES.includes(name);

/** Patterns are left out: that of filters is longer than all descriptions, which say its rules. */
function argumentSchema({ description, schema: { pattern: _pattern, ...schema } }: Parameter): Schema {
  return { ...schema, description: [description, schema.description].join(" ").trim() };
}

function inputSchema(parameters: ReadonlyMap<string, Parameter>) {
  const all = [...parameters.values()];
  return {
    type: "object",
    properties: Object.fromEntries(all.map((parameter) => [parameter.name, argumentSchema(parameter)])),
    required: all.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

const COMPONENTS = "#/components/schemas/";

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (SCHEMAS[schema.$ref.slice(COMPONENTS.length)] ?? schema);

/** Results are objects, so a list is in one, beside its coverage. */
const asObject = (schema: Schema): Schema =>
  schema.type === "array"
    ? {
        type: "object",
        properties: { rows: schema, coverage: { $ref: `${COMPONENTS}Coverage` } },
        required: ["rows"],
        additionalProperties: false,
      }
    : schema;

const formsOf = ({ answers }: Operation): readonly Schema[] => {
  const answer = answers[200]?.content?.["application/json"]?.schema ?? {};
  return (answer.anyOf ?? [answer]).map((form) => asObject(resolved(form)));
};

/** The schema without descriptions and references: what they say stands in the description of the tool, which every client passes on. */
function bareSchema(schema: Schema): object {
  const { description: _description, $ref: _reference, properties, items, anyOf, ...rules } = resolved(schema);
  return {
    ...rules,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, bareSchema(each)])) }),
    ...(items && { items: bareSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(bareSchema) }),
  };
}

/** What each field of an answer means, once. */
function definitionsIn(schema: Schema): readonly string[] {
  const { properties = {}, items, anyOf = [] } = resolved(schema);
  const ofFields = Object.entries(properties).flatMap(([name, field]) => {
    const { description } = resolved(field);
    return [...(description === undefined ? [] : [`- ${name}: ${description}`]), ...definitionsIn(field)];
  });
  return [...new Set([...ofFields, ...(items ? definitionsIn(items) : []), ...anyOf.flatMap(definitionsIn)])];
}

function outputSchema(operation: Operation): object {
  const [only = {}, ...others] = formsOf(operation);
  return bareSchema(others.length === 0 ? only : { type: "object", anyOf: [only, ...others] });
}

function descriptionOf(operation: Operation): string {
  const { summary, description } = operation;
  const definitions = [...new Set(formsOf(operation).flatMap(definitionsIn))];
  const subject = description === undefined ? `${summary}.` : `${summary}. ${description}`;
  return `${subject}\n\nFields of the answer:\n${definitions.join("\n")}\n\n${UNTRUSTED}`;
}

function toolOf([id, handler]: (typeof READ)[number]): Tool {
  const operation = OPERATIONS[id];
  if (!operation) throw new Error(`${id} has no description`);
  const { summary, parameters: declared = [] } = operation;
  const parameters = new Map(declared.filter(isArgument).map((parameter) => [parameter.name, parameter]));
  const name = nameOf(operation);
  return {
    name,
    handler,
    parameters,
    listed: {
      name,
      title: summary,
      description: descriptionOf(operation),
      inputSchema: inputSchema(parameters),
      outputSchema: outputSchema(operation),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
  };
}

export const TOOLS: ReadonlyMap<string, Tool> = new Map(READ.map(toolOf).map((tool) => [tool.name, tool]));
