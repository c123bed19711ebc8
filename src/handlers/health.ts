/** GET /health and what is below it (contract 4.7): is the process alive, can it answer questions, what is there. */
import type { Handler } from "./context.ts";
import { jsonReply, NO_STORE, textReply } from "./reply.ts";

export const getHealth: Handler = () => textReply("ok", 200, NO_STORE);

export const getReady: Handler = async (_request, { services, nowMs }) =>
  (await services.readiness.isReady(nowMs))
    ? textReply("ready", 200, NO_STORE)
    : textReply("database not ready", 503, { ...NO_STORE, "Retry-After": "1" });

export const getDetails: Handler = async (_request, { services }) => {
  const { version, journal, adminPassword, geoIsLoaded, behavioral, config, stats } = services;
  // Right after the start this waits for the engine, or brings it up, rather than say that the extension is missing.
  await behavioral.load();
  return jsonReply({
    status: "ok",
    version,
    buffered_events: journal.size,
    auth_configured: adminPassword.isConfigured,
    geoip_loaded: geoIsLoaded,
    behavioral_extension_loaded: behavioral.version !== null,
    behavioral_version: behavioral.version,
    filter_bots: config.filterBots,
    cache_entries: stats.kept,
    cache_empty: stats.kept === 0,
  });
};
