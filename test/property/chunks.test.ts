/** Every endpoint gives the same response for a range whether or not it fits into the engine's memory, also between flushes and erasures. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DIMENSIONS } from "../../src/runtime/query/filters.ts";
import type { LocalDate, SiteId } from "../../src/storage/event.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { SITES, history, withPeriods, type History } from "./histories.ts";
import { dayOf, dayPlus } from "./model.ts";
import { parametersOf, question, type Question } from "./questions.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";

/** Each run sends many requests to two services, several times. */
const RUNS = Math.ceil(PROPERTY_RUNS / 10);

/** Every endpoint that reads events, with the parameters it needs besides site, days and filter. */
const ENDPOINTS: readonly (readonly [endpoint: string, parameters: Readonly<Record<string, string>>])[] = [
  ["main", {}],
  ["main", { compare: "previous_period" }],
  ["timeseries", {}],
  ["session-timeseries", {}],
  ["timeseries", { interval: "week" }],
  ["timeseries", { interval: "month" }],
  ["session-timeseries", { interval: "month" }],
  ...DIMENSIONS.map((dimension) => [`breakdown/${dimension}`, {}] as const),
  ["breakdown/entry-pages", { limit: "2" }],
  ["breakdown/exit-pages", {}],
  ["realtime", {}],
  ["realtime", { minutes: "30" }],
  ["goals", {}],
  ["properties", {}],
  ["property-values", { key: "plan" }],
  ["property-values", { key: "a", event: "Signup" }],
  ["revenue", {}],
  ["sessions", {}],
  ["funnel", { steps: "page:/*,event:Signup,page:/a", window: "30 minutes" }],
  ["funnel", { steps: "page:/,page:/a", modes: "strict_order,strict_once" }],
  ["sequences", { steps: "page:/*,page:/a" }],
  ["sequences", { pattern: "(?1).*(?t<=60)(?2)", conditions: "page:/*,event:Signup" }],
  ["retention", { weeks: "4" }],
  ["flow", { page: "/*" }],
  ["flow", { page: "/a", direction: "backward" }],
  ["flow", { page: "/*", repeats: "skip", with_ends: "true" }],
  ["export", { kind: "daily" }],
  ["export", { kind: "daily", format: "json" }],
  ["export", { kind: "raw" }],
  ["export", { kind: "raw", format: "json", limit: "7" }],
];

/** In megabytes: nothing fits, a day or so, some days. A small day's file has about four kilobytes. */
const MEMORIES = [0, 0.02, 0.1, 0.4] as const;

const PERIOD_DAYS = [1, 2, 7, 30] as const;

interface Asked {
  readonly endpoint: number;
  readonly about: Question;
}

/** What happens after each step of the history. */
const turn = fc.record({
  asked: fc.array(fc.record({ endpoint: fc.nat({ max: ENDPOINTS.length - 1 }), about: question }), { minLength: 4, maxLength: 8 }),
  erased: fc.option(fc.record({ daysBack: fc.nat({ max: 40 }), days: fc.nat({ max: 3 }) }), { freq: 4, nil: null }),
});

const turns = fc.array(turn, { minLength: 4, maxLength: 4 });

async function answerOf(target: InProcessTarget, { endpoint, about }: Asked): Promise<{ path: string; status: number; body: string }> {
  const [name, parameters] = ENDPOINTS[endpoint] ?? ["main", {}];
  const path = `/api/stats/${name}?${new URLSearchParams({ ...parametersOf(about, target.nowMs()), ...parameters }).toString()}`;
  const response = await target.fetch(path);
  return { path, status: response.status, body: await response.text() };
}

/** Two services that are told and asked the same. */
async function twins(past: History, rotationDays: number, engineMemoryMb: number) {
  const environment = {
    SVC_VISITOR_SALT_ROTATION_DAYS: String(rotationDays),
    SVC_SESSION_WINDOW_MINUTES: String(past.sessionWindowMinutes),
    SVC_REALTIME_WINDOW_MINUTES: String(past.realtimeWindowMinutes),
    SVC_MAX_CONCURRENT_QUERIES: "0",
  };
  const ample = await createInProcessTarget(environment);
  const tight = await createInProcessTarget(environment, { engineMemoryMb });
  const both = async <T>(task: (target: InProcessTarget) => Promise<T>): Promise<[T, T]> => [await task(ample), await task(tight)];
  await both((target) => target.advance(past.nowMs - target.nowMs()));
  return { ample, tight, both };
}

describe("a range larger than the engine's memory", () => {
  it(
    "a range larger than the engine's memory gives the same responses as with enough memory, while events arrive, are flushed and are erased",
    async () => {
      const holds = fc.asyncProperty(
        history,
        turns,
        fc.constantFrom(...PERIOD_DAYS),
        fc.constantFrom(...MEMORIES),
        async (drawn, then, rotationDays, memory) => {
          const past = withPeriods(drawn, rotationDays);
          const { ample, tight, both } = await twins(past, rotationDays, memory);
          const before: Asked[] = [];
          for (const [i, { events, afterwards }] of past.steps.entries()) {
            await both((target) => Promise.all(events.map((event) => target.services.eventStore.append(event))));
            if (afterwards.endsWith("flush")) await both((target) => target.flush());
            const { asked = [], erased = null } = then[i] ?? {};
            if (erased) {
              const first = dayPlus(dayOf(past.nowMs), -erased.daysBack) as string as LocalDate;
              const last = dayPlus(first, erased.days) as string as LocalDate;
              await both((target) => target.services.erasure.erase(SITES[0] as string as SiteId, first, last));
            }
            const questions = [...asked, ...before];
            before.push(...asked);
            const expected = [];
            for (const one of questions) expected.push(await answerOf(ample, one));
            // All at once, so that they meet.
            const found = await Promise.all(questions.map((one) => answerOf(tight, one)));
            expect(found).toEqual(expected);
            for (const { status } of expected) expect(status).toBe(200);
          }
          await both((target) => target.close());
        },
      );
      await fc.assert(holds, { numRuns: RUNS });
    },
    PROPERTY_TIMEOUT_MS,
  );
});
