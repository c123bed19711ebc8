/** The whole HTTP surface: a line each for method, path, who may call it, and the handler. */
import type { Config } from "../runtime/config/config.ts";
import { invalidInput, type AppError } from "../runtime/errors.ts";
import { ASSETS_PATH, EVENT_PATH, SCRIPT_PATHS } from "../runtime/config/names.ts";
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import { parseUrl } from "../runtime/ingest/parse-url.ts";
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
import { HOST_RULE, isHost } from "./host.ts";
import { deleteKey, getKeys, postKey } from "./keys.ts";
import { getMetrics } from "./metrics.ts";
import { openapiHandler } from "./openapi.ts";
import { refuseUnverifiedHost } from "./rebinding.ts";
import { isHttps } from "./request-scheme.ts";
import { responseTo, withHeaders, type Reply } from "./reply.ts";
import { ResponseStreams } from "./response-streams.ts";
import { getScript } from "./script.ts";
import {
  createMatcher,
  extraRoutesOf,
  problemsOfExtraPaths,
  routeFor,
  routeIdOf,
  type Endpoint,
  type Match,
  type Method,
  type Route,
} from "./route.ts";
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
  /** What is at the request's path; null where there is nothing. */
  readonly match: Match | null;
  /** Known once a route has taken it. */
  routeId: string | null;
}

const NO_PARAMS: Context["params"] = {};

/** What of a configuration does not go with the routes. */
export const problemsWithRoutes = (config: Config): string[] => problemsOfExtraPaths(ROUTES, config);

/** What the dashboard asks, which its page may read wherever it is served from. */
const isOfDashboard = ({ access }: Endpoint): boolean => access.has("auth") || access.has("stats") || access.has("admin");

export function createApp(services: Services): App {
  const { config, log, requests } = services;
  const matchAt = createMatcher(ROUTES, extraRoutesOf(ROUTES, config));
  const deadlines = new Deadlines(config.requestTimeoutSecs);
  const streams = new ResponseStreams({ now: services.now, pause: () => services.wait(0), log });

  async function serve(request: Request, passage: Passage): Promise<Reply> {
    const asked = routeFor(request.method, passage.match);
    passage.routeId = routeIdOf(asked);
    refuseUnverifiedHost(asked.access, passage.routeId, request, passage);
    checkAccess(asked.access, request, passage);
    if (asked.access === "stats") passage.deadline.followClient(request.signal);
    return asked.handler(request, passage);
  }

  async function answer(request: Request, passage: Passage): Promise<Reply> {
    try {
      return await passage.deadline.race(serve(request, passage));
    } catch (error) {
      return errorReply(error, passage.requestId, log);
    }
  }

  /** With what lets pages of other origins read the answer: those that send events, and the dashboard's own (`dashboard_origin`). */
  async function answerPage(request: Request, passage: Passage): Promise<Reply> {
    const endpoint = passage.match?.endpoint;
    if (endpoint?.access.has("ingest")) return withIngestCors(request, await answer(request, passage));
    if (!endpoint || !isOfDashboard(endpoint) || !isDashboardPage(request, config)) return answer(request, passage);
    const reply = request.method === "OPTIONS" ? preflightFor(request, endpoint.allow) : await answer(request, passage);
    return withDashboardCors(request, reply);
  }

  /** Counts it and, if so much is to be logged, says what kind of request it was: nothing that its sender chose. */
  function note({ routeId, nowMs, requestId }: Pick<Passage, "routeId" | "nowMs" | "requestId">, status: number): void {
    const durationMs = services.now() - nowMs;
    requests.note(routeId, status, durationMs);
    if (config.logLevel === "debug") log.debug("a request was answered", { requestId, route: routeId ?? "none", status, durationMs });
  }

  function refuse(error: AppError): Reply {
    const requestId = services.newRequestId();
    const reply = errorReply(error, requestId, log);
    note({ routeId: null, nowMs: services.now(), requestId }, reply.status);
    return withHeaders(reply, { ...COMMON_HEADERS, "X-Request-Id": requestId });
  }

  return {
    async fetch(request, { socketAddress, socketPlace = null }) {
      const url = parseUrl(request.url);
      if (url === null || !isHost(request.headers.get("host") ?? url.host))
        return responseTo(request.method, refuse(invalidInput(HOST_RULE)));
      const nowMs = services.now();
      const requestId = services.newRequestId();
      const deadline = deadlines.begin(nowMs);
      const match = await matchAt(url.pathname);
      const params = match?.params ?? NO_PARAMS;
      const passage: Passage = {
        services,
        nowMs,
        url,
        socketAddress,
        socketPlace,
        deadline,
        streams,
        requestId,
        match,
        params,
        routeId: null,
      };
      const reply = await answerPage(request, passage);
      deadlines.end(deadline);
      note(passage, reply.status);
      const bindsHost = isHttps(request, config.trustProxy) && match?.endpoint.isExtra !== true;
      const headers = { ...COMMON_HEADERS, "X-Request-Id": requestId, ...(bindsHost && HSTS) };
      return responseTo(request.method, withHeaders(reply, headers));
    },
    refuse,
    expireRequests(nowMs) {
      deadlines.expire(nowMs);
      streams.endStalled(nowMs);
    },
    get openStreams() {
      return streams.count;
    },
  };
}
