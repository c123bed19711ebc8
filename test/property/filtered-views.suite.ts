/** Compares the reports of a filtered dashboard with the model: all at once, again and again while events arrive and are flushed. */
import fc from "fast-check";
import { describe, it } from "vitest";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { sessionPagesOf } from "./behavioral-figures-model.ts";
import { condition } from "./conditions.ts";
import { history, type History } from "./histories.ts";
import { breakdownOf, eventSeriesOf, mainOf, sessionTimeseriesOf, timeseriesOf, type Dimension, type Events } from "./model.ts";
import { playHistory, type PlayedHistory } from "./played-history.ts";
import { parametersOf, question, scopeOf, type Question } from "./questions.ts";
import { PROPERTY_TIMEOUT_MS, runsOf, type Runs } from "./settings.ts";

const MINUTE_MS = 60_000;
const ROWS = 10;

const BREAKDOWNS: readonly Dimension[] = ["pages", "sources", "countries", "browsers"];

/** A filter of one condition, which sessions meet with some of their events. */
const filtered = fc.tuple(question, condition).map(([asked, only]): Question => ({ ...asked, conditions: [only] }));

const views = fc.array(filtered, { minLength: 1, maxLength: 2 });

/** The nine reports of a view, all at once. */
async function expectView(asked: Question, past: History, events: Events, expectAnswer: PlayedHistory["expectAnswer"]): Promise<void> {
  const [scope, parameters] = [scopeOf(asked, past), parametersOf(asked, past.nowMs)];
  const gapMs = past.sessionWindowMinutes * MINUTE_MS;
  await Promise.all([
    expectAnswer("main", parameters, mainOf(events, scope, gapMs, null)),
    expectAnswer("timeseries", parameters, timeseriesOf(events, scope)),
    expectAnswer("timeseries", { ...parameters, include: "events" }, eventSeriesOf(events, scope)),
    expectAnswer("session-timeseries", parameters, sessionTimeseriesOf(events, scope, gapMs)),
    expectAnswer("breakdown/entry-pages", parameters, sessionPagesOf(events, scope, gapMs, 0, ROWS)),
    ...BREAKDOWNS.map((dimension) => expectAnswer(`breakdown/${dimension}`, parameters, breakdownOf(events, scope, dimension, ROWS))),
  ]);
}

/** Visitors of the histories are the same forever. No result is cached, and no query is refused. */
const ENVIRONMENT = { SVC_VISITOR_SALT_ROTATION_DAYS: "3650", SVC_CACHE_TTL_SECS: "0", SVC_MAX_CONCURRENT_QUERIES: "0" };

export function describeFilteredViews(makeTarget: MakeInProcessTarget, runs: Runs): void {
  describe("the reports of a filtered view", () => {
    it(
      "the reports of a filtered view equal the model when they run at the same time, after each change of the events",
      async () => {
        const holds = fc.asyncProperty(history, views, async (past, asked) => {
          const { close } = await playHistory(makeTarget, past, ENVIRONMENT, async ({ events, expectAnswer }) => {
            for (const view of asked) await expectView(view, past, events, expectAnswer);
          });
          await close();
        });
        // Fewer, because each step of a history gets nine requests for each view.
        await fc.assert(holds, runsOf(runs, 5));
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
