/** GET /api/openapi.json: the whole HTTP surface as an OpenAPI 3.1 document, built from the routes and the descriptions beside their handlers. */
import type { Config } from "../runtime/base/config/config.ts";
import { API_KEY_PREFIX, SESSION_COOKIE } from "../runtime/base/config/names.ts";
import { closed, text, type Properties } from "../runtime/base/json-schema.ts";
import { ANNOTATIONS_API } from "./annotations.ts";
import { AUTH_API } from "./auth.ts";
import { BADGE_API } from "./badge.ts";
import { CRAWLS_API } from "./crawls.ts";
import { DEMO_API } from "./demo.ts";
import { DROPPED_API } from "./dropped.ts";
import { EARLIER_TAGS_API } from "./earlier-tags.ts";
import { ERASURE_API } from "./erase.ts";
import { STATUS } from "./error-reply.ts";
import { FEED_API } from "./feed.ts";
import { FILES_API } from "./files.ts";
import { GOALS_API } from "./goals.ts";
import { IMPORTS_API } from "./imports.ts";
import { SITE_EXPORTS_API } from "./site-exports.ts";
import { INGEST_API } from "./ingest.ts";
import { INSTALLATION_API } from "./installation.ts";
import { ITEMS_API } from "./items.ts";
import { MCP_API } from "./mcp.ts";
import { KEYS_API } from "./keys.ts";
import {
  ALLOW,
  COMMON_HEADERS,
  DASHBOARD_HEADERS,
  INGEST_HEADERS,
  NOT_STORED,
  PERHAPS_EXTENSION_MISSING,
  PERHAPS_RETRY_AFTER,
  PERHAPS_SETUP_CODE,
  RETRY_AFTER,
  SHARED_HEADERS,
  type Headers,
} from "./openapi/headers.ts";
import {
  SHARED_PARAMETERS,
  TAGS,
  TOO_MANY_VIEWS,
  UNVERIFIED_HOST,
  type Answer,
  type Operation,
  type RefusalCode,
  type Security,
  type SecurityName,
  type SecurityScheme,
} from "./openapi/operation.ts";
import { ANY_ORIGIN } from "./origins.ts";
import { jsonTextReply } from "./http.ts";
import type { Method, RouteId, Handler, Access, Route } from "./route.ts";
import { routeIdOf } from "./router.ts";
import { RULE_PREVIEW_API } from "./rule-preview.ts";
import { RULES_API } from "./rules.ts";
import { SEGMENTS_API } from "./segments.ts";
import { SERVICE_API } from "./service.ts";
import { OPT_OUT_API } from "./opt-out.ts";
import { SHARES_API } from "./shares.ts";
import { CHANNEL_PREVIEW_API } from "./channel-preview.ts";
import { SITE_PAGE_API } from "./site-page.ts";
import { SITE_DELETION_API } from "./site-deletion.ts";
import { SITE_MOVES_API } from "./site-moves.ts";
import { SETTINGS_API } from "./site-settings.ts";
import { STATS_API } from "./stats.ts";
import { SUMMARY_API } from "./summary.ts";
import { PRODUCT_NAME } from "../shared/names.ts";

/** The parts of the document, in its order. */
const APIS = [
  INGEST_API,
  EARLIER_TAGS_API,
  STATS_API,
  SUMMARY_API,
  MCP_API,
  FEED_API,
  DROPPED_API,
  CRAWLS_API,
  AUTH_API,
  KEYS_API,
  GOALS_API,
  SEGMENTS_API,
  ANNOTATIONS_API,
  RULES_API,
  RULE_PREVIEW_API,
  ITEMS_API,
  SHARES_API,
  BADGE_API,
  FILES_API,
  OPT_OUT_API,
  SETTINGS_API,
  SITE_DELETION_API,
  SITE_MOVES_API,
  SITE_PAGE_API,
  CHANNEL_PREVIEW_API,
  IMPORTS_API,
  SITE_EXPORTS_API,
  ERASURE_API,
  DEMO_API,
  INSTALLATION_API,
  SERVICE_API,
] as const;

type IdIn<Api> = Api extends { readonly operations: infer Described } ? keyof Described : never;

export type DescribedRouteId = IdIn<(typeof APIS)[number]>;

type PathIn<M extends Method, Id> = Id extends `${M} ${infer Path extends `/${string}`}` ? Path : never;

export type DescribedPath<M extends Method> = PathIn<M, DescribedRouteId>;

interface TaggedOperation extends Operation {
  readonly tag: keyof typeof TAGS;
}

export const OPERATIONS: Readonly<Partial<Record<RouteId, TaggedOperation>>> = Object.fromEntries(
  APIS.flatMap(({ tag, operations }) => Object.entries<Operation>(operations).map(([id, operation]) => [id, { tag, ...operation }])),
);

