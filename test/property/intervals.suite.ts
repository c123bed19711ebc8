/**
 * Compares the time series by minute, hour, day, week and month with the model, for visitor ids that live a day, a week or a month, and weeks
 * from each of the days that a site may begin them on; of dates, and of the period of all dates.
 */
import fc from "fast-check";
import { describe, it } from "vitest";
import { WEEK_STARTS } from "../../src/shared/site-choices.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { SiteId } from "../../src/storage/event.ts";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { setWeekStart } from "../support/site-calendars.ts";
import { DAY_MS, history, withPeriods, type History } from "./histories.ts";
import { scopeWithin, sessionTimeseriesBy, timeseriesBy, type Interval } from "./interval-model.ts";
import type { Events, Scope } from "./model.ts";
import { playHistory } from "./played-history.ts";
import { filtersParameter, question, scopeOf, type Question } from "./questions.ts";
import { PROPERTY_TIMEOUT_MS, runsOf, type Runs } from "./settings.ts";

const MINUTE_MS = 60_000;

const asked = fc.record({
  about: question,
  interval: fc.constantFrom<Interval>("minute", "hour", "day", "week", "week", "week", "month", "month"),
  isOfAllDates: fc.constantFrom(true, false, false),
  weekStart: fc.constantFrom(...WEEK_STARTS),
});

type Asked = typeof asked extends fc.Arbitrary<infer One> ? One : never;

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

/** All dates of the question's site, up to the current one. */
function scopeOfAll(about: Question, events: Events, { nowMs, sessionWindowMinutes }: History): Scope {
  const lastDay = utcCalendar.dateOf(nowMs);
  const dates = events.filter(({ siteId }) => siteId === about.siteId).map(({ date }) => date);
  const sessionGapMs = sessionWindowMinutes * MINUTE_MS;
  return { siteId: about.siteId, conditions: about.conditions, sessionGapMs, firstDay: [...dates, lastDay].sort()[0] ?? lastDay, lastDay };
}

interface AskedScope {
  readonly scope: Scope;
  readonly parameters: Readonly<Record<string, string>>;
}

/** As a period only if that is not too long for the interval. */
function askedScope({ about, interval, isOfAllDates }: Asked, events: Events, past: History): AskedScope {
  const whole = isOfAllDates ? scopeOfAll(about, events, past) : scopeOf(about, past);
  const scope = scopeWithin(whole, interval);
  const dates = isOfAllDates && scope === whole ? { period: "all" } : { start_date: scope.firstDay, end_date: scope.lastDay };
  return { scope, parameters: { site_id: scope.siteId, ...dates, ...filtersParameter(scope.conditions), interval } };
}

export function describeIntervals(makeTarget: MakeInProcessTarget, runs: Runs): void {
  describe("time series by an interval", () => {
    it(
      "time series by an interval equal the model for salt periods of 1, 7 and 30 days, with filters, in ranges that cut weeks and months",
      async () => {
        const holds = fc.asyncProperty(
          fc.tuple(history, fc.constantFrom(0, 1, 3)).map(([past, daysApart]) => spread(past, daysApart)),
          fc.constantFrom(1, 7, 30),
          fc.array(asked, { minLength: 2, maxLength: 4 }),
          async (past, rotationDays, questions) => {
            const environment = { SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays) };
            const { target, events, expectAnswer, close } = await playHistory(makeTarget, withPeriods(past, rotationDays), environment);
            const gapMs = past.sessionWindowMinutes * MINUTE_MS;
            for (const each of questions) {
              const { interval, weekStart } = each;
              const { scope, parameters } = askedScope(each, events, past);
              setWeekStart(target, scope.siteId as SiteId, weekStart);
              await expectAnswer("timeseries", parameters, timeseriesBy(interval, events, scope, { weekStart }));
              await expectAnswer("session-timeseries", parameters, sessionTimeseriesBy(interval, events, scope, gapMs, { weekStart }));
            }
            await close();
          },
        );
        await fc.assert(holds, runsOf(runs));
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
