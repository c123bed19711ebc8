/** Passes every request through the same stages in this order: URL, host, route, access, handler, CORS, common headers, metrics and log. */
import type { Config } from "../runtime/base/config/config.ts";
import { AppError, invalidInput } from "../runtime/base/errors.ts";
import type { EventInput } from "../runtime/ingest/event-input.ts";
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import type { Network } from "../runtime/ingest/network.ts";
import { parseUrl } from "../runtime/ingest/urls.ts";
import type { Reader } from "../runtime/query/scope.ts";
import type { Services } from "../runtime/service/services.ts";
import type { SiteId } from "../storage/event.ts";
import { checkAccess, isReading, limitGuest, needsStanding, sessionCookie, shareOf, siteNamed, standingOf } from "./access.ts";
import { errorReply, FailureLog } from "./error-reply.ts";
import { notFoundPage } from "./not-found-page.ts";
import { corsHeaders, HOST_RULE, isDashboardPreflight, isHost, isHttps, preflightReply, refuseUnverifiedHost } from "./origins.ts";
import { type Reply, type ReplyHeaders, responseTo, withHeaders } from "./http.ts";
import { ResponseStreams } from "./response-streams.ts";
import type { Context, Route, RouteId } from "./route.ts";
import { routeIdOf, pathBelow, redirectToPage, createMatcher, extraRoutesOf, routeFor, type Endpoint, type Match } from "./router.ts";
import { readerOf } from "./stats.ts";

const timedOut = (reason: string): AppError => new AppError({ code: "request_timeout" }, reason);

/** The time limit of one request. */
class Deadline {
  readonly #limitSecs: number;
  readonly #atMs: number;
  #controller: AbortController | null = null;
  #onExpiry: ((error: AppError) => void) | null = null;

  /** `beganMs` by the monotonic clock. */
  constructor(beganMs: number, limitSecs: number) {
    this.#limitSecs = limitSecs;
    this.#atMs = beganMs + limitSecs * 1000;
  }

  isPast(monotonicMs: number): boolean {
    return this.#atMs <= monotonicMs;
  }

  /** Called for a request of which much time passed before it arrived here. */
  throwIfPast(monotonicMs: number): void {
    if (this.isPast(monotonicMs)) throw this.#error();
  }

  /** Aborts when the limit passes. Created on demand: an event that is accepted at once needs none. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** The outcome of the work, or a rejection if the timeout comes first or has already passed. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#controller?.signal.aborted) reject(this.#controller.signal.reason);
      this.#onExpiry = reject;
      work.then(resolve, reject);
    });
  }

  expire(): void {
    this.#end(this.#error());
  }

  #error(): AppError {
    return timedOut(`The request exceeded the limit of ${this.#limitSecs} seconds`);
  }

  /** Aborts the work when the client disconnects, because nobody would read its result. */
  followClient(client: AbortSignal): void {
    const end = () => this.#end(timedOut("The client has gone away"));
    if (client.aborted) end();
    else client.addEventListener("abort", end, { once: true });
  }

  #end(error: AppError): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(error);
    this.#onExpiry?.(error);
  }
}

/** All running requests. The host calls `expire` about once a second, because `src` sets no timers. */
class Deadlines {
  readonly #limitSecs: number;
  /** Ordered by expiry, since all limits are equal. */
  readonly #running = new Set<Deadline>();

  constructor(limitSecs: number) {
    this.#limitSecs = limitSecs;
  }

  /** `monotonicMs` is when the request began. */
  begin(monotonicMs: number): Deadline {
    const deadline = new Deadline(monotonicMs, this.#limitSecs);
    this.#running.add(deadline);
    return deadline;
  }

  end(deadline: Deadline): void {
    this.#running.delete(deadline);
  }

  expire(monotonicMs: number): void {
    for (const deadline of this.#running) {
      if (!deadline.isPast(monotonicMs)) return;
      this.#running.delete(deadline);
      deadline.expire();
    }
  }
}

const COMMON_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
} as const;

const HSTS_SECS = 365 * 86_400;

/**
 * Tells browsers that came over https to use https from then on (RFC 6797). The policy covers the whole host, which below a base path is
 * not the service's own, so there the operator has to ask for it.
 */
function hstsOf({ hstsMaxAgeSecs, basePath }: Config): ReplyHeaders {
  const secs = hstsMaxAgeSecs ?? (basePath === "" ? HSTS_SECS : 0);
  return secs === 0 ? {} : { "Strict-Transport-Security": `max-age=${secs}` };
}

