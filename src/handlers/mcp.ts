/**
 * POST /api/mcp: reports as tools of the Model Context Protocol (docs/agents.md). Stateless: each message is answered with JSON, and there
 * are no sessions and no streams. A tool is answered by the handler of its route, so its answer, its limits and its refusals are the route's.
 */
import { MCP_ID_CHARS_MAX } from "../runtime/base/config/limits.ts";
import { isObject } from "../runtime/base/body.ts";
import { refusedValue } from "../runtime/base/errors.ts";
import { closed, count, text, type Schema } from "../runtime/base/json-schema.ts";
import { isSiteId } from "../runtime/base/config/names.ts";
import { PRODUCT_NAME } from "../shared/names.ts";
import { exceedsChars } from "../shared/text.ts";
import type { SiteId } from "../storage/event.ts";
import type { JsonObject } from "../storage/record-store.ts";
import { siteNamed } from "./access.ts";
import { errorReply } from "./error-reply.ts";
import { COVERAGE_HEADER, emptyReply, jsonTextReply, readBody, type Reply, TIME_ZONE_HEADER } from "./http.ts";
import { UNTRUSTED, withoutHidden } from "./mcp/strangers-texts.ts";
import { TOOLS, type Tool } from "./mcp/tools.ts";
import { answer, jsonBody, type Operations } from "./openapi/operation.ts";
import type { Context, Handler } from "./route.ts";
import { readerOf } from "./stats.ts";

/** The revisions of the protocol, the newest first. */
const VERSIONS = ["2025-11-25", "2025-06-18"] as const;

/** Codes of JSON-RPC 2.0; `refused` is one of the range that it leaves to servers. */
const CODES = { notJson: -32700, invalidRequest: -32600, unknownMethod: -32601, invalidParams: -32602, internal: -32603, refused: -32000 };

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const invalidParams = (message: string): RpcError => new RpcError(CODES.invalidParams, message);

// Messages

type Id = string | number;

interface Message {
  /** null for a notification, which has no answer. */
  readonly id: Id | null;
  readonly method: string;
  readonly params: unknown;
}

const isId = (id: unknown): id is Id => Number.isSafeInteger(id) || (typeof id === "string" && !exceedsChars(id, MCP_ID_CHARS_MAX));

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new RpcError(CODES.notJson, "The body is not valid JSON");
  }
}

function parseMessage(body: string): Message {
  const value = parseJson(body);
  const invalid = (message: string) => new RpcError(CODES.invalidRequest, message);
  if (Array.isArray(value)) throw invalid("Batches are not supported: send one message in each request");
  if (!isObject(value)) throw invalid("The body must be a JSON object");
  const { jsonrpc, id, method, params } = value;
  if (jsonrpc !== "2.0") throw invalid('"jsonrpc" must be "2.0"');
  if (typeof method !== "string") throw invalid('"method" must be a string');
  if (id !== undefined && !isId(id)) throw invalid(`"id" must be an integer, or a text of at most ${MCP_ID_CHARS_MAX} characters`);
  return { id: id ?? null, method, params };
}

function checkVersion({ headers }: Request): void {
  const version = headers.get("mcp-protocol-version");
  if (version === null || VERSIONS.some((known) => known === version)) return;
  throw new RpcError(CODES.invalidRequest, `"MCP-Protocol-Version" must be one of ${VERSIONS.join(", ")}`);
}

function objectIn(value: unknown, name: string): JsonObject {
  if (value === undefined) return {};
  if (isObject(value)) return value;
  throw invalidParams(`"${name}" must be an object`);
}

/** The site of a call of a tool; null for every other body. Its instance answers, on hosts with one for each site. */
export function siteOfCall(body: string): SiteId | null {
  try {
    const { method, params } = parseMessage(body);
    const { site_id: siteId } = objectIn(objectIn(params, "params")["arguments"], "arguments");
    return method === "tools/call" && typeof siteId === "string" && isSiteId(siteId) ? siteId : null;
  } catch {
    return null;
  }
}

// Methods

