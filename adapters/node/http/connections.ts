/** Connections that end without a response from the app: lingering, stalled, or with a request that is not HTTP. */
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { App } from "../../../src/handlers/pipeline.ts";
import type { Reply } from "../../../src/handlers/http.ts";
import { RESPONSE_STALL_MS } from "../../../src/runtime/base/config/limits.ts";
import { AppError, invalidInput } from "../../../src/runtime/base/errors.ts";

/** Long enough for what the client has already sent. A client that never stops sending must not keep its connection. */
const LINGER_MS = 1_000;

/**
 * Sends the last bytes and keeps reading for a while. A socket that is closed with unread bytes is reset, and the client may lose the
 * response (RFC 9112, 9.6).
 */
function endLingering(socket: Duplex, lastBytes = ""): void {
  socket.end(lastBytes);
  const timeout = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timeout));
}

/**
 * Call it for a request that is answered before its body has arrived. If the response is the last on the connection, Node closes it at
 * once and the system resets it. A proxy that is still writing turns that into a 502.
 */
export function lingerAfterResponse(request: IncomingMessage): void {
  const { socket } = request;
  socket.destroySoon = () => {
    if (request.complete) Socket.prototype.destroySoon.call(socket);
    else endLingering(socket);
  };
}

/** Discards even what the system still holds, which it would try to deliver for many minutes. */
export const resetConnection = (socket: Socket): void => void socket.resetAndDestroy();

/** Bytes passed to the socket, and those of them that the system has not accepted. If both are unchanged, nothing was sent. */
interface Progress {
  readonly written: number;
  readonly queued: number;
  readonly sinceMs: number;
}

/**
 * Bytes of the current write that the system has not accepted. Node's own timeouts read the same field: `writableLength` does not
 * change until a write is complete, however large it is.
 */
function queuedBytes(socket: Socket): number {
  const handle = Reflect.get(socket, "_handle") as { readonly writeQueueSize?: number } | null | undefined;
  return handle?.writeQueueSize ?? 0;
}

/**
 * Ends connections whose client reads nothing: their responses would stay in memory forever. Call the result about once a second, with a
 * monotonic time: it resets those of the open `sockets` that made no progress for `RESPONSE_STALL_MS`.
 */
export function endingStalled(sockets: Iterable<Socket>): (nowMs: number) => void {
  const progress = new WeakMap<Socket, Progress>();
  return (nowMs) => {
    for (const socket of sockets) {
      const [written, queued] = [socket.bytesWritten, queuedBytes(socket)];
      const before = progress.get(socket);
      if (queued === 0) progress.delete(socket);
      else if (before?.written !== written || before.queued !== queued) progress.set(socket, { written, queued, sinceMs: nowMs });
      else if (nowMs - before.sinceMs >= RESPONSE_STALL_MS) resetConnection(socket);
    }
  };
}

interface ParserError extends Error {
  readonly code?: string;
}

function refusalOf({ code }: ParserError, headerBytesMax: number): AppError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new AppError({ code: "headers_too_large" }, `The request line and the headers must be at most ${headerBytesMax} bytes together`);
  }
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW")
    return new AppError({ code: "body_too_large" }, "The extensions of the body's chunks are too long");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new AppError({ code: "request_timeout" }, "The request did not arrive within the server's time limit");
  return invalidInput("The request is not valid HTTP");
}

function httpMessageOf({ status, headers, body }: Reply): string {
  const text = String(body);
  const lines = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(text), Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}

/** The latest response on a connection. */
export type LatestResponse = (socket: Duplex) => ServerResponse | undefined;

/** Answers requests that Node's HTTP parser rejects with the service's `{error}`, where Node would send an empty response. */
export function answerUnreadable(server: Server, latestResponseTo: LatestResponse, app: App, headerBytesMax: number): void {
  const refused = new WeakSet<Duplex>();
  // Unknown expectations are ignored. Node would answer with an empty 417.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => server.emit("request", request, response));
  // Without a listener Node closes the connection without a response.
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    // The client would take this response for the one to its earlier request.
    if (latestResponseTo(socket)?.writableFinished === false) socket.destroy();
    else endLingering(socket, httpMessageOf(app.refuse(invalidInput("CONNECT is not supported: the service is not a proxy"))));
  });
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    if (refused.has(socket)) return;
    const response = latestResponseTo(socket);
    // Another response is only partly sent. This one would become part of its body.
    const isSending = response?.headersSent === true && !response.writableFinished;
    if (!socket.writable || error.code === "ECONNRESET" || isSending) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    endLingering(socket, httpMessageOf(app.refuse(refusalOf(error, headerBytesMax))));
  });
}
