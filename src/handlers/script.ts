/** GET /svc.js and its other names (contract 4.8): the tracking script, from the bundle. */
import type { Handler } from "./context.ts";
import { assetReply } from "./static-asset.ts";

/** Short enough that a new version reaches every page within a day. */
const CACHE_SECS = 86_400;

const HEADERS = {
  "Cache-Control": `public, max-age=${CACHE_SECS}`,
  "Access-Control-Allow-Origin": "*",
  "Cross-Origin-Resource-Policy": "cross-origin",
} as const;

export const getScript: Handler = (request, { services }) => assetReply(request, services.trackerScript, HEADERS);