/** Facts that the host knows about the connection of a request. */
export interface Connection {
  readonly socketAddress: string;
  /** The location of the socket address, on hosts that know it. */
  readonly socketPlace?: GeoPlace | null;
  /** The network of the socket address, on hosts that know it. */
  readonly socketNetwork?: Network | null;
  /** Time since the start of the request. */
  readonly elapsedMs?: number;
  /** The event in the request, if the host has read and parsed it. */
  readonly event?: EventInput | null;
  /** Runs before the work on the request. A rejection becomes the response. */
  readonly prepare?: () => Promise<void>;
}

export interface App {
  /** Responds to every request and never rejects. */
  fetch(request: Request, connection: Connection): Promise<Response>;
  /** The response to input that the host cannot parse as a request. */
  refuse(error: AppError): Reply;
  /** Ends requests that have timed out, and responses that stall, and logs what is due. The host calls it about once a second. */
  expireRequests(): void;
  /** Number of responses that are still being streamed: while there are any, the host must call `expireRequests`. */
  readonly openStreams: number;
}

const NO_PARAMS: Context["params"] = {};

type Arrival = Pick<
  Exchange,
  | "services"
  | "nowMs"
  | "beganMs"
  | "request"
  | "requestId"
  | "url"
  | "socketAddress"
  | "socketPlace"
  | "socketNetwork"
  | "event"
  | "deadline"
  | "streams"
  | "failures"
>;

/** A request on its way through the pipeline. A class, because each object literal with a getter would have a shape of its own. */
class Exchange implements Context {
  readonly services: Services;
  readonly nowMs: Context["nowMs"];
  readonly beganMs: number;
  readonly request: Request;
  readonly requestId: string;
  readonly url: URL;
  readonly socketAddress: string;
  readonly socketPlace: GeoPlace | null;
  readonly socketNetwork: Network | null;
  readonly event: EventInput | null;
  readonly deadline: Deadline;
  readonly streams: ResponseStreams;
  readonly failures: FailureLog;
  params: Context["params"] = NO_PARAMS;
  standing: Context["standing"] = null;
  /** The endpoint of the path; null for an unknown path, and until the path is matched. */
  endpoint: Endpoint | null = null;
  /** null until a route is found. */
  routeId: RouteId | null = null;
  #reader: Reader | null = null;

  constructor(arrival: Arrival) {
    this.services = arrival.services;
    this.nowMs = arrival.nowMs;
    this.beganMs = arrival.beganMs;
    this.request = arrival.request;
    this.requestId = arrival.requestId;
    this.url = arrival.url;
    this.socketAddress = arrival.socketAddress;
    this.socketPlace = arrival.socketPlace;
    this.socketNetwork = arrival.socketNetwork;
    this.event = arrival.event;
    this.deadline = arrival.deadline;
    this.streams = arrival.streams;
    this.failures = arrival.failures;
  }

  get reader(): Reader {
    return (this.#reader ??= readerOf(this));
  }
}

/** Puts the site in the place of the name that the request has. Routes that rename, merge or delete a whole site take names as they are. */
function followName({ access, site }: Route, request: Request, exchange: Exchange): void {
  if (exchange.services.names === null || (access !== "stats" && access !== "site")) return;
  const asked = exchange.params.site_id ?? (site === true ? exchange.url.searchParams.get("site_id") : null);
  if (asked === null) return;
  const siteId = siteNamed(asked as SiteId, isReading(request), exchange);
  if (siteId === asked) return;
  if (exchange.params.site_id !== undefined) exchange.params = { ...exchange.params, site_id: siteId };
  else exchange.url.searchParams.set("site_id", siteId);
}

export class Pipeline implements App {
  readonly #services: Services;
  readonly #matchAt: (pathname: string) => Promise<Match | null>;
  readonly #hsts: ReplyHeaders;
  readonly #deadlines: Deadlines;
  readonly #streams: ResponseStreams;
  readonly #failures: FailureLog;

  constructor(routes: readonly Route[], services: Services) {
    const { config, log, monotonicMs, wait } = services;
    this.#services = services;
    const served = routes.filter(({ roles }) => roles.includes(config.role));
    this.#matchAt = createMatcher(served, extraRoutesOf(served, config));
    this.#hsts = hstsOf(config);
    this.#failures = new FailureLog(log, monotonicMs);
    this.#deadlines = new Deadlines(config.requestTimeoutSecs);
    this.#streams = new ResponseStreams({ monotonicMs, pause: () => wait(0), log });
  }

