/** Answers to what never becomes a request: what the HTTP parser refuses gets the service's `{error}` instead of Node's empty answer. */
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { App } from "../../src/handlers/app.ts";
import type { Reply } from "../../src/handlers/reply.ts";
import { AppError, invalidInput } from "../../src/runtime/errors.ts";
import { endLingering } from "./lingering-close.ts";

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

/** A reply as it goes over the wire. */
function wireText({ status, headers, body }: Reply): string {
  const text = String(body);
  const lines = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(text), Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}

/** Refuses in the app's words what the server's parser cannot read. */
export function answerUnreadable(server: Server, app: App, headerBytesMax: number): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => answering.set(socket, response));
  // Expectations that are unknown are left alone; Node would refuse them with an empty answer.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => server.emit("request", request, response));
  // Without a listener Node would close the connection without an answer.
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    const earlier = answering.get(socket);
    // It would be taken for the answer to the request before.
    if (earlier?.writableFinished === false) socket.destroy();
    else endLingering(socket, wireText(app.refuse(invalidInput("CONNECT is not supported: the service is no proxy"))));
  });
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    if (refused.has(socket)) return;
    const response = answering.get(socket);
    // In the midst of another answer there is no place for this one.
    const isMidway = response?.headersSent === true && !response.writableFinished;
    if (!socket.writable || error.code === "ECONNRESET" || isMidway) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    endLingering(socket, wireText(app.refuse(refusalOf(error, headerBytesMax))));
  });
}
