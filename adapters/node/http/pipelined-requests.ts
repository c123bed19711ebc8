/** Limits how many requests a client may pipeline on one connection (RFC 9112, 9.3.2). */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PIPELINED_REQUESTS_MAX } from "../../../src/runtime/base/config/limits.ts";
import { resetConnection } from "./connection-close.ts";

/**
 * Node reads 64 KB at a time and starts all requests in it before it serves another connection. Short requests are two thousand:
 * all of them would be in memory, and every other client would wait for them.
 */
export class PipelinedRequests {
  /** Requests of a connection that wait for the response to an earlier one. */
  readonly #waiting = new WeakMap<Socket, number>();

  /**
   * Returns false for a request above the limit. It must not be handled; its connection has been reset. Clients that pipeline
   * repeat the requests without a response.
   */
  admits({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // Node assigns the socket to the response whose turn it is, so a request that was not pipelined costs nothing.
    if (response.socket !== null) return true;
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting >= PIPELINED_REQUESTS_MAX) {
      resetConnection(socket);
      return false;
    }
    this.#waiting.set(socket, waiting + 1);
    response.once("close", () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1));
    return true;
  }
}
