/** Which foreign pages may read answers: any page those of ingestion, none the others. */
import { emptyResponse } from "./responses.ts";

const PREFLIGHT_SECS = 86_400;

/**
 * A page's own origin is echoed and credentials are allowed, because beacons always carry them and a
 * browser then refuses `*`. There is nothing to protect: no answer of ingestion depends on a cookie.
 */
function ingestCors(origin: string | null): Readonly<Record<string, string>> {
  if (origin === null) return { "Access-Control-Allow-Origin": "*" };
  return { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", Vary: "Origin" };
}

/** Adds what lets the page that sent an event read the answer. */
export function withIngestCors(request: Request, response: Response): Response {
  for (const [name, value] of Object.entries(ingestCors(request.headers.get("origin")))) response.headers.set(name, value);
  return response;
}

/** Answers the question a browser asks before a request that is not simple. */
export function preflight(request: Request): Response {
  return emptyResponse(204, {
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": request.headers.get("access-control-request-headers") ?? "Content-Type",
    "Access-Control-Max-Age": String(PREFLIGHT_SECS),
  });
}
