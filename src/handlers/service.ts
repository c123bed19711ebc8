/** Health, metrics, robots.txt and security.txt (docs/http-api.md, "Operations"). */
import { equalBytes } from "../runtime/base/bytes.ts";
import type { Secret } from "../runtime/base/config/option-kinds.ts";
import { AppError } from "../runtime/base/errors.ts";
import { BEHAVIORAL_VERSION } from "../runtime/duckdb/behavioral.ts";
import { metricFamilies } from "../runtime/base/metrics/metric-families.ts";
import { METRICS_CONTENT_TYPE, renderMetrics } from "../runtime/base/metrics/metrics.ts";
import { boolean, closed, count, orNull, text, type Schema } from "../runtime/base/json-schema.ts";
import { DAY_MS, utcDateOf } from "../storage/event.ts";
import { bearerTokenOf } from "./access.ts";
import { NOT_STORED, STORED, RETRY_AFTER, ANY_PAGE, type Headers } from "./openapi/headers.ts";
import { answer, type Operations, type Answer } from "./openapi/operation.ts";
import { jsonReply, NO_STORE, textReply } from "./http.ts";
import type { Handler } from "./route.ts";

export const getHealth: Handler = () => textReply("ok", 200, NO_STORE);

export const getReady: Handler = async (_request, { services, beganMs }) =>
  (await services.readiness.isReady(beganMs))
    ? textReply("ready", 200, NO_STORE)
    : textReply("database not ready", 503, { ...NO_STORE, "Retry-After": "1" });

export const getDetails: Handler = async (_request, { services, deadline }) => {
  const { version, adminPassword, geoIsLoaded, geoBuiltMs, queryEngine, config } = services;
  // Right after startup this waits for the engine or starts it, so the extension is not reported as missing.
  if (queryEngine.state.hasExtension === null) await queryEngine.health(deadline.signal).catch(() => {});
  const { hasExtension, threads } = queryEngine.state;
  const { unflushedEvents, filesLeftOut, cachedResults } = await services.gauges();
  return jsonReply({
    status: "ok",
    version,
    buffered_events: unflushedEvents,
    files_left_out: filesLeftOut,
    auth_configured: adminPassword.isConfigured,
    geoip_loaded: geoIsLoaded,
    geoip_built: geoBuiltMs === null ? null : utcDateOf(geoBuiltMs),
    engine_threads: threads,
    behavioral_extension_loaded: hasExtension === true,
    behavioral_version: hasExtension ? BEHAVIORAL_VERSION : null,
    filter_bots: config.filterBots,
    cache_entries: cachedResults,
    cache_empty: cachedResults === 0,
  });
};

const encoder = new TextEncoder();

function checkToken(request: Request, wanted: Secret | null): void {
  if (wanted === null) return;
  const given = bearerTokenOf(request) ?? "";
  if (equalBytes(encoder.encode(given), encoder.encode(wanted.reveal()))) return;
  throw new AppError({ code: "unauthenticated" }, "The metrics need their token: Authorization: Bearer and the value of metrics_token");
}

export const getMetrics: Handler = async (request, { services, nowMs }) => {
  checkToken(request, services.config.metricsToken);
  const gauges = await services.gauges();
  return textReply(renderMetrics(metricFamilies({ ...services, gauges }, nowMs)), 200, {
    ...NO_STORE,
    "Content-Type": METRICS_CONTENT_TYPE,
  });
};

const CACHE = { "Cache-Control": "public, max-age=86400" } as const;

/** Less than a year, as RFC 9116 recommends. */
const EXPIRES_DAYS = 180;

/** Stats must not be indexed by search engines. */
export const getRobots: Handler = () => textReply("User-agent: *\nDisallow: /\n", 200, CACHE);

/**
 * RFC 9116 requires a contact. `security@` is the mailbox that RFC 2142 reserves for it, at the host of the service.
 */
export const getSecurityContact: Handler = (_request, { services, nowMs, url }) => {
  const { dashboardOrigin } = services.config;
  const { hostname } = dashboardOrigin === null ? url : new URL(dashboardOrigin);
  const domain = /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname;
  const expires = new Date(nowMs + EXPIRES_DAYS * DAY_MS).toISOString();
  return textReply(`Contact: mailto:security@${domain}\nExpires: ${expires}\nPreferred-Languages: en\n`, 200, CACHE);
};

// Description in the OpenAPI document

const SCHEMAS = {
  /** Open, because the OpenAPI specification defines its content. */
  OpenApiDocument: {
    type: "object",
    properties: { openapi: text("The version of the specification.", { pattern: "^3\\.1\\." }) },
    required: ["openapi", "info", "paths"],
  } satisfies Schema,
  Health: closed({
    status: text("Constant.", { const: "ok" }),
    version: text("Version of the program.", { minLength: 1 }),
    buffered_events: count("Events in the journal that are not in a file yet."),
    files_left_out: count("Files of events that reports leave out: damaged, missing or in the wrong folder."),
    auth_configured: boolean("Whether an admin password is set."),
    geoip_loaded: boolean("Whether a geo database is loaded."),
    geoip_built: orNull(text("Date on which the geo database was built; null without one.", { format: "date" })),
    engine_threads: count("Threads of the query engine that are running."),
    behavioral_extension_loaded: boolean("Whether the behavioral extension is loaded."),
    behavioral_version: orNull(text("Version of the extension; null if it is not loaded.")),
    filter_bots: boolean("Whether events of bots are dropped."),
    cache_entries: count("Cached results."),
    cache_empty: boolean("Whether no results are cached."),
  }),
};

const plainText = (description: string, headers: Headers, schema = text("Plain text.", { minLength: 1 })): Answer => ({
  description,
  headers,
  content: { "text/plain": { schema } },
});

const fixedText = (description: string, body: string, headers = NOT_STORED): Answer =>
  plainText(description, headers, text("Constant.", { const: body }));

const OPERATIONS = {
  "GET /api/openapi.json": {
    operationId: "getOpenapi",
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
    summary: "Liveness",
    answers: { 200: fixedText("The process is alive.", "ok") },
  },
  "GET /health/ready": {
    operationId: "getReady",
    summary: "Readiness",
    description:
      "Checks the query engine once there are events or a report has needed it, or with `role = ingest` whether events can be stored, at " +
      "most once a second; calls in between get the last outcome.",
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
    summary: "Health details",
    answers: { 200: answer("The state of the service.", "Health") },
    refusals: { request_timeout: "The query engine did not start within the time limit." },
  },
  "GET /metrics": {
    operationId: "getMetrics",
    summary: "Metrics",
    description: "If `metrics_token` is set, requires `Authorization: Bearer <token>`.",
    answers: { 200: plainText("Metrics in the Prometheus text format.", NOT_STORED) },
    refusals: { unauthenticated: "A token is set, and the token of the request is missing or wrong." },
  },
  "GET /robots.txt": {
    operationId: "getRobots",
    summary: "Rules for crawlers",
    answers: { 200: plainText("Disallows everything.", STORED) },
  },
  "GET /.well-known/security.txt": {
    operationId: "getSecurityContact",
    summary: "Contact for vulnerability reports",
    answers: { 200: plainText("A contact in the form of RFC 9116.", STORED) },
  },
} satisfies Operations;

export const SERVICE_API = { tag: "Service", schemas: SCHEMAS, operations: OPERATIONS } as const;
