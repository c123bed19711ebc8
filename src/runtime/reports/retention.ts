/** How many of the visitors who first came in a week come again in later ones (decisions, "Statistics"). */
import { DAY_MS, utcDayOf, type UtcDay } from "../../storage/event.ts";
import { rangeOfDays, type DateRange } from "../query/date-range.ts";
import { queryRetention, startOfWeekMs } from "./queries/retention.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn, ratio } from "../query/row-values.ts";
import type { Scope } from "../query/scope.ts";

export interface Cohort {
  /** The Monday of the week. */
  readonly cohortDate: UtcDay;
  readonly cohortSize: number;
  /** Visitors seen in the week itself, in the one after it, and so on. */
  readonly retained: readonly number[];
  /** The same as fractions of the cohort. */
  readonly retentionRates: readonly number[];
}

const WEEK_DAYS = 7;

/**
 * The range and, before it, the rest of its first day's salt period: no visitor id is older, so the first event ever
 * recorded of any visitor of the range is in it.
 */
export function rangeWithFirstEvents({ startMs, lastDay }: DateRange, rotationDays: number): DateRange {
  const periodMs = rotationDays * DAY_MS;
  return rangeOfDays(utcDayOf(Math.floor(startMs / periodMs) * periodMs), lastDay);
}

/** Whether a visitor keeps one id for that many weeks, and what to know where not. */
export function cohortIdentity(rotationDays: number, weeks: number): { supported: boolean; caveat: string | null } {
  const supported = rotationDays >= weeks * WEEK_DAYS;
  const days = rotationDays === 1 ? "1 day" : `${rotationDays} days`;
  return {
    supported,
    caveat: supported
      ? null
      : `Visitors are recognised for ${days} at most (visitor_salt_rotation_days), after which they count as new ones. ` +
        `Following them for ${weeks} weeks would take ${weeks * WEEK_DAYS} days, so returning visitors are missing from later weeks.`,
  };
}

/** Cohorts of the scope's range, the oldest first. `ask` is of the range with the first events. */
export async function retentionOf(ask: Ask, scope: Scope, weeks: number): Promise<Cohort[]> {
  const cohorts = new Map<number, number[]>();
  const [rows] = await ask(queryRetention(scope, weeks));
  for (const row of rows) {
    const week = numberIn(row, "week");
    cohorts.set(week, [...(cohorts.get(week) ?? []), numberIn(row, "visitors")]);
  }
  return [...cohorts].map(([week, retained]) => {
    const [cohortSize = 0] = retained;
    return {
      cohortDate: utcDayOf(startOfWeekMs(week)),
      cohortSize,
      retained,
      retentionRates: retained.map((visitors) => ratio(visitors, cohortSize)),
    };
  });
}
