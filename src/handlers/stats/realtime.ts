/** GET /api/stats/realtime (contract 4.4): the last minutes, never from the cache. */
import { rangeOfDays } from "../../runtime/query/date-range.ts";
import { realtimeOf, realtimeWindow } from "../../runtime/reports/realtime.ts";
import { utcDayOf } from "../../storage/event.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { jsonReply } from "../reply.ts";

export const getRealtime: Handler = async (_request, { services, nowMs, url, deadline }) => {
  const query = new Query(url);
  const siteId = query.siteId();
  const windowMinutes = services.config.realtimeWindowMinutes;
  const window = realtimeWindow(nowMs, windowMinutes, query.conditions());
  const range = rangeOfDays(utcDayOf(window.startMs), utcDayOf(window.endMs));
  const realtime = await services.stats.fresh(deadline.signal, (over) => over({ siteId, range }, (ask) => realtimeOf(ask, window)));
  return jsonReply({
    current_visitors: realtime.currentVisitors,
    pageviews: realtime.pageviews,
    window_minutes: windowMinutes,
    top_pages: realtime.topPages,
    top_sources: realtime.topSources,
    per_minute: realtime.perMinute,
  });
};
