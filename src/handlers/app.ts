/** The whole HTTP surface: a line each for method, path, who may call it, and the handler. Owner of itty-router. */
import { Router, type IRequest } from "itty-router";
import type { Config } from "../runtime/config.ts";
import { invalidInput, type AppError } from "../runtime/errors.ts";
import { ASSETS_PATH, EVENT_PATH, SCRIPT_PATHS } from "../runtime/names.ts";
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import { parseUrl } from "../runtime/parse-url.ts";
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
import { errorReply } from "./error-reply.ts";
import { deleteEvents } from "./erase.ts";
import { getDetails, getHealth, getReady } from "./health.ts";
import { getPixel } from "./ingest/pixel.ts";
import { postEvent } from "./ingest/post-event.ts";
import { deleteKey, getKeys, postKey } from "./keys.ts";
import { getMetrics } from "./metrics.ts";
import { openapiHandler } from "./openapi.ts";
import { isHttps } from "./request-scheme.ts";
import { responseTo, withHeaders, type Reply } from "./reply.ts";
import { ResponseStreams } from "./response-streams.ts";
import { getScript } from "./script.ts";
import { methodsAt, methodsOf, problemsOfExtraPaths, routesAt, unmatched, withExtraPaths, type Method, type Route } from "./route.ts";
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
import { getSessionTimeseries } from "./stats/session-timeseries.ts";
import { getSessions } from "./stats/sessions.ts";
import { getSites } from "./stats/sites.ts";
import { getTimeseries } from "./stats/timeseries.ts";
import { getRobots, getSecurityContact } from "./well-known.ts";

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
  route("GET", "/api/stats/session-timeseries", "stats", getSessionTimeseries),
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
  route("DELETE", "/api/gdpr/erase", "admin", deleteEvents),
  route("GET", "/api/openapi.json", "public", getOpenapi),
  route("GET", "/health", "public", getHealth),
  route("GET", "/health/ready", "public", getReady),
  route("GET", "/health/detailed", "public", getDetails),
  route("GET", "/metrics", "public", getMetrics),
  route("GET", "/robots.txt", "public", getRobots),
  route("GET", "/.well-known/security.txt", "public", getSecurityContact),
] as const;

type IdOf<R> = R extends Route<infer M, infer P> ? `${M} ${P}` : never;

/** Method and path, e.g. `GET /health`. */
export type RouteId = IdOf<(typeof ROUTES)[number]>;

/** On every response. */
const COMMON_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
} as const;

/**
 * On every response to a request that came over https: browsers come over https from then on, for a year. Not at the paths
 * that sites choose for themselves: there the header would speak for the whole of a host that is not the service's.
 */
const HSTS = { "Strict-Transport-Security": "max-age=31536000" } as const;

/** What the host knows of a request beside the request. */
export interface Connection {
  readonly socketAddress: string;
  /** Where the socket's address is, on a host that knows. */
  readonly socketPlace?: GeoPlace | null;
}

export interface App {
  /** Answers every request and never rejects. */
  fetch(request: Request, connection: Connection): Promise<Response>;
  /** The answer to what the host cannot make a request of. */
  refuse(error: AppError): Reply;
  /** Ends the requests whose time is up, and the responses that nobody takes. The host calls it about once a second. */
  expireRequests(nowMs: EpochMs): void;
  /** Responses that are still being taken: while there are any, `expireRequests` is needed. */
  readonly openStreams: number;
}

/** A request on its way. */
interface Passage extends Context {
  readonly requestId: string;
  /** Both are known once a route has taken it. */
  routeId: string | null;
  params: Context["params"];
}

const NO_PARAMS: Context["params"] = {};

type RouteArgs = [passage: Passage];

function createRouter(routes: readonly Route[]) {
  const router = Router<IRequest, RouteArgs>();
  for (const known of routes) {
    const { access, handler, path } = known;
    const routeId = `${known.method} ${path}`;
    const serve = async (routed: IRequest, passage: Passage): Promise<Reply> => {
      passage.routeId = routeId;
      const request = routed as unknown as Request;
      checkAccess(access, request, passage.services, passage.nowMs);
      if (access === "stats") passage.deadline.followClient(request.signal);
      passage.params = routed.params;
      const reply = await handler(request, passage);
      return access === "ingest" ? withIngestCors(request, reply) : reply;
    };
    for (const method of methodsOf(known)) router[method.toLowerCase() as Lowercase<typeof method>](path, serve);
  }
  router.all("*", ({ method, url }) => {
    throw unmatched(routes, method, new URL(url).pathname);
  });
  return router;
}

