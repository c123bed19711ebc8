/** Decides how a test server listens and ends: a free port of this machine, every body read whole, nothing left open. */

import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Exchange = {
  readonly method: string;
  /** The name the browser asked for, without the port. */
  readonly hostname: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

export type LocalServer = { readonly port: number; close(): Promise<void> };

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

export const startLocalServer = async (respond: (exchange: Exchange, response: ServerResponse) => void): Promise<LocalServer> => {
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        const { hostname, pathname } = new URL(request.url ?? "/", `http://${request.headers.host}`);
        respond({ method: request.method ?? "", hostname, path: pathname, headers: request.headers, body }, response);
      },
      // The browser went away in the middle of its own request: there is nobody to answer.
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((fault) => (fault ? reject(fault) : resolve()));
        server.closeAllConnections();
      }),
  };
};
