/** GET of any report: parses the request, and answers with the cached or computed result. */
import { jsonTextReply } from "./reply.ts";
import type { Report, ReportSettings } from "../runtime/reports/report.ts";
import type { Services } from "../runtime/services.ts";
import type { Handler } from "./context.ts";
import { Query } from "./query.ts";

const MINUTE_MS = 60_000;

const settingsOf = ({ config }: Services, hasExtension: boolean): ReportSettings => ({
  sessionGapMs: config.sessionWindowMinutes * MINUTE_MS,
  rotationDays: config.visitorSaltRotationDays,
  realtimeWindowMinutes: config.realtimeWindowMinutes,
  hasExtension,
});

/** 400 for a wrong parameter comes before 503 where the behavioral extension is needed and not loaded. */
export const reportHandler =
  ({ prepare }: Report): Handler =>
  async (_request, { services, nowMs, url, params, deadline }) => {
    const query = new Query(url);
    const { extension, cacheKey, plan } = prepare((name, from) => (from === "path" ? (params[name] ?? null) : query.text(name)), nowMs);
    if (extension === "needed") await services.behavioral.require();
    const planned = async () => plan(settingsOf(services, extension !== "unused" && (await services.behavioral.isAvailable())));
    const { stats } = services;
    return jsonTextReply(await (cacheKey ? stats.cached(cacheKey, planned, deadline.signal) : stats.fresh(planned, deadline.signal)));
  };