const SCHEMAS: Properties = Object.assign(
  { Error: closed({ error: text("A message that says what is wrong, and in which field or parameter.", { minLength: 1 }) }) },
  ...APIS.map(({ schemas }) => schemas),
);

/** The ways to send a credential (docs/http-api.md, "Authentication"). */
const SECURITY_SCHEMES = {
  Session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE, description: "The session cookie of a login." },
  BearerKey: { type: "http", scheme: "bearer", description: `An API key, \`${API_KEY_PREFIX}…\`.` },
  HeaderKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "An API key." },
  Share: {
    type: "apiKey",
    in: "header",
    name: "X-Share",
    description: "The token of a share link, a reader token, or the id of a public site. With it, no other credential counts.",
  },
  ShareParameter: {
    type: "apiKey",
    in: "query",
    name: "share",
    description: "What `X-Share` is, for feed readers. It counts before that.",
  },
} as const satisfies Readonly<Record<SecurityName, SecurityScheme>>;

const DESCRIPTION =
  "Web analytics that stores no addresses of visitors and sets no cookies on them. Timestamps are UTC; dates and hours are those of the " +
  "site's time zone, by default UTC. Rates are fractions from 0 to 1. " +
  "Every GET route also accepts HEAD, except the pixel, whose GET records an event. Errors are `{error}` with a " +
  "message. An instance with `role = ingest` serves only the routes that name that role in `x-roles`. Any other path is a 404, any other method of a path a 405 (`NotFound` and `MethodNotAllowed` below), and a request " +
  "whose `Host` and path do not form a valid URL a 400. If `dashboard_origin` is set, its pages may read the responses about stats, " +
  "logins and keys, and preflight requests say so.";

interface AccessRules {
  readonly headers?: Headers;
  readonly refusals?: Operation["refusals"];
  readonly security?: Security;
}

const ANY_CREDENTIAL: Security = [{ Session: [] }, { BearerKey: [] }, { HeaderKey: [] }];

/** No credential is needed until an admin password is set. */
const ANY_OR_NONE: Security = [{}, ...ANY_CREDENTIAL];

const ofDashboard = (security: Security, unauthenticated: string, forbidden: string): AccessRules => ({
  headers: DASHBOARD_HEADERS,
  refusals: { unverified_host: UNVERIFIED_HOST, unauthenticated, forbidden },
  security,
});

const NO_CREDENTIAL = "The service has an admin password, and the request has no valid credential";
const NO_ADMIN = "The request has no valid credential, or no admin password is set yet.";
const NOT_ADMIN = "The key is ReadOnly, or a request that changes something with a session was not sent by a page of the dashboard.";

const STATS = ofDashboard(
  [...ANY_OR_NONE, { Share: [] }],
  `${NO_CREDENTIAL}; or \`X-Share\` is not valid.`,
  "The caller may not read the site, or the share link does not show what the request asks for.",
);

/** Additions to the description of a route by its access level. */
const BY_ACCESS: Readonly<Record<Access, AccessRules>> = {
  public: {},
  ingest: { headers: INGEST_HEADERS },
  auth: { headers: DASHBOARD_HEADERS },
  stats: { ...STATS, refusals: { ...STATS.refusals, too_many_requests: TOO_MANY_VIEWS } },
  instance: ofDashboard(ANY_OR_NONE, `${NO_CREDENTIAL}.`, "The key is limited to some sites, or the request has a share link."),
  share: {
    refusals: {
      unverified_host: UNVERIFIED_HOST,
      not_found: "The share link is unknown, revoked or expired, or the site is not public.",
      too_many_requests: TOO_MANY_VIEWS,
    },
    security: [{ Share: [] }],
  },
  site: ofDashboard(ANY_CREDENTIAL, NO_ADMIN, `${NOT_ADMIN} Or the key is limited to other sites.`),
  admin: ofDashboard(ANY_CREDENTIAL, NO_ADMIN, `${NOT_ADMIN} Or the key is limited to some sites.`),
  session: ofDashboard(
    [{ Session: [] }],
    NO_ADMIN,
    "The request has an API key and no session, or was not sent by a page of the dashboard.",
  ),
  key: {
    refusals: {
      unauthenticated: "The request has no valid API key. A session does not count.",
      forbidden: "There is no admin password or no API key yet; or a page of another origin sent the request, or it has a share link.",
      too_many_requests: "Too many requests came from the address.",
    },
    security: [{ BearerKey: [] }, { HeaderKey: [] }],
  },
  manage: ofDashboard(
    ANY_OR_NONE,
    `${NO_CREDENTIAL}.`,
    "The key is ReadOnly or limited to some sites, or the request was sent by a page of another origin.",
  ),
};

