/** What is served beside events and figures: the script, the state of the service, this document. */
import { SCRIPT_PATHS } from "../../runtime/config/names.ts";
import { ANY_PAGE, CODED, FILE_HEADERS, NOT_STORED, RETRY_AFTER, STORED, UNCHANGED } from "./headers.ts";
import type { Answer, Headers, Operation } from "./operation.ts";
import { boolean, closed, count, orNull, text, type Schema } from "../../runtime/query/json-schema.ts";

/** Open, because the specification of OpenAPI says what is in it. */
const DOCUMENT: Schema = {
  type: "object",
  properties: { openapi: text("The version of the specification.", { pattern: "^3\\.1\\." }) },
  required: ["openapi", "info", "paths"],
};

export const SERVICE_SCHEMAS = {
  OpenApiDocument: DOCUMENT,
  Health: closed({
    status: text("The only value.", { const: "ok" }),
    version: text("Of the program.", { minLength: 1 }),
    buffered_events: count("Events in the journal that are in no file yet."),
    auth_configured: boolean("Whether there is an admin password."),
    geoip_loaded: boolean("Whether there is a geo database."),
    behavioral_extension_loaded: boolean("Whether the behavioral extension is loaded."),
    behavioral_version: orNull(text("Of the extension; null while it is not loaded.")),
    filter_bots: boolean("Whether events of bots are dropped."),
    cache_entries: count("Kept answers."),
    cache_empty: boolean("Whether there are none."),
  }),
};

const word = (description: string, body: string, headers = NOT_STORED): Answer => ({
  description,
  headers,
  content: { "text/plain": { schema: text("The only value.", { const: body }) } },
});

const plainText = (description: string, headers: Headers): Answer => ({
  description,
  headers,
  content: { "text/plain": { schema: text("Lines.", { minLength: 1 }) } },
});

const SCRIPT_HEADERS: Headers = {
  ...FILE_HEADERS,
  ...ANY_PAGE,
  "Cross-Origin-Resource-Policy": {
    description: "Any page may load it.",
    required: true,
    schema: { type: "string", const: "cross-origin" },
  },
};

const script = (operationId: string, summary: string): Operation => ({
  operationId,
  tag: "Service",
  summary,
  answers: {
    200: {
      description: "The script.",
      headers: { ...SCRIPT_HEADERS, ...CODED },
      content: { "text/javascript": { schema: text("JavaScript.", { minLength: 1 }) } },
    },
    304: { description: UNCHANGED, headers: SCRIPT_HEADERS },
  },
});

export const SERVICE_OPERATIONS = {
  [`GET ${SCRIPT_PATHS[0]}` as const]: script("getScript", "The tracking script"),
  [`GET ${SCRIPT_PATHS[1]}` as const]: script("getScriptAlias", "The tracking script under another name"),
  "GET /api/openapi.json": {
    operationId: "getOpenapi",
    tag: "Service",
    summary: "This document",
    answers: {
      200: {
        description: "An OpenAPI document of every route.",
        headers: { ...STORED, ...ANY_PAGE },
        content: { "application/json": { schema: { $ref: "#/components/schemas/OpenApiDocument" } } },
      },
    },
  },
  "GET /health": {
    operationId: "getHealth",
    tag: "Service",
    summary: "Whether the process lives",
    answers: { 200: word("It does.", "ok") },
  },
  "GET /health/ready": {
    operationId: "getReady",
    tag: "Service",
    summary: "Whether the query engine answers",
    description: "The engine is queried at most once a second; calls in between get the last outcome.",
    answers: {
      200: word("It does.", "ready"),
      503: word("It does not.", "database not ready", { ...NOT_STORED, ...RETRY_AFTER }),
    },
    refusals: { request_timeout: "It did not answer within the time limit." },
  },
  "GET /health/detailed": {
    operationId: "getHealthDetails",
    tag: "Service",
    summary: "What is there",
    answers: {
      200: {
        description: "It lives.",
        headers: NOT_STORED,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Health" } } },
      },
    },
    refusals: { request_timeout: "The query engine did not start within the time limit." },
  },
  "GET /metrics": {
    operationId: "getMetrics",
    tag: "Service",
    summary: "Numbers for Prometheus",
    description: "Where `metrics_token` is set, as `Authorization: Bearer` and its value.",
    answers: { 200: plainText("Metrics in the Prometheus text format.", NOT_STORED) },
    refusals: { unauthenticated: "There is a token, and the request has another or none." },
  },
  "GET /robots.txt": {
    operationId: "getRobots",
    tag: "Service",
    summary: "That nothing is for search engines",
    answers: { 200: plainText("Rules for robots.", STORED) },
  },
  "GET /.well-known/security.txt": {
    operationId: "getSecurityContact",
    tag: "Service",
    summary: "Whom to tell of a hole",
    answers: { 200: plainText("A contact, as RFC 9116 has it.", STORED) },
  },
} satisfies Readonly<Record<string, Operation>>;
