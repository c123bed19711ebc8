/** GET /health, /health/ready and /health/detailed: liveness, readiness and details (docs/http-api.md, "Health"). */
import { utcDateOf } from "../storage/event.ts";
import type { Handler } from "./context.ts";
import { jsonReply, NO_STORE, textReply } from "./reply.ts";

export const getHealth: Handler = () => textReply("ok", 200, NO_STORE);

export const getReady: Handler = async (_request, { services, beganMs }) =>
  (await services.readiness.isReady(beganMs))
    ? textReply("ready", 200, NO_STORE)
    : textReply("database not ready", 503, { ...NO_STORE, "Retry-After": "1" });

export const getDetails: Handler = async (_request, { services }) => {
  const { version, adminPassword, geoIsLoaded, geoBuiltMs, behavioral, config } = services;
  // Right after startup this waits for the engine or starts it, so the extension is not reported as missing.
  await behavioral.isAvailable();
  const { unflushedEvents, filesLeftOut, cachedResults } = await services.gauges();
  return jsonReply({
    status: "ok",
    version,
    buffered_events: unflushedEvents,
    files_left_out: filesLeftOut,
    auth_configured: adminPassword.isConfigured,
    geoip_loaded: geoIsLoaded,
    geoip_built: geoBuiltMs === null ? null : utcDateOf(geoBuiltMs),
    behavioral_extension_loaded: behavioral.version !== null,
    behavioral_version: behavioral.version,
    filter_bots: config.filterBots,
    cache_entries: cachedResults,
    cache_empty: cachedResults === 0,
  });
};