const RETRYABLE: readonly RefusalCode[] = ["too_many_requests", "unavailable"];

const headersOf = (codes: readonly RefusalCode[]): Headers => ({
  ...(codes.some((code) => RETRYABLE.includes(code)) && PERHAPS_RETRY_AFTER),
  ...(codes.every((code) => RETRYABLE.includes(code)) && RETRY_AFTER),
  ...(codes.includes("unverified_host") && PERHAPS_SETUP_CODE),
  ...(codes.includes("extension_missing") && PERHAPS_EXTENSION_MISSING),
});

const errorAnswer = (description: string, headers: Headers): Answer => ({
  description,
  headers: { ...NOT_STORED, ...headers },
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

/** One response for each status, which may have several reasons. */
function refusalAnswers(refusals: NonNullable<Operation["refusals"]>): Readonly<Record<number, Answer>> {
  const byStatus = new Map<number, [RefusalCode, string][]>();
  for (const [code, when] of Object.entries(refusals) as [RefusalCode, string][]) {
    const status = code === "internal" ? 500 : STATUS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), [code, when]]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, reasons]) => [
      status,
      errorAnswer(reasons.map(([, when]) => when).join(" "), headersOf(reasons.map(([code]) => code))),
    ]),
  );
}

interface Reference {
  readonly $ref: string;
}

function referrer<T>(component: "headers" | "parameters", shared: Readonly<Record<string, T>>): (part: T) => T | Reference {
  const references = new Map(Object.entries(shared).map(([name, part]) => [part, { $ref: `#/components/${component}/${name}` }]));
  return (part) => references.get(part) ?? part;
}

const headerOrReference = referrer("headers", SHARED_HEADERS);
const parameterOrReference = referrer("parameters", SHARED_PARAMETERS);

function responseObject(added: Headers, { headers, ...answer }: Answer) {
  const all = Object.entries({ ...headers, ...added, ...COMMON_HEADERS });
  return { ...answer, headers: Object.fromEntries(all.map(([name, header]) => [name, headerOrReference(header)])) };
}

function operationObject({ access, roles }: Route, { tag, parameters, answers, refusals, ...operation }: TaggedOperation) {
  const rules = BY_ACCESS[access];
  const responses = Object.entries({ ...answers, ...refusalAnswers({ ...rules.refusals, ...refusals }) });
  return {
    tags: [tag],
    ...(rules.security && { security: rules.security }),
    ...operation,
    "x-roles": roles,
    ...(parameters && { parameters: parameters.map(parameterOrReference) }),
    responses: Object.fromEntries(responses.map(([status, answer]) => [status, responseObject(rules.headers ?? {}, answer)])),
  };
}

/** Keyed by path, with `{name}` for `:name`, and by lowercase method. */
function pathsOf(routes: readonly Route[]) {
  const paths: Record<string, Record<string, ReturnType<typeof operationObject>>> = {};
  for (const route of routes) {
    const operation = OPERATIONS[routeIdOf(route)];
    if (!operation) throw new Error(`${routeIdOf(route)} has no description beside its handler`);
    const item = (paths[route.path.replace(/:(\w+)/g, "{$1}")] ??= {});
    item[route.method.toLowerCase()] = operationObject(route, operation);
  }
  return paths;
}

export const openapiDocument = (routes: readonly Route[], version = "0.0.0", basePath = "") => ({
  openapi: "3.1.0",
  info: { title: PRODUCT_NAME, version, description: DESCRIPTION, license: { name: "MIT", identifier: "MIT" } },
  servers: [{ url: basePath || "/" }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  paths: pathsOf(routes),
  components: {
    schemas: SCHEMAS,
    responses: {
      NotFound: responseObject({}, errorAnswer("The path does not exist, or not on an instance of this role.", {})),
      MethodNotAllowed: responseObject(
        {},
        errorAnswer("The path does not support the method. Any page may read this response of an ingestion path.", ALLOW),
      ),
    },
    parameters: SHARED_PARAMETERS,
    headers: SHARED_HEADERS,
    securitySchemes: SECURITY_SCHEMES,
  },
});

export type OpenapiDocument = ReturnType<typeof openapiDocument>;

/** Builds the document at the first request to an instance. */
export function openapiHandler(routes: () => readonly Route[]): Handler {
  const documents = new WeakMap<Config, string>();
  return (_request, { services: { config, version } }) => {
    const json = documents.get(config) ?? JSON.stringify(openapiDocument(routes(), version, config.basePath));
    documents.set(config, json);
    return jsonTextReply(json, 200, { "Cache-Control": "public, max-age=3600", ...ANY_ORIGIN });
  };
}
