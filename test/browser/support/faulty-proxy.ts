/** A reverse proxy in front of the service that can fail as real ones do: with a status of its own, or by dropping the connection. */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Fault {
  readonly status: number | "dropped";
  readonly headers?: Readonly<Record<string, string>>;
  /** Which URLs fail; all of the API by default. */
  readonly urls?: RegExp;
  /** So many requests fail, the rest reach the service; all of them by default. */
  readonly requestsMax?: number;
}

export interface FaultyProxy {
  readonly origin: string;
  /** Null for a proxy that works. */
  fault: Fault | null;
  /** How many requests have failed since the fault was set. */
  readonly failed: number;
  /** The paths of the API that were requested. */
  readonly requested: string[];
  close(): Promise<void>;
}

const API = /^\/api\//;

function fail(response: ServerResponse, { status, headers }: Fault): void {
  if (status === "dropped") response.destroy();
  else
    response
      .writeHead(status, { "Content-Type": "text/html", ...headers })
      .end(`<html><body><h1>${status} from a proxy</h1></body></html>`);
}

function forward(incoming: IncomingMessage, response: ServerResponse, service: URL): void {
  const { method, url, headers } = incoming;
  const outgoing = request({ host: service.hostname, port: service.port, path: url, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  incoming.pipe(outgoing);
}

export async function startFaultyProxy(serviceOrigin: string): Promise<FaultyProxy> {
  const service = new URL(serviceOrigin);
  let failed = 0;
  const server = createServer((incoming, response) => {
    const { fault, requested } = proxy;
    const url = incoming.url ?? "/";
    if (API.test(url)) requested.push(url);
    const fails = fault !== null && (fault.urls ?? API).test(url) && failed < (fault.requestsMax ?? Infinity);
    if (!fails) return forward(incoming, response, service);
    failed++;
    fail(response, fault);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  let current: Fault | null = null;
  const proxy: FaultyProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get fault() {
      return current;
    },
    set fault(fault) {
      failed = 0;
      current = fault;
    },
    get failed() {
      return failed;
    },
    requested: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
