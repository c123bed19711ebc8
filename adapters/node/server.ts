/** The HTTP server of the Node process: hands requests to the app and stops without losing any. Owner of @whatwg-node/server. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createServerAdapter } from "@whatwg-node/server";
import type { App } from "../../src/handlers/app.ts";
import { STOP_GRACE_MS } from "../../src/runtime/limits.ts";

/** A client that has not sent its headers by then is let go. */
const HEADERS_TIMEOUT_MS = 10_000;

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
  /** Accepts nothing more and resolves when the requests in flight are answered, or given up after the grace period. */
  stop(): Promise<void>;
}

function originOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
    server.close(() => {
      clearTimeout(giveUp);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Rejects when the address cannot be listened on. */
export async function startServer({ app, host, port, requestTimeoutSecs }: ServerOptions): Promise<RunningServer> {
  const adapter = createServerAdapter<{ req: IncomingMessage }>((request, { req }) =>
    app.fetch(request, { socketAddress: req.socket.remoteAddress ?? "" }),
  );
  const server = createServer(
    { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: requestTimeoutSecs * 1000, keepAliveTimeout: KEEP_ALIVE_MS },
    adapter,
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return { origin: originOf(server), stop: () => stop(server) };
}
