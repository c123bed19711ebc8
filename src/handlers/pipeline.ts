/** What happens to every request, once and in this order: URL, host, route, access, handler, CORS, common headers, metrics and log. */
import { invalidInput, type AppError } from "../runtime/errors.ts";
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import { parseUrl } from "../runtime/ingest/parse-url.ts";
import type { Services } from "../runtime/services.ts";
import type { EpochMs } from "../storage/event.ts";
import { checkAccess } from "./access.ts";
import type { Context } from "./context.ts";
import { corsHeaders, isDashboardPreflight, preflightReply } from "./cors.ts";
import { Deadlines } from "./deadline.ts";
import { errorReply } from "./error-reply.ts";
import { isHttps } from "./forwarded-headers.ts";
import { HOST_RULE, isHost, refuseUnverifiedHost } from "./host.ts";
import { responseTo, withHeaders, type Reply } from "./reply.ts";
import { ResponseStreams } from "./response-streams.ts";
import { routeIdOf, type Route, type RouteId } from "./route.ts";
import { createMatcher, extraRoutesOf, routeFor, type Match } from "./router.ts";

/** On every response. */
const COMMON_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
} as const;

/** On every response to a request that came over https: browsers use https from then on, for a year. */
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
  /** Ends the requests whose time is up, and the responses that no client takes. The host calls it about once a second. */
  expireRequests(nowMs: EpochMs): void;
  /** Responses that are still being sent: while there are any, `expireRequests` is needed. */
  readonly openStreams: number;
}

const NO_PARAMS: Context["params"] = {};

/** A request on its way through the pipeline. */
interface Exchange extends Context {
  readonly request: Request;
  readonly requestId: string;
  /** What is at the request's path; null where there is nothing. */
  readonly match: Match | null;
  /** Known once a route has taken it. */
  routeId: RouteId | null;
}

export function createPipeline(routes: readonly Route[], services: Services): App {
  const { config, log, requests } = services;
  const matchAt = createMatcher(routes, extraRoutesOf(routes, config));
  const deadlines = new Deadlines(config.requestTimeoutSecs);
  const streams = new ResponseStreams({ now: services.now, pause: () => services.wait(0), log });

  /** The handler's reply, if there is a route and the caller may use it. */
  async function handle(exchange: Exchange): Promise<Reply> {
    const { request, match } = exchange;
    if (isDashboardPreflight(request, match?.endpoint, config)) return preflightReply(request, match?.endpoint.allow ?? "");
    const route = routeFor(request.method, match);
    exchange.routeId = routeIdOf(route);
    refuseUnverifiedHost(route.access, exchange.routeId, request, exchange);
    checkAccess(route.access, request, exchange);
    if (route.access === "stats") exchange.deadline.followClient(request.signal);
    return route.handler(request, exchange);
  }

  /** Every refusal and failure, the end of the request's time included, becomes a reply here. */
  async function reply(exchange: Exchange): Promise<Reply> {
    try {
      return await exchange.deadline.race(handle(exchange));
    } catch (error) {
      return errorReply(error, exchange.requestId, log);
    } finally {
      deadlines.end(exchange.deadline);
    }
  }

  /** Counts the request and, at this log level, logs its route: nothing that its sender chose. */
  function record({ routeId, nowMs, requestId }: Pick<Exchange, "routeId" | "nowMs" | "requestId">, status: number): void {
    const durationMs = services.now() - nowMs;
    requests.note(routeId, status, durationMs);
    if (config.logLevel === "debug") log.debug("a request was answered", { requestId, route: routeId ?? "none", status, durationMs });
  }

  function refuse(error: AppError): Reply {
    const requestId = services.newRequestId();
    const refusal = errorReply(error, requestId, log);
    record({ routeId: null, nowMs: services.now(), requestId }, refusal.status);
    return withHeaders(refusal, { ...COMMON_HEADERS, "X-Request-Id": requestId });
  }

  return {
    async fetch(request, { socketAddress, socketPlace = null }) {
      const url = parseUrl(request.url);
      if (url === null || !isHost(request.headers.get("host") ?? url.host)) {
        return responseTo(request.method, refuse(invalidInput(HOST_RULE)));
      }
      const nowMs = services.now();
      const requestId = services.newRequestId();
      const deadline = deadlines.begin(nowMs);
      const match = await matchAt(url.pathname);
      const endpoint = match?.endpoint;
      const params = match?.params ?? NO_PARAMS;
      const connection = { socketAddress, socketPlace };
      const exchange: Exchange = {
        ...connection,
        services,
        nowMs,
        request,
        url,
        requestId,
        match,
        params,
        deadline,
        streams,
        routeId: null,
      };
      const answer = await reply(exchange);
      // At a path that a site chose for itself, the header would speak for a whole host that is not the service's.
      const bindsHost = endpoint?.isExtra !== true && isHttps(request, config.trustProxy);
      record(exchange, answer.status);
      return responseTo(
        request.method,
        withHeaders(answer, {
          ...corsHeaders(request, endpoint, config),
          ...COMMON_HEADERS,
          "X-Request-Id": requestId,
          ...(bindsHost && HSTS),
        }),
      );
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