const INSTRUCTIONS =
  `Statistics of websites, read-only. Begin with the tool "sites". Dates and hours are those of the site's time zone; rates are fractions ` +
  `from 0 to 1. ${UNTRUSTED}`;

function initialize({ protocolVersion: asked }: JsonObject, { services: { version } }: Context): string {
  if (typeof asked !== "string") throw invalidParams('"protocolVersion" must be a string');
  return JSON.stringify({
    protocolVersion: VERSIONS.find((known) => known === asked) ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: PRODUCT_NAME.toLowerCase(), title: PRODUCT_NAME, version },
    instructions: INSTRUCTIONS,
  });
}

const LISTED = JSON.stringify({ tools: Array.from(TOOLS.values(), ({ listed }) => listed) });

function listTools({ cursor }: JsonObject): string {
  if (cursor !== undefined) throw invalidParams('"cursor" must be left out: all tools are on one page');
  return LISTED;
}

/** The argument as it stands in a URL. Whether it is one of the values that the route takes is up to the route. */
function urlText(value: unknown, name: string, { type }: Schema): string {
  if (type === "integer" && Number.isInteger(value)) return String(value);
  if (type !== "integer" && typeof value === "string") return value;
  throw invalidParams(`"${name}" must be ${type === "integer" ? "an integer" : "a string"}`);
}

/** The arguments of a call as the parameters of its route, in the path and in the query. */
function parametersOf({ parameters }: Tool, given: JsonObject): { readonly path: Context["params"]; readonly query: URLSearchParams } {
  const [path, query] = [new Map<string, string>(), new URLSearchParams()];
  for (const [name, value] of Object.entries(given)) {
    const parameter = parameters.get(name);
    if (!parameter) throw invalidParams(refusedValue("An argument", `one of ${[...parameters.keys()].join(", ")}`, name).message);
    const written = urlText(value, name, parameter.schema);
    if (parameter.in === "path") path.set(name, written);
    else query.set(name, written);
  }
  return { path: Object.fromEntries(path), query };
}

/** The context of the request that the route would get. Agents come last, like guests: they ask much, and nobody waits at their screens. */
function contextOf(tool: Tool, given: JsonObject, context: Context): Context {
  const { path, query } = parametersOf(tool, given);
  const reader = readerOf(context, true);
  const asked = query.get("site_id");
  if (asked !== null) query.set("site_id", siteNamed(asked as SiteId, true, { services: context.services, reader }));
  const url = new URL(context.url);
  url.search = query.toString();
  return { ...context, url, reader, params: path };
}

async function callTool({ name, arguments: sent }: JsonObject, request: Request, context: Context): Promise<string> {
  if (typeof name !== "string") throw invalidParams('"name" must be a string');
  const tool = TOOLS.get(name);
  if (!tool) throw invalidParams(refusedValue('"name"', `one of ${[...TOOLS.keys()].join(", ")}`, name).message);
  return resultIn(await tool.handler(request, contextOf(tool, objectIn(sent, "arguments"), context)));
}

/** The route's JSON as the result of a tool, without parsing it. A list stands in `rows`, and what a header says of it beside it. */
function resultIn({ headers, body }: Reply): string {
  const json = withoutHidden(body as string);
  const coverage = headers[COVERAGE_HEADER];
  const timeZone = headers[TIME_ZONE_HEADER];
  const structured = json.startsWith("[") ? `{"rows":${json}${coverage === undefined ? "" : `,"coverage":${coverage}`}}` : json;
  const meta = { untrusted: UNTRUSTED, ...(timeZone !== undefined && { time_zone: timeZone }) };
  const content = `[{"type":"text","text":${JSON.stringify(structured)}}]`;
  return `{"content":${content},"structuredContent":${structured},"_meta":${JSON.stringify(meta)}}`;
}

const METHODS: Readonly<Record<string, (params: JsonObject, request: Request, context: Context) => string | Promise<string>>> = {
  initialize: (params, _request, context) => initialize(params, context),
  ping: () => "{}",
  "tools/list": listTools,
  "tools/call": callTool,
};

