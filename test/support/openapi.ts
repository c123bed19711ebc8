/** Reads the service's OpenAPI document, and checks real responses against it. */
import type { OpenapiDocument } from "../../src/handlers/openapi.ts";
import type { Headers } from "../../src/handlers/openapi/headers.ts";
import type { Answer, Parameter, RequestBody } from "../../src/handlers/openapi/operation.ts";
import type { Schema } from "../../src/runtime/base/json-schema.ts";
import { resolveReference, schemaProblems, type SchemaRoot } from "./json-schema.ts";

/** A documented route with resolved references. */
export interface Documented {
  /** E.g. `GET /api/stats/breakdown/{dimension}`. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody: RequestBody | null;
  /** By status. */
  readonly answers: Readonly<Record<string, Answer>>;
}

const rootOf = (document: OpenapiDocument): SchemaRoot => document as unknown as SchemaRoot;

type OrReference<T> = T | { readonly $ref: string };

const resolved = <T extends object>(document: OpenapiDocument, part: OrReference<T>): T =>
  "$ref" in part ? resolveReference<T>(rootOf(document), part.$ref) : part;

type RawAnswer = OpenapiDocument["components"]["responses"]["NotFound"];

/** A response with resolved headers. */
export function answerOf(document: OpenapiDocument, { headers, ...answer }: RawAnswer): Answer {
  const resolvedHeaders: Headers = Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, resolved(document, header)]));
  return { ...answer, headers: resolvedHeaders };
}

/** All routes of the document. */
export const documentedIn = (document: OpenapiDocument): Documented[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [], requestBody, responses }]) => ({
      id: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map((parameter) => resolved(document, parameter)),
      requestBody: requestBody ?? null,
      answers: Object.fromEntries(Object.entries(responses).map(([status, answer]) => [status, answerOf(document, answer)])),
    })),
  );

export const isGet = ({ method }: Documented): boolean => method === "GET";

/** Whether pages of all origins may read its responses (CORS). */
export const isIngest = ({ path }: Documented): boolean => ["/api/event", "/api/send", "/count", "/matomo.php"].includes(path);

export type Values = Readonly<Record<string, string>>;

/** The document's examples of the required parameters. */
export const requiredValues = ({ parameters }: Documented): Values =>
  Object.fromEntries(parameters.filter(({ required }) => required).map(({ name, example }) => [name, String(example)]));

/** The alternative sets of parameters of some routes. The first set is used if the test concerns none of them. */
const ALTERNATIVES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "GET /api/stats/property-values": [["key"], ["name"]],
  "GET /api/stats/sequences": [["steps"], ["pattern", "conditions"]],
};

/** Further parameters that a route needs if the test concerns a parameter. */
export function alternativeValues({ id, parameters }: Documented, asked: string | null): Values {
  const sets = ALTERNATIVES[id] ?? [];
  const names = sets.find((set) => asked !== null && set.includes(asked)) ?? sets[0] ?? [];
  return Object.fromEntries(parameters.filter(({ name }) => names.includes(name)).map(({ name, example }) => [name, String(example)]));
}

export const isAlternative = ({ id }: Documented, name: string): boolean => (ALTERNATIVES[id] ?? []).some((set) => set.includes(name));

type Asked = Pick<Documented, "path" | "parameters">;

const namesIn = ({ parameters }: Asked, place: Parameter["in"]): ReadonlySet<string> =>
  new Set(parameters.filter((parameter) => parameter.in === place).map(({ name }) => name));

/** The path with these values as path and query parameters. */
export function pathWith(route: Asked, values: Values): string {
  const [inPath, inHeaders] = [namesIn(route, "path"), namesIn(route, "header")];
  const filled = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const inQuery = Object.entries(values).filter(([name]) => !inPath.has(name) && !inHeaders.has(name));
  const query = new URLSearchParams(inQuery).toString();
  return query === "" ? filled : `${filled}?${query}`;
}

/** The headers with those of these values that are header parameters. */
export const headersWith = (route: Asked, values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => namesIn(route, "header").has(name)));

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The value of a string in a URL or header, by the type in its schema. */
export const valueOfText = (text: string, { type }: Schema): unknown =>
  (type === "integer" && /^\d+$/.test(text)) || (type === "number" && NUMBER.test(text)) ? Number(text) : text;

/** Headers that hosts add, and those that OpenAPI describes elsewhere. */
const TRANSPORT_HEADERS = ["connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding"];

function headerProblems(root: SchemaRoot, documented: Headers, real: globalThis.Headers): string[] {
  const names = new Set(Object.keys(documented).map((name) => name.toLowerCase()));
  const unknown = [...real.keys()].filter((name) => !names.has(name) && !TRANSPORT_HEADERS.includes(name));
  return [
    ...unknown.map((name) => `it bears "${name}", which is not documented; add it in src/handlers`),
    ...Object.entries(documented).flatMap(([name, { required, schema }]) => {
      const value = real.get(name);
      if (value === null) return required ? [`it lacks the header "${name}"`] : [];
      return schemaProblems(root, valueOfText(value, schema), schema).map((problem) => `header "${name}": ${problem}`);
    }),
  ];
}

function bodyProblems(root: SchemaRoot, { content }: Answer, mediaType: string, body: string): string[] {
  if (content === undefined) return body === "" ? [] : ["it has a body, and none is documented"];
  const documented = content[mediaType];
  if (!documented) return [`its type is "${mediaType}", and ${Object.keys(content).join(", ")} is documented`];
  if (body === "") return ["it has no body"];
  if (!documented.schema) return [];
  const value: unknown = mediaType === "application/json" ? JSON.parse(body) : body;
  return schemaProblems(root, value, documented.schema);
}

const mediaTypeOf = ({ headers }: Response): string => (headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";

/** The differences between a real response and this documented one. */
export async function problemsWith(document: OpenapiDocument, answer: Answer, response: Response): Promise<string[]> {
  const root = rootOf(document);
  const body = await response.text();
  return [...headerProblems(root, answer.headers ?? {}, response.headers), ...bodyProblems(root, answer, mediaTypeOf(response), body)];
}

/** The differences between a real response and the documentation of its route. */
export async function answerProblems(document: OpenapiDocument, { id, answers }: Documented, response: Response): Promise<string[]> {
  const answer = answers[response.status];
  if (answer) return problemsWith(document, answer, response);
  return [`${id} answered ${response.status}, which is not documented; say when in src/handlers: ${await response.text()}`];
}

/** Whether the document allows this value of a parameter or field. */
export const allows = (document: OpenapiDocument, schema: Schema, value: unknown): boolean =>
  schemaProblems(rootOf(document), value, schema).length === 0;

/** The schema of a JSON body. */
export function bodySchemaOf(document: OpenapiDocument, { requestBody }: Documented): Schema | null {
  const schema = requestBody?.content["application/json"]?.schema;
  return schema ? resolved<Schema>(document, schema as OrReference<Schema>) : null;
}
