/** The first date of a site with an event that the caller of a request may see (docs/http-api.md, "Date ranges"). */
import { mapPlan, type Plan } from "../runtime/query/plan.ts";
import { rangeOfAll } from "../runtime/query/date-range.ts";
import type { Condition } from "../runtime/query/filters.ts";
import { clickhouseFirstDayPlan, firstDayPlan } from "../runtime/reports/measures/counts.ts";
import type { LocalDate, SiteId } from "../storage/event.ts";
import { askerOf } from "./access.ts";
import type { Context } from "./context.ts";

type FirstDayContext = Pick<Context, "services" | "reader" | "deadline">;

/** A result up to `cache_ttl_secs` old. Rejects as reports do. */
async function cachedDay(
  report: string,
  parameters: readonly unknown[],
  plan: Plan<LocalDate | null>,
  siteId: SiteId,
  context: FirstDayContext,
) {
  const prepare = async (): Promise<Plan<string>> => mapPlan(plan, (day) => JSON.stringify(day));
  return JSON.parse(await context.services.stats.cached({ report, siteId, parameters }, prepare, askerOf(context))) as LocalDate | null;
}

/** Of all events. The listing of the site tells it, except in ClickHouse, whose listing lacks the other nodes' days while the server fails. */
async function firstStoredDay(siteId: SiteId, context: FirstDayContext): Promise<LocalDate | null> {
  const { services } = context;
  if (services.config.engine !== "clickhouse") return (await services.daysOf(siteId))[0] ?? null;
  return cachedDay("first stored day", [], clickhouseFirstDayPlan(siteId), siteId, context);
}

/** With conditions, a query like that of a series by day. */
export async function firstDayOf(siteId: SiteId, conditions: readonly Condition[], context: FirstDayContext): Promise<LocalDate | null> {
  const { reader } = context;
  const firstDay = await firstStoredDay(siteId, context);
  if (firstDay === null || conditions.length === 0) return firstDay;
  const range = rangeOfAll(firstDay, reader.calendarOf(siteId).dateOf(reader.nowMs));
  const shared = { conditions, range: null };
  const plan = firstDayPlan({ siteId, range, conditions, shared, sessionRules: reader.sessionRules });
  return cachedDay("first day", [range.firstDay, range.lastDay, conditions], plan, siteId, context);
}