function resultOf({ method, params }: Message, request: Request, context: Context): string | Promise<string> {
  const answerTo = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (!answerTo)
    throw new RpcError(CODES.unknownMethod, refusedValue('"method"', `one of ${Object.keys(METHODS).join(", ")}`, method).message);
  return answerTo(objectIn(params, "params"), request, context);
}

// Replies

interface Failure {
  readonly code: number;
  readonly message: string;
  /** What the route answers over HTTP; absent if the message itself is wrong. */
  readonly data?: { readonly status: number; readonly retry_after_secs?: number };
}

const CODE_OF_STATUS: Readonly<Record<number, number>> = { 400: CODES.invalidParams, 422: CODES.invalidParams, 500: CODES.internal };

function failureOf(error: unknown, { requestId, failures }: Context): Failure {
  if (error instanceof RpcError) return { code: error.code, message: error.message };
  const { status, headers, body } = errorReply(error, requestId, failures);
  const retryAfter = headers["Retry-After"];
  return {
    code: CODE_OF_STATUS[status] ?? CODES.refused,
    message: (JSON.parse(body as string) as { error: string }).error,
    data: { status, ...(retryAfter !== undefined && { retry_after_secs: Number(retryAfter) }) },
  };
}

/** A request that has an id is answered with 200, whatever its outcome: clients read no other response. */
export const postMcp: Handler = async (request, context) => {
  let id: Id | null = null;
  try {
    const body = await readBody(request);
    checkVersion(request);
    const message = parseMessage(body);
    if (message.id === null) return emptyReply(202);
    ({ id } = message);
    return jsonTextReply(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${await resultOf(message, request, context)}}`);
  } catch (error) {
    const failure = failureOf(error, context);
    return jsonTextReply(JSON.stringify({ jsonrpc: "2.0", id, error: failure }), id === null ? (failure.data?.status ?? 400) : 200);
  }
};

// Description in the OpenAPI document

const VERSION = text("Constant.", { const: "2.0" });

const ID: Schema<Id> = {
  type: ["string", "integer"],
  description: `Chosen by the client. A text has at most ${MCP_ID_CHARS_MAX} characters.`,
  maxLength: MCP_ID_CHARS_MAX,
};

const FAILURE = closed(
  {
    code: { type: "integer", description: `A code of JSON-RPC, or ${CODES.refused}.` },
    message: text("What is wrong.", { minLength: 1 }),
    data: closed(
      {
        status: count("The status that the route of the tool answers with."),
        retry_after_secs: count("If a retry may succeed: seconds to wait before it.", { minimum: 1 }),
      },
      { optional: ["retry_after_secs"] },
    ),
  },
  { optional: ["data"] },
);

const SCHEMAS = {
  McpMessage: {
    type: "object",
    properties: {
      jsonrpc: VERSION,
      id: ID,
      method: text(`One of ${Object.keys(METHODS).join(", ")}. Without \`id\`: any notification, which is ignored.`),
      params: { type: "object", description: "As the protocol has it." },
    },
    required: ["jsonrpc", "method"],
  } satisfies Schema,
  McpAnswer: closed(
    { jsonrpc: VERSION, id: ID, result: { type: "object", description: "As the protocol has it." }, error: FAILURE },
    { optional: ["result", "error"] },
  ),
  McpFailure: closed({ jsonrpc: VERSION, id: { type: "null", description: "The message could not be read." }, error: FAILURE }),
};

const OPERATIONS = {
  "POST /api/mcp": {
    operationId: "postMcp",
    summary: "The reports as tools of the Model Context Protocol",
    description: "One JSON-RPC message in each request, stateless and read-only. Each tool is answered like the route of its operation.",
    requestBody: jsonBody("McpMessage"),
    answers: {
      200: answer("The result, or why there is none.", "McpAnswer"),
      202: { description: "A notification, which is ignored." },
      400: answer("The body is not a JSON-RPC message, or the header `MCP-Protocol-Version` has another revision.", "McpFailure"),
      413: answer("The body is too long.", "McpFailure"),
    },
    refusals: { request_timeout: "The result was not computed within the time limit." },
  },
} satisfies Operations;

export const MCP_API = { tag: "Statistics", schemas: SCHEMAS, operations: OPERATIONS } as const;
