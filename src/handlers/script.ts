/** GET /svc.js and its alias (contract 4.8): the tracking script, from the bundle. */
import type { Handler } from "./context.ts";

/** Short enough that a new version reaches every page within a day. */
const CACHE_SECS = 86_400;

export const getScript: Handler = (_request, { services }) =>
  new Response(services.trackerScript, {
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": `public, max-age=${CACHE_SECS}`,
      "Access-Control-Allow-Origin": "*",
      "Cross-Origin-Resource-Policy": "cross-origin",
    },
  });
