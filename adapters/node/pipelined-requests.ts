/** How many requests a client may send ahead on one connection (pipelining, RFC 9112, 9.3.2). */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PIPELINED_REQUESTS_MAX } from "../../src/runtime/config/limits.ts";
import { endAtOnce } from "./stalled-connections.ts";

/**
 * Node reads 64 KB at a time and begins all requests in it before it looks at another connection: short ones are two
 * thousand, which would all be in memory, and for whose sake every other client would wait.
 */
export class PipelinedRequests {
  /** Requests of a connection that wait for the answer to an earlier one. */
  readonly #waiting = new WeakMap<Socket, number>();

  /**
   * False for a request that is one too many: it must not be handled, and its connection has been ended. Clients that pipeline
   * send again what was not answered.
   */
  admits({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // Only the response whose turn it is has the socket, so a request that came by itself costs nothing.
    if (response.socket !== null) return true;
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting >= PIPELINED_REQUESTS_MAX) {
      endAtOnce(socket);
      return false;
    }
    this.#waiting.set(socket, waiting + 1);
    response.once("close", () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1));
    return true;
  }
}
