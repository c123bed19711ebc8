/** A reader who may read everything, of sites in UTC with these goals, whose weeks begin on Monday. */
import { NO_ARRIVAL_RULES } from "../../src/runtime/arrivals/arrival-names.ts";
import { OWNER } from "../../src/runtime/access/principal.ts";
import type { Reader } from "../../src/runtime/query/scope.ts";
import type { Goal, SiteGoal } from "../../src/runtime/sites/goal.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { EpochMs } from "../../src/storage/event.ts";

export const ownerAt = (nowMs: EpochMs, goals: readonly SiteGoal[] = []): Reader => ({
  principal: OWNER,
  comesLast: false,
  nowMs,
  calendarOf: () => utcCalendar,
  weekStartOf: () => "monday",
  arrivalRulesOf: () => NO_ARRIVAL_RULES,
  firstDayOf: async () => null,
  goalsOf: () => goals,
  rulesOf: () => [],
  segmentOf: () => null,
  sessionRules: { sessionGapMs: 1_800_000, rotationDays: 1 },
});

export const siteGoal = (name: string, goal: Goal, hasRevenue = false): SiteGoal => ({
  ...{ id: name, createdAt: "2026-01-01T00:00:00.000Z", changedMs: 0 },
  fields: { name, goal, hasRevenue, position: 1 },
});
