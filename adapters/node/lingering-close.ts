/** How a connection ends whose client is still sending: it may go on for a while, for who is cut off may lose the answer, too. */
import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Time enough for what is on its way; a client that sends for ever must not keep its connection. */
const LINGER_MS = 1_000;

/** Says the last words and hears the client out. */
export function endLingering(socket: Duplex, lastWords = ""): void {
  socket.end(lastWords);
  const timeout = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timeout));
}

/**
 * For a request that is answered before it has come in whole. Where the answer is the connection's last, Node would close it at
 * once, and the system then resets a connection with bytes that nobody has read: a proxy that still writes makes a 502 of it.
 */
export function lingerBehindAnswer(request: IncomingMessage): void {
  const { socket } = request;
  socket.destroySoon = () => {
    if (request.complete) Socket.prototype.destroySoon.call(socket);
    else endLingering(socket);
  };
}
