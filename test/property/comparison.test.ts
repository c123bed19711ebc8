/**
 * A comparison with a custom window equals the model, also where the window is cut at the present time of day: for salt periods of one
 * and more days, with filters, whether its days come from rollups or from events. So do those of goals and of revenue.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { ROLLUP_CACHE } from "../../src/runtime/base/config/report-limits.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { makeDueRollups } from "../support/due-rollups.ts";
import { history, withPeriods, type History } from "./histories.ts";
import { comparedGoalsOf, comparedRevenueOf, customMainOf, dayOf, dayPlus, type CustomWindow } from "./model.ts";
import { parametersOf, question, scopeOf, type Question } from "./questions.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";

const MINUTE_MS = 60_000;

/** Each run makes rollups of all its days. */
const RUNS = Math.max(8, Math.ceil(PROPERTY_RUNS / 4));

const PERIOD_DAYS = [1, 1, 2, 7, 30] as const;

interface Compared {
  readonly endDaysBack: number;
  readonly dayCount: number;
  readonly isSameTime: boolean;
}

const compared: fc.Arbitrary<Compared> = fc.record({
  endDaysBack: fc.oneof(fc.integer({ min: -1, max: 3 }), fc.integer({ min: 0, max: 45 }), fc.constantFrom(364, 365)),
  dayCount: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 60 }), fc.constantFrom(365, 366)),
  isSameTime: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});

const asked = fc.array(fc.record({ about: question, compared }), { minLength: 6, maxLength: 12 });

/** Of all histories: without rollups, the test would say less. */
let totalsFromRollups = 0;

async function playWithRollups(past: History, rotationDays: number): Promise<InProcessTarget> {
  const objects = createMemoryObjectStore();
  const calculator = createInlineRollupCalculator(objects, ROLLUP_CACHE);
  const target = await createInProcessTarget(
    {
      SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays),
      SVC_SESSION_WINDOW_MINUTES: String(past.sessionWindowMinutes),
      SVC_MAX_CONCURRENT_QUERIES: "0",
    },
    {
      objects,
      rollupWeightBytesMin: 0,
      rollupCalculator: {
        ...calculator,
        rows(measure, rollups) {
          if (rollups.length > 0) totalsFromRollups++;
          return calculator.rows(measure, rollups);
        },
      },
    },
  );
  await target.advance(past.nowMs - target.nowMs());
  // Some of the events come after the rollups of their days.
  const middle = Math.floor(past.steps.length / 2);
  for (const [i, { events, afterwards }] of past.steps.entries()) {
    await Promise.all(events.map((event) => target.services.eventStore.append(event)));
    if (afterwards.endsWith("flush") || i === middle) await target.flush();
    if (i === middle) await makeDueRollups(target);
  }
  return target;
}

const windowOf = ({ endDaysBack, dayCount, isSameTime }: Compared, nowMs: number): CustomWindow => {
  const lastDay = dayPlus(dayOf(nowMs), -endDaysBack);
  return { firstDay: dayPlus(lastDay, 1 - dayCount), lastDay, isSameTime };
};

async function check(target: InProcessTarget, past: History, about: Question, window: CustomWindow): Promise<void> {
  const parameters = {
    ...parametersOf(about, past.nowMs),
    compare: "custom",
    compare_start_date: window.firstDay,
    compare_end_date: window.lastDay,
    compare_same_time: String(window.isSameTime),
  };
  const events = past.steps.flatMap((step) => step.events);
  const scope = scopeOf(about, past);
  const gapMs = past.sessionWindowMinutes * MINUTE_MS;
  const expectAnswer = async (report: string, own: Readonly<Record<string, string>>, body: unknown) => {
    const path = `/api/stats/${report}?${new URLSearchParams({ ...parameters, ...own }).toString()}`;
    const response = await target.fetch(path);
    expect({ path, status: response.status, body: await response.json() }).toEqual({ path, status: 200, body });
  };
  await expectAnswer("main", {}, customMainOf(events, scope, gapMs, window, past.nowMs));
  await expectAnswer("goals", { include: "comparison" }, comparedGoalsOf(events, scope, window, past.nowMs));
  await expectAnswer("revenue", { include: "comparison" }, comparedRevenueOf(events, scope, window, past.nowMs));
}

describe("a comparison with a custom window", () => {
  it(
    "a comparison with a custom window equals the model, whole or cut at the current time of day",
    async () => {
      const holds = fc.asyncProperty(history, fc.constantFrom(...PERIOD_DAYS), asked, async (drawn, rotationDays, questions) => {
        const past = withPeriods(drawn, rotationDays);
        const target = await playWithRollups(past, rotationDays);
        for (const { about, compared: chosen } of questions) {
          const window = windowOf(chosen, past.nowMs);
          await check(target, past, about, window);
          await check(target, past, { ...about, conditions: [] }, window);
        }
        await target.close();
      });
      await fc.assert(holds, { numRuns: RUNS });
      expect(totalsFromRollups).toBeGreaterThan(RUNS);
    },
    PROPERTY_TIMEOUT_MS,
  );
});
