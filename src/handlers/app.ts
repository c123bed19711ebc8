/** The whole HTTP surface: a line each for method, path, who may call it, and the handler. Owner of itty-router. */
import { Router, type IRequest } from "itty-router";
import { invalidInput } from "../runtime/errors.ts";
import { ASSETS_PATH, EVENT_PATH, SCRIPT_PATHS } from "../runtime/names.ts";
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import type { Services } from "../runtime/services.ts";
import type { EpochMs } from "../storage/event.ts";
import { checkAccess, type Access } from "./access.ts";
import { postLogin } from "./auth/login.ts";
import { postLogout } from "./auth/logout.ts";
import { postSetup } from "./auth/setup.ts";
import { getStatus } from "./auth/status.ts";
import type { Context, Handler } from "./context.ts";
import { isDashboardPage, preflight, preflightFor, withDashboardCors, withIngestCors } from "./cors.ts";
import { getAsset, getDashboard } from "./dashboard.ts";
import { Deadlines } from "./deadline.ts";
import { errorResponse } from "./error-response.ts";
import { getHealth, getReady } from "./health.ts";
import { getPixel } from "./ingest/pixel.ts";
import { postEvent } from "./ingest/post-event.ts";
import { deleteKey, getKeys, postKey } from "./keys.ts";
import { openapiHandler } from "./openapi.ts";
import { getScript } from "./script.ts";
import { methodsAt, methodsOf, routesAt, unmatched, withExtraPaths, type Method, type Route } from "./route.ts";
import { getBreakdown } from "./stats/breakdown.ts";
import { getExport } from "./stats/export.ts";
import { getFlow } from "./stats/flow.ts";
import { getFunnel } from "./stats/funnel.ts";
import { getGoals } from "./stats/goals.ts";
import { getMain } from "./stats/main.ts";
import { getProperties, getPropertyValues } from "./stats/properties.ts";
import { getRealtime } from "./stats/realtime.ts";
import { getRetention } from "./stats/retention.ts";
import { getRevenue } from "./stats/revenue.ts";
import { getSequences } from "./stats/sequences.ts";
import { getSessions } from "./stats/sessions.ts";
import { getSites } from "./stats/sites.ts";
import { getTimeseries } from "./stats/timeseries.ts";

const route = <const M extends Method, const P extends string>(method: M, path: P, access: Access, handler: Handler): Route<M, P> => ({
  method,
  path,
  access,
  handler,
});

const getOpenapi: Handler = openapiHandler(() => ROUTES);

/** In the order they are tried: what is called most comes first. What has no description in `openapi/` does not compile. */
export const ROUTES = [
  route("POST", EVENT_PATH, "ingest", postEvent),
  route("GET", EVENT_PATH, "ingest", getPixel),
  route("OPTIONS", EVENT_PATH, "ingest", preflight),
  ...SCRIPT_PATHS.map((path) => route("GET", path, "public", getScript)),
  route("GET", "/api/sites", "stats", getSites),
  route("GET", "/api/stats/main", "stats", getMain),
  route("GET", "/api/stats/timeseries", "stats", getTimeseries),
  route("GET", "/api/stats/breakdown/:dimension", "stats", getBreakdown),
  route("GET", "/api/stats/realtime", "stats", getRealtime),
  route("GET", "/api/stats/goals", "stats", getGoals),
  route("GET", "/api/stats/properties", "stats", getProperties),
  route("GET", "/api/stats/property-values", "stats", getPropertyValues),
  route("GET", "/api/stats/revenue", "stats", getRevenue),
  route("GET", "/api/stats/export", "stats", getExport),
  route("GET", "/api/stats/sessions", "stats", getSessions),
  route("GET", "/api/stats/funnel", "stats", getFunnel),
  route("GET", "/api/stats/retention", "stats", getRetention),
  route("GET", "/api/stats/sequences", "stats", getSequences),
  route("GET", "/api/stats/flow", "stats", getFlow),
  route("POST", "/api/auth/setup", "auth", postSetup),
  route("POST", "/api/auth/login", "auth", postLogin),
  route("POST", "/api/auth/logout", "auth", postLogout),
  route("GET", "/api/auth/status", "auth", getStatus),
  route("POST", "/api/keys", "admin", postKey),
  route("GET", "/api/keys", "admin", getKeys),
  route("DELETE", "/api/keys/:key_hash", "admin", deleteKey),
  route("GET", "/", "public", getDashboard),
  route("GET", `${ASSETS_PATH}/:name`, "public", getAsset),
  route("GET", "/api/openapi.json", "public", getOpenapi),
  route("GET", "/health", "public", getHealth),
  route("GET", "/health/ready", "public", getReady),
] as const;

