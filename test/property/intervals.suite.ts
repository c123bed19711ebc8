/**
 * Compares the time series by hour, day, week and month with the model, for visitor ids that live a day, a week or a month, and weeks
 * from each of the days that a site may begin them on.
 */
import fc from "fast-check";
import { describe, it } from "vitest";
import { WEEK_STARTS } from "../../src/runtime/sites/site-settings.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { SiteId } from "../../src/storage/event.ts";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { setWeekStart } from "../support/site-calendars.ts";
import { DAY_MS, history, withPeriods, type History } from "./histories.ts";
import { sessionTimeseriesBy, timeseriesBy, type Interval } from "./interval-model.ts";
import { dayPlus, type Scope } from "./model.ts";
import { playHistory } from "./played-history.ts";
import { filtersParameter, question, scopeOf, type Question } from "./questions.ts";
import { PROPERTY_TIMEOUT_MS } from "./settings.ts";

const MINUTE_MS = 60_000;

/** Longest range by the hour. */
const HOURLY_DAYS_MAX = 31;

const asked = fc.record({
  about: question,
  interval: fc.constantFrom<Interval>("hour", "day", "week", "week", "week", "month", "month"),
  weekStart: fc.constantFrom(...WEEK_STARTS),
});

/** The same events on more days, so that visitors return within weeks and months. */
const spread = ({ steps, ...rest }: History, daysApart: number): History => ({
  ...rest,
  steps: steps.map(({ events, ...step }) => ({
    ...step,
    events: events.map((event, i) => {
      const timestampMs = event.timestampMs - i * daysApart * DAY_MS;
      return { ...event, timestampMs, date: utcCalendar.dateOf(timestampMs) };
    }),
  })),
});

/** The range of a question, cut at its beginning if it is too long for the interval. */
function scopeWithin(about: Question, interval: Interval, nowMs: number): Scope {
  const scope = scopeOf(about, nowMs);
  const firstHourlyDay = dayPlus(scope.lastDay, 1 - HOURLY_DAYS_MAX);
  return interval === "hour" && scope.firstDay < firstHourlyDay ? { ...scope, firstDay: firstHourlyDay } : scope;
}

const parametersOf = ({ siteId, firstDay, lastDay, conditions }: Scope, interval: Interval) => ({
  site_id: siteId,
  start_date: firstDay,
  end_date: lastDay,
  ...filtersParameter(conditions),
  interval,
});

export function describeIntervals(makeTarget: MakeInProcessTarget, runs: number): void {
  describe("time series by an interval", () => {
    it(
      "equal the model for salt periods of 1, 7 and 30 days, with filters, in ranges that cut weeks and months",
      async () => {
        const holds = fc.asyncProperty(
          fc.tuple(history, fc.constantFrom(0, 1, 3)).map(([past, daysApart]) => spread(past, daysApart)),
          fc.constantFrom(1, 7, 30),
          fc.array(asked, { minLength: 2, maxLength: 4 }),
          async (past, rotationDays, questions) => {
            const environment = { SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays) };
            const { target, events, expectAnswer, close } = await playHistory(makeTarget, withPeriods(past, rotationDays), environment);
            const gapMs = past.sessionWindowMinutes * MINUTE_MS;
            for (const { about, interval, weekStart } of questions) {
              const scope = scopeWithin(about, interval, past.nowMs);
              const parameters = parametersOf(scope, interval);
              setWeekStart(target, scope.siteId as SiteId, weekStart);
              await expectAnswer("timeseries", parameters, timeseriesBy(interval, events, scope, { weekStart }));
              await expectAnswer("session-timeseries", parameters, sessionTimeseriesBy(interval, events, scope, gapMs, { weekStart }));
            }
            await close();
          },
        );
        await fc.assert(holds, { numRuns: runs });
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
