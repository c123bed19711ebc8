/** Closes connections: lingering, so that the client can still read the last response, or at once. */
import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Enough time for what the client has already sent. A client that never stops sending must not keep its connection. */
const LINGER_MS = 1_000;

/**
 * Sends the last bytes and keeps reading for a while. A socket that is closed with unread bytes is reset, and the client may lose
 * the response (RFC 9112, 9.6).
 */
export function endLingering(socket: Duplex, lastBytes = ""): void {
  socket.end(lastBytes);
  const timeout = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timeout));
}

/**
 * Keeps reading a request that is answered before its body has arrived. If the response is the last on the connection, Node closes it at
 * once and the system resets it. A proxy that is still writing turns that into a 502.
 */
export function lingerAfterResponse(request: IncomingMessage): void {
  const { socket } = request;
  socket.destroySoon = () => {
    if (request.complete) Socket.prototype.destroySoon.call(socket);
    else endLingering(socket);
  };
}

/** Discards what the system still holds, too. It would try to deliver that for many minutes. */
export const resetConnection = (socket: Socket): void => void socket.resetAndDestroy();
