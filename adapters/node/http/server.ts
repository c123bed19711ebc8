/** The HTTP server of the Node process: passes requests to the app, and stops without losing any. Owner of @whatwg-node/server. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { Duplex, Readable } from "node:stream";
import type { Socket, AddressInfo } from "node:net";
import { PIPELINED_REQUESTS_MAX, CONNECTIONS_MAX, STOP_RESPONSES_MS, STOP_UNSENT_MS } from "../../../src/runtime/base/config/limits.ts";
import { resetConnection, lingerAfterResponse, endingStalled, answerUnreadable, type LatestResponse } from "./connections.ts";
import { createServerAdapter } from "@whatwg-node/server";
import type { App } from "../../../src/handlers/pipeline.ts";
import { responseTo } from "../../../src/handlers/http.ts";
import { ConfigError } from "../../../src/runtime/base/config/config.ts";
import { invalidInput } from "../../../src/runtime/base/errors.ts";
import { HOST_RULE, isHost } from "../../../src/handlers/origins.ts";

/** True if the client has sent a request completely, and not all of the response has been sent. */
function isAwaited(latest: ServerResponse | undefined): boolean {
  if (!latest || latest.writableFinished) return false;
  // A pipelined response that has no socket yet waits for an earlier one.
  return latest.req.complete || latest.socket === null;
}

/**
 * Limits how many requests a client may pipeline on one connection (RFC 9112, 9.3.2). Node reads 64 KB at a time and starts all requests
 * in it before it serves another connection: up to two thousand short ones, for which every other client would wait. Above the limit, the
 * result resets the connection and returns false. Clients that pipeline repeat the requests without a response.
 */
function limitPipelining(): (request: IncomingMessage, response: ServerResponse) => boolean {
  /** Requests of a connection that wait for the response to an earlier one. */
  const waiting = new WeakMap<Socket, number>();
  return ({ socket }, response) => {
    // Node assigns the socket to the response whose turn it is, so a request that was not pipelined costs nothing.
    if (response.socket !== null) return true;
    const before = waiting.get(socket) ?? 0;
    if (before >= PIPELINED_REQUESTS_MAX) {
      resetConnection(socket);
      return false;
    }
    waiting.set(socket, before + 1);
    response.once("close", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    return true;
  };
}

/** Absolute-form: clients send it to proxies, and may send it to any server (RFC 9112, 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)([^]*)$/i;

/**
 * Paths that the URL standard reads differently from proxies with rules by path: it turns a backslash into a slash, and removes dot
 * segments, including those written with `%2e`. Browsers send neither. Queries may contain both.
 */
const AMBIGUOUS_PATH = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** `rawHeaders` alternates names and values. */
const hostCount = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host").length;

/**
 * Rewrites the request target (RFC 9112, 3.2) in place to origin-form, the only one that the app knows: a path in the request line, the
 * host in its header. Returns the reason if the target is invalid, else null. The app checks the syntax of the host.
 */
function normaliseTarget(request: IncomingMessage): string | null {
  const { headers, httpVersion, method, url = "" } = request;
  if (headers.host === undefined && httpVersion !== "1.0") return "An HTTP/1.1 request needs the header Host";
  if (hostCount(request) > 1) return 'The header "Host" must be given once';
  if (url.includes("#")) return "The request target must not have a fragment";
  if (AMBIGUOUS_PATH.test(url.split("?", 1)[0] ?? url)) return 'The request target must not have a backslash, "/./" or "/../" in its path';
  if (url.startsWith("/")) return null;
  const [, authority, rest = ""] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority !== undefined) {
    if (headers.host !== undefined && !isHost(headers.host)) return HOST_RULE;
    // The authority of the target replaces the header (RFC 9112, 3.2.2).
    headers.host = authority;
    request.url = rest.startsWith("/") ? rest : `/${rest}`;
    return null;
  }
  if (url === "*" && method === "OPTIONS") {
    request.url = "/";
    return null;
  }
  return "The request target must be a path that begins with /, or an http or https URL";
}

const HEADERS_TIMEOUT_MS = 10_000;

const CHECK_INTERVAL_MS = 1_000;

/** The server ends a request this much later than the app would. */
const REQUEST_GRACE_MS = 5_000;

/** The tracking pixel has its event in the request line: 53 KB with every field at its limit and every character escaped. */
const HEADER_BYTES_MAX = 64 * 1024;

/**
 * New connections that may wait to be accepted while the process is busy; the system caps it at its own maximum. Above it, the system
 * drops connections silently: the client retries after a second, or believes that it is connected.
 */