  async fetch(request: Request, connection: Connection): Promise<Response> {
    const url = parseUrl(request.url);
    if (url === null || !isHost(request.headers.get("host") ?? url.host)) {
      return responseTo(request.method, this.refuse(invalidInput(HOST_RULE)));
    }
    const exchange = this.#begin(request, url, connection);
    const reply = await this.#respond(exchange, connection.prepare);
    this.#record(exchange, reply.status);
    const readable = withHeaders(reply, corsHeaders(request, exchange.endpoint, reply, this.#services.config));
    return responseTo(request.method, { ...readable, headers: { ...this.#commonHeaders(exchange), ...readable.headers } });
  }

  #begin(request: Request, url: URL, connection: Connection): Exchange {
    const { socketAddress, socketPlace = null, socketNetwork = null, elapsedMs = 0, event = null } = connection;
    const services = this.#services;
    const beganMs = services.monotonicMs() - elapsedMs;
    return new Exchange({
      services,
      nowMs: services.now(),
      beganMs,
      request,
      requestId: services.newRequestId(),
      url,
      socketAddress,
      socketPlace,
      socketNetwork,
      event,
      deadline: this.#deadlines.begin(beganMs),
      streams: this.#streams,
      failures: this.#failures,
    });
  }

  /** The handler's reply. Every refusal and failure, timeouts included, becomes a reply here. */
  async #respond(exchange: Exchange, prepare: Connection["prepare"]): Promise<Reply> {
    const { deadline, request, requestId, url } = exchange;
    try {
      return await deadline.race(this.#handle(exchange, prepare));
    } catch (error) {
      const isUnknownPath = error instanceof AppError && error.failure.code === "not_found" && exchange.endpoint === null;
      const page = isUnknownPath ? notFoundPage(request, url, this.#services.config) : null;
      return page ?? errorReply(error, requestId, this.#failures);
    } finally {
      this.#deadlines.end(deadline);
    }
  }

  /** Finds the route, checks that the caller may use it, and calls its handler. */
  async #handle(exchange: Exchange, prepare: Connection["prepare"]): Promise<Reply> {
    const { request, url, deadline } = exchange;
    const { config } = this.#services;
    const match = await this.#matchAt(pathBelow(config.basePath, url.pathname));
    if (match !== null) ({ endpoint: exchange.endpoint, params: exchange.params } = match);
    if (prepare) await prepare();
    const { endpoint } = exchange;
    if (isDashboardPreflight(request, endpoint, config)) return preflightReply(request, endpoint.allow);
    const route = routeFor(request.method, endpoint, config.role);
    exchange.routeId = routeIdOf(route);
    if (needsStanding(route.access)) {
      const share = route.guest?.(exchange) ?? shareOf(request);
      limitGuest(route.access, share, request, exchange);
      exchange.standing = await standingOf(request, this.#services, route.access, share);
    }
    followName(route, request, exchange);
    refuseUnverifiedHost(route.access, exchange.routeId, request, exchange);
    checkAccess(route.access, request, exchange);
    const redirect = route.path === "/" ? redirectToPage(url, config.basePath) : null;
    if (redirect !== null) return redirect;
    if (route.isReport) deadline.followClient(request.signal);
    deadline.throwIfPast(this.#services.monotonicMs());
    return route.handler(request, exchange);
  }

  #commonHeaders(exchange: Exchange): ReplyHeaders {
    const { request, requestId, endpoint, standing } = exchange;
    // At a path that an option added, HSTS would apply to the whole host, which is not the service's.
    const bindsHost = endpoint?.isExtra !== true && isHttps(request, this.#services.config.trustProxy);
    const prolonged = standing?.prolonged ?? null;
    return {
      ...COMMON_HEADERS,
      "X-Request-Id": requestId,
      ...(bindsHost && this.#hsts),
      // A reply that begins or ends a session has a cookie of its own, which counts.
      ...(prolonged !== null && sessionCookie(request, exchange, { token: prolonged, isPersistent: true })),
    };
  }

  /** Counts the request and, at level debug, logs its route: nothing that the sender chose. */
  #record({ routeId, beganMs, requestId }: Pick<Exchange, "routeId" | "beganMs" | "requestId">, status: number): void {
    const { config, log, requests, monotonicMs } = this.#services;
    const durationMs = monotonicMs() - beganMs;
    requests.note(routeId, status, durationMs);
    if (config.logLevel === "debug")
      log.debug("a request was answered", { requestId, route: routeId ?? "none", status, durationMs: Math.round(durationMs) });
  }

  refuse(error: AppError): Reply {
    const { newRequestId, monotonicMs } = this.#services;
    const requestId = newRequestId();
    const reply = errorReply(error, requestId, this.#failures);
    this.#record({ routeId: null, beganMs: monotonicMs(), requestId }, reply.status);
    return withHeaders(reply, { ...COMMON_HEADERS, "X-Request-Id": requestId });
  }

  expireRequests(): void {
    this.#deadlines.expire(this.#services.monotonicMs());
    this.#streams.endOverdue();
    this.#failures.tick();
  }

  get openStreams(): number {
    return this.#streams.count;
  }
}
