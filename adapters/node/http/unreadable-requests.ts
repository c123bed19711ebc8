/** Answers requests that Node's HTTP parser rejects: with the service's `{error}` instead of Node's empty response. */
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { App } from "../../../src/handlers/pipeline.ts";
import type { Reply } from "../../../src/handlers/reply.ts";
import { AppError, invalidInput } from "../../../src/runtime/base/errors.ts";
import { endLingering } from "./connection-close.ts";
import type { LatestResponses } from "./latest-responses.ts";

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

/** The reply as an HTTP/1.1 message. */
function httpMessageOf({ status, headers, body }: Reply): string {
  const text = String(body);
  const lines = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(text), Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}

export function answerUnreadable(server: Server, responses: LatestResponses, app: App, headerBytesMax: number): void {
  const refused = new WeakSet<Duplex>();
  // Unknown expectations are ignored. Node would answer with an empty 417.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => server.emit("request", request, response));
  // Without a listener Node closes the connection without a response.
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    const earlier = responses.of(socket);
    // The client would take this response for the one to its earlier request.
    if (earlier?.writableFinished === false) socket.destroy();
    else endLingering(socket, httpMessageOf(app.refuse(invalidInput("CONNECT is not supported: the service is no proxy"))));
  });
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    if (refused.has(socket)) return;
    const response = responses.of(socket);
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
