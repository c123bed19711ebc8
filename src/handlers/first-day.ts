/** The first date of a site with an event that the caller of a request may see (docs/http-api.md, "Date ranges"). */
import { mapPlan } from "../runtime/execution/plan.ts";
import { rangeOfAll } from "../runtime/query/date-range.ts";
import type { Condition } from "../runtime/query/filters.ts";
import { firstDayPlan } from "../runtime/reports/measures/first-day.ts";
import type { LocalDate, SiteId } from "../storage/event.ts";
import { askerOf } from "./access.ts";
import type { Context } from "./context.ts";

type FirstDayContext = Pick<Context, "services" | "viewer" | "deadline">;

/** Without conditions, the listing of the site tells it; with some, a query like that of a series by day, whose result is cached. */
export async function firstDayOf(siteId: SiteId, conditions: readonly Condition[], context: FirstDayContext): Promise<LocalDate | null> {
  const { services, viewer } = context;
  const [firstDay = null] = await services.daysOf(siteId);
  if (firstDay === null || conditions.length === 0) return firstDay;
  const range = rangeOfAll(firstDay, viewer.calendarOf(siteId).dateOf(viewer.nowMs));
  const key = { report: "first day", siteId, parameters: [range.firstDay, range.lastDay, conditions] };
  const plan = mapPlan(firstDayPlan({ siteId, range, conditions, sessionRules: viewer.sessionRules }), (day) => JSON.stringify(day));
  return JSON.parse(await services.stats.cached(key, async () => plan, askerOf(context))) as LocalDate | null;
}