const ACCEPT_BACKLOG_MAX = 4096;

const STOP_CHECK_INTERVAL_MS = 100;

const KEEP_ALIVE_MS = 65_000;

interface ServerOptions {
  readonly app: App;
  readonly host: string;
  readonly port: number;
  readonly requestTimeoutSecs: number;
}

export interface RunningServer {
  /** The address it listens on, e.g. `http://127.0.0.1:8000`. */
  readonly origin: string;
  /** Resets connections whose client reads nothing. Call it about once a second. */
  endStalled(): void;
  /** Stops accepting. Resolves when the requests in flight are answered, or aborted after `STOP_RESPONSES_MS`. */
  stop(): Promise<void>;
}

function originOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function stop(server: Server, sockets: Iterable<Socket>, latestResponseTo: LatestResponse): Promise<void> {
  const beganMs = performance.now();
  const closeConnections = () => {
    const stoppingMs = performance.now() - beganMs;
    server.closeIdleConnections();
    for (const socket of sockets) {
      // Browsers open connections in advance. Node does not count an unused one as idle.
      const isUnused = socket.bytesRead === 0;
      if (isUnused || (stoppingMs >= STOP_UNSENT_MS && !isAwaited(latestResponseTo(socket)))) socket.destroy();
      // No client may take a partial response for a complete one.
      else if (stoppingMs >= STOP_RESPONSES_MS) resetConnection(socket);
    }
  };
  return new Promise((resolve) => {
    const checks = setInterval(closeConnections, STOP_CHECK_INTERVAL_MS);
    server.close(() => {
      clearInterval(checks);
      resolve();
    });
    closeConnections();
  });
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly targetError: string | null;
}

/** Advice for an address that no later start could use either. */
const REMEDIES: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "Set host to an address of this machine",
  ENOTFOUND: "Set host to an address of this machine, or to a name that has one",
  EAFNOSUPPORT: "Set host to an address of a kind that this machine has",
  EACCES: "Set port to 1024 or more, or allow this user the lower ones",
};

/** Rejects if the server cannot listen on the address, with a ConfigError if another start would not help. */
export async function startServer({ app, host, port, requestTimeoutSecs }: ServerOptions): Promise<RunningServer> {
  let stopping = false;
  const adapter = createServerAdapter<Exchange>(async (request, { req, res, targetError }) => {
    const response =
      targetError === null
        ? await app.fetch(request, { socketAddress: req.socket.remoteAddress ?? "" })
        : responseTo(request.method, app.refuse(invalidInput(targetError)));
    // Closes the connection after this response. A client that keeps sending requests would delay the stop until the grace period ends.
    if (stopping) res.shouldKeepAlive = false;
    if (!req.complete) lingerAfterResponse(req);
    // A body that fails resets the connection, so that the client does not take a partial response for a complete one.
    res.once("pipe", (body: Readable) => body.once("error", () => resetConnection(req.socket)));
    return response;
  });
  const isAdmitted = limitPipelining();
  // Node requires whole milliseconds, and a headers timeout no longer than the request timeout.
  const requestTimeoutMs = Math.ceil(requestTimeoutSecs * 1000);
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
      // The app's own timeout comes first and sends a response. This one covers requests that never reach the app.
      requestTimeout: requestTimeoutMs + REQUEST_GRACE_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would answer with an empty 400. `normaliseTarget` checks the header instead.
      requireHostHeader: false,
    },
    (req, res) => {
      if (isAdmitted(req, res)) void adapter(req, res, { targetError: normaliseTarget(req) });
    },
  );
  // Node has no public way from a socket to its responses.
  const responses = new WeakMap<Duplex, ServerResponse>();
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => responses.set(socket, response));
  const latestResponseTo: LatestResponse = (socket) => responses.get(socket);
  answerUnreadable(server, latestResponseTo, app, HEADER_BYTES_MAX);
  server.maxConnections = CONNECTIONS_MAX;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => {
      const remedy = REMEDIES[error.code ?? ""];
      const message = `cannot listen on port ${port} of ${host} (port, host): ${error.message}`;
      reject(remedy === undefined ? new Error(message, { cause: error }) : new ConfigError([`${message}. ${remedy}`]));
    };
    server.once("error", refused);
    server.listen(port, host, ACCEPT_BACKLOG_MAX, () => {
      server.off("error", refused);
      resolve();
    });
  });
  const endStalled = endingStalled(sockets);
  return {
    origin: originOf(server),
    endStalled: () => endStalled(performance.now()),
    stop() {
      stopping = true;
      return stop(server, sockets, latestResponseTo);
    },
  };
}