/** What of a configuration does not go with the routes. */
export const problemsWithRoutes = (config: Config): string[] => problemsOfExtraPaths(ROUTES, config);

/** What the dashboard asks, which its page may read wherever it is served from. */
const isOfDashboard = ({ access }: Route): boolean => access === "auth" || access === "stats" || access === "admin";

export function createApp(services: Services): App {
  const { config, log, requests } = services;
  const routes = withExtraPaths(ROUTES, config);
  const router = createRouter(routes);
  const routesAtSites = routes.slice(ROUTES.length);
  const deadlines = new Deadlines(config.requestTimeoutSecs);
  const streams = new ResponseStreams({ now: services.now, pause: () => services.wait(0), log });

  /** None where host and path make no URL. */
  function routesOf(of: readonly Route[], url: string): readonly Route[] {
    const parsed = of.length > 0 ? parseUrl(url) : null;
    return parsed ? routesAt(of, parsed.pathname) : [];
  }

  const isIngest = (url: string): boolean => routesOf(routes, url).some(({ access }) => access === "ingest");

  const isAtSite = (url: string): boolean => routesOf(routesAtSites, url).length > 0;

  /** The path of a request that `dashboard_origin` lets a page of another origin send; null for all others. */
  function dashboardPath(request: Request): string | null {
    const url = isDashboardPage(request, config) ? parseUrl(request.url) : null;
    return url && routesAt(routes, url.pathname).some(isOfDashboard) ? url.pathname : null;
  }

  async function answer(request: Request, passage: Passage): Promise<Reply> {
    try {
      return await passage.deadline.race(router.fetch(request, passage));
    } catch (caught) {
      // The router parses the URL first thing, and nobody else needs to ask beforehand.
      const error = parseUrl(request.url) ? caught : invalidInput("The request's host and path make no valid URL");
      const reply = errorReply(error, passage.requestId, log);
      return isIngest(request.url) ? withIngestCors(request, reply) : reply;
    }
  }

  async function answerPage(request: Request, passage: Passage): Promise<Reply> {
    const path = dashboardPath(request);
    if (path === null) return answer(request, passage);
    const reply = request.method === "OPTIONS" ? preflightFor(request, methodsAt(routes, path)) : await answer(request, passage);
    return withDashboardCors(request, reply);
  }

  /** Counts it and, if so much is to be logged, says what kind of request it was: nothing that its sender chose. */
  function note({ routeId, nowMs, requestId }: Pick<Passage, "routeId" | "nowMs" | "requestId">, status: number): void {
    const durationMs = services.now() - nowMs;
    requests.note(routeId, status, durationMs);
    if (config.logLevel === "debug") log.debug("a request was answered", { requestId, route: routeId ?? "none", status, durationMs });
  }

  return {
    async fetch(request, { socketAddress, socketPlace = null }) {
      const nowMs = services.now();
      const requestId = services.newRequestId();
      const passage: Passage = { services, nowMs, socketAddress, socketPlace, deadline: deadlines.begin(nowMs), streams, requestId, routeId: null, params: NO_PARAMS };
      const reply = await answerPage(request, passage);
      deadlines.end(passage.deadline);
      note(passage, reply.status);
      const bindsHost = isHttps(request, config.trustProxy) && !isAtSite(request.url);
      const headers = { ...COMMON_HEADERS, "X-Request-Id": requestId, ...(bindsHost && HSTS) };
      return responseTo(request.method, withHeaders(reply, headers));
    },
    refuse(error) {
      const requestId = services.newRequestId();
      const reply = errorReply(error, requestId, log);
      note({ routeId: null, nowMs: services.now(), requestId }, reply.status);
      return withHeaders(reply, { ...COMMON_HEADERS, "X-Request-Id": requestId });
    },
    expireRequests(nowMs) {
      deadlines.expire(nowMs);
      streams.endStalled(nowMs);
    },
    get openStreams() {
      return streams.count;
    },
  };
}
