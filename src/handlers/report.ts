/** GET of any report: parses the request and returns the cached or computed result (docs/http-api.md, "Stats API"). */
import { fileReply, jsonTextReply, timeZoneHeaders } from "./reply.ts";
import type { PreparedReport, Report, ReportSettings } from "../runtime/reports/report.ts";
import { askerOf } from "./access.ts";
import type { Context, Handler } from "./context.ts";
import { Query } from "./query.ts";

const settingsOf = ({ services: { config }, reader }: Context, hasExtension: boolean): ReportSettings => ({
  ...reader.sessionRules,
  realtimeWindowMinutes: config.realtimeWindowMinutes,
  hasExtension,
});

/**
 * Whether the extension is available. Until the engine has started, a report that rollups cover does not wait for it: rollups with
 * sessions were made with the extension.
 */
async function isExtensionAvailable(context: Context, { conditions, plan }: PreparedReport): Promise<boolean> {
  const { behavioral, stats } = context.services;
  if (behavioral.isPending && conditions.length === 0 && (await stats.isCovered(plan(settingsOf(context, true))))) return true;
  return behavioral.isAvailable();
}

/** Invalid parameters are a 400 even if the required behavioral extension is missing, which is a 503. */
export const reportHandler =
  ({ prepare }: Report): Handler =>
  async (_request, context) => {
    const { services, reader, url, params } = context;
    const query = new Query(url);
    const read = (name: string, from: "query" | "path") => (from === "path" ? (params[name] ?? null) : query.text(name));
    const prepared = await prepare(read, reader);
    const { extension, timeZone, cacheKey, file, conditions, plan } = prepared;
    const { stats, filterCheck, behavioral } = services;
    const asker = askerOf(context);
    const planned = async () => {
      await filterCheck.check(conditions, asker);
      const hasExtension = extension !== "unused" && (await isExtensionAvailable(context, prepared));
      if (extension === "needed" && !hasExtension) await behavioral.require();
      return plan(settingsOf(context, hasExtension || extension === "needed"));
    };
    const text = await (cacheKey ? stats.cached(cacheKey, planned, asker) : stats.fresh(planned, asker));
    return file ? fileReply(text, file, timeZoneHeaders(timeZone)) : jsonTextReply(text, 200, timeZoneHeaders(timeZone));
  };
