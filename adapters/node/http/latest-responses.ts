/** The latest response of each connection: whether one is being sent. Node has no public way from a socket to its responses. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export class LatestResponses {
  readonly #responses = new WeakMap<Duplex, ServerResponse>();

  constructor(server: Server) {
    server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => this.#responses.set(socket, response));
  }

  of(socket: Duplex): ServerResponse | undefined {
    return this.#responses.get(socket);
  }

  /** True if the client has sent a request completely, and not all of the response has been sent. */
  isAwaited(socket: Duplex): boolean {
    const response = this.#responses.get(socket);
    if (!response || response.writableFinished) return false;
    // A pipelined response that has no socket yet waits for an earlier one.
    return response.req.complete || response.socket === null;
  }
}
