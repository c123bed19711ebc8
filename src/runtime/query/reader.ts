/** The reader of a report, the time, and the calendar. Every scope is made for a reader, so no report shows more than its reader may see. */
import type { WeekStart } from "../../shared/site-choices.ts";
import type { Calendar } from "../../storage/calendar.ts";
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import { mayRead, type Principal } from "../access/principal.ts";
import { AppError } from "../base/errors.ts";
import type { SiteGoal } from "../sites/goal.ts";
import type { Condition } from "./filters.ts";
import type { SessionRules } from "./session-rules.ts";

export interface Reader {
  readonly principal: Principal;
  readonly nowMs: EpochMs;
  readonly calendarOf: (siteId: SiteId) => Calendar;
  readonly weekStartOf: (siteId: SiteId) => WeekStart;
  /** The date of a site's first stored event for which all conditions hold; null if it has none. */
  readonly firstDayOf: (siteId: SiteId, conditions: readonly Condition[]) => Promise<LocalDate | null>;
  /** Goals in the order of the site. */
  readonly goalsOf: (siteId: SiteId) => readonly SiteGoal[];
  /** The filters of a segment as they are written; null if the site has none with this id. */
  readonly segmentOf: (siteId: SiteId, id: string) => string | null;
  readonly sessionRules: SessionRules;
}

/** 403 for a site that the principal may not read, whether it exists or not. */
export function checkSite({ principal }: Pick<Reader, "principal">, siteId: SiteId): void {
  if (!mayRead(principal, siteId)) throw new AppError({ code: "forbidden" }, `You may not read the statistics of "${siteId}"`);
}
