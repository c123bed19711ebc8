/** What is served beside events and figures: the script, the state of the service, this document. */
import { SCRIPT_PATHS } from "../../runtime/names.ts";
import type { RouteId } from "../app.ts";
import { ANY_PAGE, NOT_STORED, RETRY_AFTER, STORED } from "./headers.ts";
import type { Answer, Operation } from "./operation.ts";
import { text, type Schema } from "./schema.ts";

/** Open, because the specification of OpenAPI says what is in it. */
const DOCUMENT: Schema = {
  type: "object",
  properties: { openapi: text("The version of the specification.", { pattern: "^3\\.1\\." }) },
  required: ["openapi", "info", "paths"],
};

export const SERVICE_SCHEMAS = { OpenApiDocument: DOCUMENT };

const word = (description: string, body: string, headers = NOT_STORED): Answer => ({
  description,
  headers,
  content: { "text/plain": { schema: text("The only value.", { const: body }) } },
});

const script = (operationId: string, summary: string): Operation => ({
  operationId,
  tag: "Service",
  summary,
  answers: {
    200: {
      description: "The script.",
      headers: {
        ...STORED,
        ...ANY_PAGE,
        "Cross-Origin-Resource-Policy": {
          description: "Any page may load it.",
          required: true,
          schema: { type: "string", const: "cross-origin" },
        },
      },
      content: { "text/javascript": { schema: text("JavaScript.", { minLength: 1 }) } },
    },
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
    answers: {
      200: word("It does.", "ready"),
      503: word("It does not.", "database not ready", { ...NOT_STORED, ...RETRY_AFTER }),
    },
    refusals: { request_timeout: "It did not answer within the time limit." },
  },
} satisfies Partial<Record<RouteId, Operation>>;
