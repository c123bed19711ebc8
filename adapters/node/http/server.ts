/** The HTTP server of the Node process: passes requests to the app, and stops without losing any. Owner of @whatwg-node/server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Readable } from "node:stream";
import { createServerAdapter } from "@whatwg-node/server";
import type { App } from "../../../src/handlers/pipeline.ts";
import { responseTo } from "../../../src/handlers/reply.ts";
import { ConfigError } from "../../../src/runtime/base/config/config.ts";
import { invalidInput } from "../../../src/runtime/base/errors.ts";
import { CONNECTIONS_MAX, STOP_RESPONSES_MS, STOP_UNSENT_MS } from "../../../src/runtime/base/config/limits.ts";
import { lingerAfterResponse, resetConnection } from "./connection-close.ts";
import { LatestResponses } from "./latest-responses.ts";
import { PipelinedRequests } from "./pipelined-requests.ts";
import { normaliseTarget } from "./request-target.ts";
import { StalledConnections } from "./stalled-connections.ts";
import { answerUnreadable } from "./unreadable-requests.ts";

/** The time in which a client has to send its headers. */
const HEADERS_TIMEOUT_MS = 10_000;

/** How often Node checks connections for its timeouts. */
const CHECK_INTERVAL_MS = 1_000;

/** How much later than the app the server ends a request. */
const REQUEST_GRACE_MS = 5_000;

/** The tracking pixel has its event in the request line: 53 KB with every field at its limit and every character escaped. */
const HEADER_BYTES_MAX = 64 * 1024;

/**
 * New connections that may wait to be accepted while the process is busy; the system caps it at its own maximum. Above it, the system
 * drops connections silently: the client retries after a second, or believes that it is connected.
 */
const ACCEPT_BACKLOG_MAX = 4096;

/** How often a stop looks for connections that can be closed. */
const STOP_CHECK_INTERVAL_MS = 100;

/** How long an idle connection stays open for the client's next request. */
const KEEP_ALIVE_MS = 65_000;

export interface ServerOptions {
  readonly app: App;
  readonly host: string;
  readonly port: number;
  readonly requestTimeoutSecs: number;
}

export interface RunningServer {
  /** The address it listens on, e.g. `http://127.0.0.1:8000`. */
  readonly origin: string;
  /** Resets connections whose client reads nothing. To be called about once a second. */
  endStalled(): void;
  /** Stops accepting. Resolves when the requests in flight are answered, or aborted after `STOP_RESPONSES_MS`. */
  stop(): Promise<void>;
}

function originOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function stop(server: Server, sockets: Iterable<Socket>, responses: LatestResponses): Promise<void> {
  const beganMs = performance.now();
  const closeConnections = () => {
    const stoppingMs = performance.now() - beganMs;
    server.closeIdleConnections();
    for (const socket of sockets) {
      // Browsers open connections in advance. Node does not count an unused one as idle.
      const isUnused = socket.bytesRead === 0;
      if (isUnused || (stoppingMs >= STOP_UNSENT_MS && !responses.isAwaited(socket))) socket.destroy();
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
  /** Why the request target is invalid; null if it is valid. */
  readonly targetError: string | null;
}

/** What to do about an address that no later start could use either. */
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
  const pipelined = new PipelinedRequests();
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
      if (pipelined.admits(req, res)) void adapter(req, res, { targetError: normaliseTarget(req) });
    },
  );
  const responses = new LatestResponses(server);
  answerUnreadable(server, responses, app, HEADER_BYTES_MAX);
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
  const stalled = new StalledConnections(sockets);
  return {
    origin: originOf(server),
    endStalled: () => stalled.end(performance.now()),
    stop() {
      stopping = true;
      return stop(server, sockets, responses);
    },
  };
}
