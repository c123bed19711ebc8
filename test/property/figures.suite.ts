/** Compares every statistics endpoint except the breakdown with the model, over random histories, ranges and filters. */
import fc from "fast-check";
import { describe, it } from "vitest";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { PROPERTY_KEYS, history } from "./histories.ts";
import { goalsOf, mainOf, propertiesOf, propertyValuesOf, realtimeOf, revenueOf, timeseriesOf, type Comparison } from "./model.ts";
import { playHistory, type PlayedHistory } from "./played-history.ts";
import { filtersParameter, parametersOf, question, scopeOf, type Question } from "./questions.ts";
import { PROPERTY_TIMEOUT_MS, runsOf, type Runs } from "./settings.ts";

const MINUTE_MS = 60_000;

/** Compares an endpoint's response with the model's. */
type Ask = (played: PlayedHistory, asked: Question) => Promise<void>;

const askMain =
  (compare: Comparison | null): Ask =>
  async ({ history: past, events, expectAnswer }, asked) => {
    const parameters = { ...parametersOf(asked, past.nowMs), ...(compare && { compare }) };
    await expectAnswer("main", parameters, mainOf(events, scopeOf(asked, past), past.sessionWindowMinutes * MINUTE_MS, compare));
  };

const askTimeseries: Ask = ({ history: past, events, expectAnswer }, asked) =>
  expectAnswer("timeseries", parametersOf(asked, past.nowMs), timeseriesOf(events, scopeOf(asked, past)));

const askRealtime =
  (minutes: number | null): Ask =>
  ({ history: { nowMs, realtimeWindowMinutes, sessionWindowMinutes }, events, expectAnswer }, { siteId, conditions }) =>
    expectAnswer(
      "realtime",
      { site_id: siteId, ...filtersParameter(conditions), ...(minutes !== null && { minutes: String(minutes) }) },
      realtimeOf(events, {
        siteId,
        conditions,
        sessionGapMs: sessionWindowMinutes * MINUTE_MS,
        nowMs,
        windowMinutes: realtimeWindowMinutes,
        minutes,
      }),
    );

const askGoals: Ask = ({ history: past, events, expectAnswer }, asked) =>
  expectAnswer("goals", parametersOf(asked, past.nowMs), goalsOf(events, scopeOf(asked, past)));

const askProperties: Ask = ({ history: past, events, expectAnswer }, asked) =>
  expectAnswer("properties", parametersOf(asked, past.nowMs), propertiesOf(events, scopeOf(asked, past)));

const askPropertyValues =
  (key: string, event: string | null): Ask =>
  ({ history: past, events, expectAnswer }, asked) =>
    expectAnswer(
      "property-values",
      { ...parametersOf(asked, past.nowMs), key, ...(event !== null && { event }) },
      propertyValuesOf(events, scopeOf(asked, past), key, event),
    );

const askRevenue: Ask = ({ history: past, events, expectAnswer }, asked) =>
  expectAnswer("revenue", parametersOf(asked, past.nowMs), revenueOf(events, scopeOf(asked, past)));

/** Each endpoint gets a question of its own. */
const questions = fc.record({
  main: question,
  compare: fc.constantFrom(null, "previous_period" as const, "year_over_year" as const),
  timeseries: question,
  realtime: question,
  minutes: fc.constantFrom(null, 1, 5, 30, 60),
  goals: question,
  properties: question,
  propertyValues: question,
  key: fc.constantFrom(...PROPERTY_KEYS),
  event: fc.constantFrom(null, null, null, "pageview", "Signup", "Purchase", "never recorded"),
  revenue: question,
});

/** Visitors of the histories are the same for ever. */
const ENDLESS_IDS = { SVC_VISITOR_SALT_ROTATION_DAYS: "3650" };

export function describeFigures(makeTarget: MakeInProcessTarget, runs: Runs): void {
  describe("the statistics endpoints", () => {
    it(
      "the statistics endpoints equal the model for totals, time series, realtime, goals, properties and revenue",
      async () => {
        const holds = fc.asyncProperty(history, questions, async (past, { compare, minutes, key, event, ...asked }) => {
          const played = await playHistory(makeTarget, past, ENDLESS_IDS);
          await askMain(compare)(played, asked.main);
          await askTimeseries(played, asked.timeseries);
          await askRealtime(minutes)(played, asked.realtime);
          await askGoals(played, asked.goals);
          await askProperties(played, asked.properties);
          await askPropertyValues(key, event)(played, asked.propertyValues);
          await askRevenue(played, asked.revenue);
          await played.close();
        });
        await fc.assert(holds, runsOf(runs));
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
