/** A viewer who may read everything, of sites in UTC without goals, whose weeks begin on Monday. */
import { OWNER } from "../../src/runtime/auth/principal.ts";
import type { Viewer } from "../../src/runtime/query/viewer.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { EpochMs } from "../../src/storage/event.ts";

export const ownerAt = (nowMs: EpochMs): Viewer => ({
  principal: OWNER,
  nowMs,
  calendarOf: () => utcCalendar,
  weekStartOf: () => "monday",
  firstDayOf: async () => null,
  goalsOf: () => [],
  goalOf: (_siteId, name) => ({ event: name, property: null }),
  sessionRules: { sessionGapMs: 1_800_000, rotationDays: 1 },
});
