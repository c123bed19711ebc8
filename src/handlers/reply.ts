/**
 * An answer before it is sent, and the few shapes it takes. Headers are a plain object until all of them are known: changing the
 * headers of a Response costs more than making one.
 */

export type ReplyHeaders = Readonly<Record<string, string>>;

export interface Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: BodyInit | null;
  /** The body is compressed already, as its `Content-Encoding` says. */
  readonly isEncoded?: true;
}

/** On every answer that depends on who asks or when. */
export const NO_STORE = { "Cache-Control": "no-store" } as const;

export const jsonReply = (body: unknown, status = 200, headers: ReplyHeaders = {}): Reply =>
  jsonTextReply(JSON.stringify(body), status, headers);

/** For JSON that is text already. */
export function jsonTextReply(json: string, status = 200, headers: ReplyHeaders = {}): Reply {
  return { status, headers: { "Content-Type": "application/json", ...NO_STORE, ...headers }, body: json };
}

export function textReply(body: string, status = 200, headers: ReplyHeaders = {}): Reply {
  return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers }, body };
}

export const emptyReply = (status: number, headers: ReplyHeaders = {}): Reply => ({ status, headers, body: null });

export const withHeaders = (reply: Reply, headers: ReplyHeaders): Reply => ({ ...reply, headers: { ...reply.headers, ...headers } });

/** The response of a reply. One to HEAD has no body, and the headers that GET would have. */
export function responseTo(method: string, { status, headers, body, isEncoded }: Reply): Response {
  // Without it, workerd compresses bytes again that have a Content-Encoding. Other hosts ignore the option.
  const init: ResponseInit & { encodeBody?: "manual" } = { status, headers, ...(isEncoded && { encodeBody: "manual" }) };
  if (method !== "HEAD") return new Response(body, init);
  if (body instanceof ReadableStream) void body.cancel();
  return new Response(null, init);
}