type IdOf<R> = R extends Route<infer M, infer P> ? `${M} ${P}` : never;

/** Method and path, e.g. `GET /health`. */
export type RouteId = IdOf<(typeof ROUTES)[number]>;

/** On every response. */
const COMMON_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
} as const;

/** What the host knows of a request beside the request. */
export interface Connection {
  readonly socketAddress: string;
  /** Where the socket's address is, on a host that knows. */
  readonly socketPlace?: GeoPlace | null;
}

export interface App {
  /** Answers every request and never rejects. */
  fetch(request: Request, connection: Connection): Promise<Response>;
  /** Ends the requests whose time is up. The host calls it about once a second. */
  expireRequests(nowMs: EpochMs): void;
}

type RouteArgs = [context: Omit<Context, "params">];

function createRouter(routes: readonly Route[]) {
  const router = Router<IRequest, RouteArgs>();
  for (const known of routes) {
    const { access, handler, path } = known;
    const serve = async (routed: IRequest, context: RouteArgs[0]): Promise<Response> => {
      const request = routed as unknown as Request;
      checkAccess(access, request, context.services, context.nowMs);
      const response = await handler(request, { ...context, params: routed.params });
      return access === "ingest" ? withIngestCors(request, response) : response;
    };
    for (const method of methodsOf(known)) router[method.toLowerCase() as Lowercase<typeof method>](path, serve);
  }
  router.all("*", ({ method, url }) => {
    throw unmatched(routes, method, new URL(url).pathname);
  });
  return router;
}

/** What the dashboard asks, which its page may read wherever it is served from. */
const isOfDashboard = ({ access }: Route): boolean => access === "auth" || access === "stats" || access === "admin";

export function createApp(services: Services): App {
  const routes = withExtraPaths(ROUTES, services.config);
  const router = createRouter(routes);
  const deadlines = new Deadlines(services.config.requestTimeoutSecs);

  const isIngest = (url: string): boolean =>
    URL.canParse(url) && routesAt(routes, new URL(url).pathname).some(({ access }) => access === "ingest");

  /** The path of a request that `dashboard_origin` lets a page of another origin send; null for all others. */
  function dashboardPath(request: Request): string | null {
    if (!isDashboardPage(request, services.config) || !URL.canParse(request.url)) return null;
    const { pathname } = new URL(request.url);
    return routesAt(routes, pathname).some(isOfDashboard) ? pathname : null;
  }

  async function answer(request: Request, { socketAddress, socketPlace = null }: Connection, requestId: string): Promise<Response> {
    const nowMs = services.now();
    const deadline = deadlines.begin(nowMs);
    try {
      return await deadline.race(router.fetch(request, { services, nowMs, socketAddress, socketPlace, deadline }));
    } catch (caught) {
      // The router parses the URL first thing, and nobody else needs to ask beforehand.
      const error = URL.canParse(request.url) ? caught : invalidInput("The request's host and path make no valid URL");
      const response = errorResponse(error, requestId, services.log);
      return isIngest(request.url) ? withIngestCors(request, response) : response;
    } finally {
      deadlines.end(deadline);
    }
  }

  async function answerPage(request: Request, connection: Connection, requestId: string): Promise<Response> {
    const path = dashboardPath(request);
    if (path === null) return answer(request, connection, requestId);
    const response = request.method === "OPTIONS" ? preflightFor(request, methodsAt(routes, path)) : await answer(request, connection, requestId);
    return withDashboardCors(request, response);
  }

  return {
    async fetch(request, connection) {
      const requestId = services.newRequestId();
      const response = await answerPage(request, connection, requestId);
      for (const [name, value] of Object.entries(COMMON_HEADERS)) response.headers.set(name, value);
      response.headers.set("X-Request-Id", requestId);
      return request.method === "HEAD" ? new Response(null, response) : response;
    },
    expireRequests: (nowMs) => deadlines.expire(nowMs),
  };
}
