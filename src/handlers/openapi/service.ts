/** Describes the tracking script, health, metrics and this document (docs/http-api.md, "Operations"). */
import { SCRIPT_PATHS } from "../../runtime/base/config/names.ts";
import { ANY_PAGE, CODED, FILE_HEADERS, NOT_STORED, RETRY_AFTER, STORED, UNCHANGED } from "./headers.ts";
import type { Answer, Headers, Operation } from "./operation.ts";
import { boolean, closed, count, orNull, text, type Schema } from "../../runtime/query/json-schema.ts";

/** Open, because the OpenAPI specification defines its content. */
const DOCUMENT: Schema = {
  type: "object",
  properties: { openapi: text("The version of the specification.", { pattern: "^3\\.1\\." }) },
  required: ["openapi", "info", "paths"],
};

export const SERVICE_SCHEMAS = {
  OpenApiDocument: DOCUMENT,
  Health: closed({
    status: text("Constant.", { const: "ok" }),
    version: text("Version of the program.", { minLength: 1 }),
    buffered_events: count("Events in the journal that are not in a file yet."),
    files_left_out: count("Files of events that reports leave out: damaged, missing or in the wrong folder."),
    auth_configured: boolean("Whether an admin password is set."),
    geoip_loaded: boolean("Whether a geo database is loaded."),
    geoip_built: orNull(text("Date on which the geo database was built; null without one.", { format: "date" })),
    behavioral_extension_loaded: boolean("Whether the behavioral extension is loaded."),
    behavioral_version: orNull(text("Version of the extension; null if it is not loaded.")),
    filter_bots: boolean("Whether events of bots are dropped."),
    cache_entries: count("Cached results."),
    cache_empty: boolean("Whether no results are cached."),
  }),
};

const fixedText = (description: string, body: string, headers = NOT_STORED): Answer => ({
  description,
  headers,
  content: { "text/plain": { schema: text("Constant.", { const: body }) } },
});

const plainText = (description: string, headers: Headers): Answer => ({
  description,
  headers,
  content: { "text/plain": { schema: text("Plain text.", { minLength: 1 }) } },
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
  [`GET ${SCRIPT_PATHS[1]}` as const]: script("getScriptAlias", "The tracking script at its alias"),
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
    summary: "Liveness",
    answers: { 200: fixedText("The process is alive.", "ok") },
  },
  "GET /health/ready": {
    operationId: "getReady",
    tag: "Service",
    summary: "Readiness",
    description:
      "Checks the query engine, or with `role = ingest` whether events can be stored, at most once a second; calls in between get the " +
      "last outcome.",
    answers: {
      200: fixedText("The query engine responds, or events can be stored.", "ready"),
      503: fixedText("The query engine does not respond, or events cannot be stored.", "database not ready", {
        ...NOT_STORED,
        ...RETRY_AFTER,
      }),
    },
    refusals: { request_timeout: "The query engine did not respond within the time limit." },
  },
  "GET /health/detailed": {
    operationId: "getHealthDetails",
    tag: "Service",
    summary: "Health details",
    answers: {
      200: {
        description: "The state of the service.",
        headers: NOT_STORED,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Health" } } },
      },
    },
    refusals: { request_timeout: "The query engine did not start within the time limit." },
  },
  "GET /metrics": {
    operationId: "getMetrics",
    tag: "Service",
    summary: "Metrics",
    description: "If `metrics_token` is set, requires `Authorization: Bearer <token>`.",
    answers: { 200: plainText("Metrics in the Prometheus text format.", NOT_STORED) },
    refusals: { unauthenticated: "A token is set, and the token of the request is missing or wrong." },
  },
  "GET /robots.txt": {
    operationId: "getRobots",
    tag: "Service",
    summary: "Rules for crawlers",
    answers: { 200: plainText("Disallows everything.", STORED) },
  },
  "GET /.well-known/security.txt": {
    operationId: "getSecurityContact",
    tag: "Service",
    summary: "Contact for vulnerability reports",
    answers: { 200: plainText("A contact in the form of RFC 9116.", STORED) },
  },
} satisfies Readonly<Record<string, Operation>>;
