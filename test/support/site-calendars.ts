/** Sites with a time zone or weeks of their own. */
import { type CalendarRecord } from "../../src/storage/calendar.ts";
import { DEFAULT_SETTINGS } from "../../src/runtime/sites/site-settings.ts";
import type { WeekStart } from "../../src/shared/site-choices.ts";
import type { LocalDate, SiteId } from "../../src/storage/event.ts";
import type { InProcessTarget } from "./in-process-target.ts";

/** A zone, and later ones with the first date of each. */
export const calendarRecord = (
  timeZone: string,
  ...changes: readonly (readonly [firstDate: string, timeZone: string])[]
): CalendarRecord => ({
  timeZone,
  changes: changes.map(([firstDate, name]) => ({ firstDate: firstDate as LocalDate, timeZone: name })),
});

/** Until the target is restarted. */
export const setCalendar = ({ services }: InProcessTarget, siteId: SiteId, calendar: CalendarRecord): void => {
  services.sites.apply(siteId, { siteId, createdAt: "2026-01-01T00:00:00.000Z", settings: null, calendar });
};

/** Until the target is restarted. */
export const setWeekStart = ({ services }: InProcessTarget, siteId: SiteId, weekStart: WeekStart): void => {
  services.sites.apply(siteId, {
    siteId,
    createdAt: "2026-01-01T00:00:00.000Z",
    settings: { ...DEFAULT_SETTINGS, weekStart },
    calendar: null,
  });
};
