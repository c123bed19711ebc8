/** Compares the breakdown by every dimension with the model, over random histories, ranges, filters and limits. */
import fc from "fast-check";
import { describe, it } from "vitest";
import type { MakeInProcessTarget } from "../support/in-process-target.ts";
import { history } from "./histories.ts";
import { breakdownOf } from "./model.ts";
import { playHistory } from "./played-history.ts";
import { parametersOf, question, scopeOf } from "./questions.ts";
import { DIMENSION_NAMES } from "../support/dimension-rows.ts";
import { VISIT_DIMENSION_NAMES } from "./filter-model.ts";
import { PROPERTY_TIMEOUT_MS, runsOf, type Runs } from "./settings.ts";

const LIMIT_DEFAULT = 10;
const MINUTE_MS = 60_000;

const DIMENSIONS = [...DIMENSION_NAMES, ...VISIT_DIMENSION_NAMES];

/** Each dimension gets its own random range and filter. */
const questions = fc.array(fc.record({ asked: question, limit: fc.constantFrom(null, 1, 2, 10, 1000) }), {
  minLength: DIMENSIONS.length,
  maxLength: DIMENSIONS.length,
});

/** Visitors of the histories are the same for ever. */
const ENDLESS_IDS = { SVC_VISITOR_SALT_ROTATION_DAYS: "3650" };

export function describeBreakdowns(makeTarget: MakeInProcessTarget, runs: Runs): void {
  describe("the breakdown", () => {
    it(
      "a breakdown equals the model for every dimension",
      async () => {
        const holds = fc.asyncProperty(history, questions, async (past, list) => {
          const { events, expectAnswer, close } = await playHistory(makeTarget, past, ENDLESS_IDS);
          for (const [i, { asked, limit }] of list.entries()) {
            const dimension = DIMENSIONS[i] ?? "pages";
            const parameters = { ...parametersOf(asked, past.nowMs), ...(limit !== null && { limit: String(limit) }) };
            const scope = { ...scopeOf(asked, past), sessionGapMs: past.sessionWindowMinutes * MINUTE_MS };
            const rows = breakdownOf(events, scope, dimension, limit ?? LIMIT_DEFAULT);
            await expectAnswer(`breakdown/${dimension}`, parameters, rows);
          }
          await close();
        });
        // Fewer, because each has a query for every dimension.
        await fc.assert(holds, runsOf(runs, 3));
      },
      PROPERTY_TIMEOUT_MS,
    );
  });
}
