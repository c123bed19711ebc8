/** The HTTP server of the Node process: hands requests to the app and stops without losing any. Owner of @whatwg-node/server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Readable } from "node:stream";
import { createServerAdapter } from "@whatwg-node/server";
import type { App } from "../../src/handlers/app.ts";
import { responseTo } from "../../src/handlers/reply.ts";
import { invalidInput } from "../../src/runtime/errors.ts";
import { CONNECTIONS_MAX, STOP_GRACE_MS } from "../../src/runtime/config/limits.ts";
import { lingerBehindAnswer } from "./lingering-close.ts";
import { PipelinedRequests } from "./pipelined-requests.ts";
import { normaliseTarget } from "./request-target.ts";
import { endAtOnce, StalledConnections } from "./stalled-connections.ts";
import { answerUnreadable } from "./unreadable-requests.ts";

/** A client that has not sent its headers by then is let go. */
const HEADERS_TIMEOUT_MS = 10_000;

/** How often connections are looked at whose time is up. */
const CHECK_INTERVAL_MS = 1_000;

/** How much later than the app the server itself ends a request. */
const REQUEST_GRACE_MS = 5_000;

/** A pixel's event travels in the request line: with every field at its limit and every character escaped, it takes 53 KB. */
const HEADER_BYTES_MAX = 64 * 1024;

/**
 * How many new connections may wait to be accepted while the process is busy; the system lowers it to its own maximum. Whoever
 * comes when that many wait is told nothing: the client tries again after a second, or believes to be connected for ever.
 */
const ACCEPT_BACKLOG_MAX = 4096;

/** How long an idle connection is kept for the client's next request. */
const KEEP_ALIVE_MS = 65_000;

export interface ServerOptions {
  readonly app: App;
  readonly host: string;
  readonly port: number;
  readonly requestTimeoutSecs: number;
}

export interface RunningServer {
  /** Where it listens, e.g. `http://127.0.0.1:8000`. */
  readonly origin: string;
  /** Ends the connections whose client takes nothing of what waits for it. To be called about once a second. */
  endStalled(nowMs: number): void;
  /** Accepts nothing more and resolves when the requests in flight are answered, or given up after the grace period. */
  stop(): Promise<void>;
}

function originOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function stop(server: Server, sockets: Iterable<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
    server.close(() => {
      clearTimeout(giveUp);
      resolve();
    });
    server.closeIdleConnections();
    // Browsers open connections in advance. One that was never used does not count as idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** What is wrong with the request's target. */
  readonly fault: string | null;
}

/** Rejects when the address cannot be listened on. */
export async function startServer({ app, host, port, requestTimeoutSecs }: ServerOptions): Promise<RunningServer> {
  let stopping = false;
  const adapter = createServerAdapter<Exchange>(async (request, { req, res, fault }) => {
    const response =
      fault === null
        ? await app.fetch(request, { socketAddress: req.socket.remoteAddress ?? "" })
        : responseTo(request.method, app.refuse(invalidInput(fault)));
    // The connection ends with this answer: a client that goes on asking would otherwise hold up the stop until it is cut off.
    if (stopping) res.shouldKeepAlive = false;
    if (!req.complete) lingerBehindAnswer(req);
    // A stream is piped, which waits for the client. When it breaks off, so does the connection: the client must not take it for whole.
    res.once("pipe", (body: Readable) => body.once("error", () => endAtOnce(req.socket)));
    return response;
  });
  const pipelined = new PipelinedRequests();
  // Node wants whole milliseconds, and for the headers no more than for the whole.
  const requestTimeoutMs = Math.ceil(requestTimeoutSecs * 1000);
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
      // The app's own limit comes first and has an answer; this one is for what the app never hears of.
      requestTimeout: requestTimeoutMs + REQUEST_GRACE_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would refuse it with an empty answer.
      requireHostHeader: false,
    },
    (req, res) => {
      if (pipelined.admits(req, res)) void adapter(req, res, { fault: normaliseTarget(req) });
    },
  );
  answerUnreadable(server, app, HEADER_BYTES_MAX);
  server.maxConnections = CONNECTIONS_MAX;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    const refused = (error: Error) =>
      reject(new Error(`it cannot listen on port ${port} of ${host} (port, host): ${error.message}`, { cause: error }));
    server.once("error", refused);
    server.listen(port, host, ACCEPT_BACKLOG_MAX, () => {
      server.off("error", refused);
      resolve();
    });
  });
  const stalled = new StalledConnections(sockets);
  return {
    origin: originOf(server),
    endStalled: (nowMs) => stalled.end(nowMs),
    stop() {
      stopping = true;
      return stop(server, sockets);
    },
  };
}
