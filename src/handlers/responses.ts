/** The few shapes an answer takes. */

/** What is true of every answer that depends on who asks or when. */
export const NO_STORE = { "Cache-Control": "no-store" } as const;

export const jsonResponse = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  jsonTextResponse(JSON.stringify(body), status, headers);

/** For JSON that is text already. */
export function jsonTextResponse(json: string, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(json, { status, headers: { "Content-Type": "application/json", ...NO_STORE, ...headers } });
}

export function textResponse(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers } });
}

export const emptyResponse = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status, headers: { ...headers } });
