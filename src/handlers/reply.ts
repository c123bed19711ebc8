/**
 * A response before it is sent, and its common shapes. Headers are a plain object until all of them are known, because changing
 * the headers of a Response costs more than creating one.
 */
import { UTC } from "../storage/calendar.ts";

export type ReplyHeaders = Readonly<Record<string, string>>;

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
