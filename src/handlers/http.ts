/**
 * What handlers read of a request, its body up to the size limit and its query parameters, each given once or not at all; and the reply
 * that they return. Headers are a plain object until all of them are known, because changing the headers of a Response costs more than
 * creating one.
 */
import { parseObject } from "../runtime/base/body.ts";
import { BODY_BYTES_DISCARDED_MAX, BODY_BYTES_MAX, QUERY_PARAMETERS_MAX } from "../runtime/base/config/limits.ts";
import { AppError, invalidInput } from "../runtime/base/errors.ts";
import { type Parameters, parseParameters, type Values } from "../runtime/query/parameters.ts";
import { UTC } from "../storage/calendar.ts";
import type { JsonObject } from "../storage/record-store.ts";

const wholeBody = new TextDecoder();

const tooLarge = (bytesMax: number): AppError =>
  new AppError({ code: "body_too_large" }, `The request body must be at most ${bytesMax} bytes`);

/** The client disconnected while sending: nobody reads this response, and it must not count as an internal error. */
const cutShort = (): never => {
  throw invalidInput("The request body ended before all of it had come");
};

/**
 * Drains the body of a refused request: many clients read the response only after they have sent everything, and lose it if
 * the connection is reset. Beyond a limit nothing more is read, and the host's own timeout ends the connection.
 */
async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let left = BODY_BYTES_DISCARDED_MAX; left > 0;) {
    const { done, value } = await reader.read();
    if (done) return;
    left -= value.length;
  }
  await reader.cancel();
}

async function* countedChunks(stream: ReadableStream<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let byteCount = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(cutShort);
    if (done) return;
    byteCount += value.length;
    if (byteCount > bytesMax) {
      // Not awaited: a client that keeps sending must not delay its response.
      discardRest(reader).catch(() => {});
      throw tooLarge(bytesMax);
    }
    yield value;
  }
}

async function readCounting(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of countedChunks(stream, bytesMax)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/**
 * The body as a string; 413 over `bytesMax`, by default 64 KB, and 400 if it is incomplete. The host's HTTP parser enforces a Content-Length without a
 * Transfer-Encoding, so such a body is read at once; the size of any other is checked while it arrives.
 */
export async function readBody(request: Request, bytesMax = BODY_BYTES_MAX): Promise<string> {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > bytesMax) throw tooLarge(bytesMax);
  if (length !== null && !request.headers.has("transfer-encoding")) {
    // Not `text()`: hosts differ in whether that drops a byte order mark, and its length is not in bytes.
    const bytes = await request.arrayBuffer().catch(cutShort);
    if (bytes.byteLength > bytesMax) throw tooLarge(bytesMax);
    return wholeBody.decode(bytes);
  }
  return request.body ? readCounting(request.body, bytesMax) : "";
}

/** The body as it is; 413 over `bytesMax`, and 400 if it is incomplete. */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length")) > bytesMax) throw tooLarge(bytesMax);
  const chunks: Uint8Array[] = [];
  if (request.body) for await (const chunk of countedChunks(request.body, bytesMax)) chunks.push(chunk);
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

export const readJson = async (request: Request, bytesMax?: number): Promise<JsonObject> => parseObject(await readBody(request, bytesMax));

/** All parameters of a request, known or not; 400 for too many, because each lookup scans all of them. */
export function parametersOf(url: URL): URLSearchParams {
  const count = url.search.split("&", QUERY_PARAMETERS_MAX + 1).length;
  if (count > QUERY_PARAMETERS_MAX) throw invalidInput(`A request may have at most ${QUERY_PARAMETERS_MAX} query parameters`);
  return url.searchParams;
}

export class Query {
  readonly #params: URLSearchParams;

  constructor(url: URL) {
    this.#params = parametersOf(url);
  }

  /** The value, or null if the parameter is missing; 400 if it is given more than once. */
  text(name: string): string | null {
    const values = this.#params.getAll(name);
    if (values.length > 1) throw invalidInput(`"${name}" must be given at most once`);
    return values[0] ?? null;
  }

  /** The values of declared parameters; 400 with the name of the first invalid one. */
  parse<P extends Parameters>(parameters: P): Values<P> {
    return parseParameters(parameters, (name) => this.text(name));
  }
}

export type ReplyHeaders = Readonly<Record<string, string>>;

/**
 * A response before it is sent, and its common shapes. Headers are a plain object until all of them are known, because changing
 * the headers of a Response costs more than creating one.
 */
export interface Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: BodyInit | null;
  /** The body is already compressed, as declared in `Content-Encoding`. */
  readonly isEncoded?: true;
}

/** Headers of every response that depends on the caller or the time. */
export const NO_STORE = { "Cache-Control": "no-store" } as const;

export const jsonReply = (body: unknown, status = 200, headers: ReplyHeaders = {}): Reply =>
  jsonTextReply(JSON.stringify(body), status, headers);

export function jsonTextReply(json: string, status = 200, headers: ReplyHeaders = {}): Reply {
  return { status, headers: { "Content-Type": "application/json", ...NO_STORE, ...headers }, body: json };
}

/** A download under a name of letters, digits, `-` and `.`. */
export const fileReply = (
  body: Reply["body"],
  { name, contentType }: { readonly name: string; readonly contentType: string },
  headers: ReplyHeaders = {},
): Reply => ({
  status: 200,
  headers: { "Content-Type": contentType, "Content-Disposition": `attachment; filename="${name}"`, ...NO_STORE, ...headers },
  body,
});

export function textReply(body: string, status = 200, headers: ReplyHeaders = {}): Reply {
  return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers }, body };
}

export const emptyReply = (status: number, headers: ReplyHeaders = {}): Reply => ({ status, headers, body: null });

/** Sent with every statistic of a site outside UTC. */
export const TIME_ZONE_HEADER = "Time-Zone";

/** JSON of what an answer says of days of which only sums are known. */
export const COVERAGE_HEADER = "Coverage";

export const coverageHeaders = (coverage: string | null): ReplyHeaders => (coverage === null ? {} : { [COVERAGE_HEADER]: coverage });

export const timeZoneHeaders = (timeZone: string): ReplyHeaders => (timeZone === UTC ? {} : { [TIME_ZONE_HEADER]: timeZone });

export const withHeaders = (reply: Reply, headers: ReplyHeaders): Reply => ({ ...reply, headers: { ...reply.headers, ...headers } });

/** The Response of a reply. For HEAD it has the headers of GET and no body. */
export function responseTo(method: string, { status, headers, body, isEncoded }: Reply): Response {
  // Without it, workerd compresses a body with a Content-Encoding again. Other hosts ignore the option.
  const init: ResponseInit & { encodeBody?: "manual" } = { status, headers, ...(isEncoded && { encodeBody: "manual" }) };
  if (method !== "HEAD") return new Response(body, init);
  if (body instanceof ReadableStream) void body.cancel();
  return new Response(null, init);
}
