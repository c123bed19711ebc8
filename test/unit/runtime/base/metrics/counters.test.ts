/** What one instance has counted, handed over to another. */
import { expect, it } from "vitest";
import { EventOutcomes } from "../../../../../src/runtime/ingest/event-outcomes.ts";
import { takeFromBoth, createRateLimit, type RateVerdict } from "../../../../../src/runtime/base/rate-limit.ts";
import {
  addActivity,
  createCounters,
  Histogram,
  RequestMetrics,
  RollupDays,
  takeActivity,
} from "../../../../../src/runtime/base/metrics/metrics.ts";
import { siteId } from "../../../../support/stored-event.ts";

const instance = () => ({
  counters: createCounters(),
  requests: new RequestMetrics(),
  flush: { durations: new Histogram() },
  eventOutcomes: new EventOutcomes({ hasAllowlist: false, startedAtMs: 0 }),
});

it("counters: activity that is handed over counts once, and restarts from zero", () => {
  const [site, registry] = [instance(), instance()];
  for (let i = 0; i < 2; i++) {
    site.counters.eventsIngested += 3;
    site.requests.note("POST /api/event", 202, 4);
    site.flush.durations.observe(20);
    site.eventOutcomes.note("one.test", "accepted", 100 + i);
    addActivity(registry, takeActivity(site));
  }
  addActivity(registry, takeActivity(site));
  expect(registry.counters.eventsIngested).toBe(6);
  expect(registry.requests.countSamples).toEqual([{ labels: { method: "POST", route: "/api/event", status: "2xx" }, value: 2 }]);
  expect(registry.flush.durations.count).toBe(2);
  expect(registry.eventOutcomes.of("one.test")).toEqual([{ name: "one.test", outcome: "accepted", count: 2, latestMs: 101 }]);
  expect(site.counters).toEqual(createCounters());
});

it("rate limits: a limit kept by another instance takes no token of the own one when it refuses", async () => {
  const own = createRateLimit({ perSecond: 1, bucketsMax: 10 });
  const refused: RateVerdict = { allowed: false, retryAfterSecs: 7 };
  const remote = (verdict: RateVerdict) => ({ key: "1.2.3.4", limit: { peek: async () => verdict, take: async () => verdict } });
  const claim = { limit: own, key: "one.test" };
  expect(await takeFromBoth(claim, remote(refused), 0)).toEqual(refused);
  expect(await takeFromBoth(claim, remote({ allowed: true }), 0)).toEqual({ allowed: true });
  expect(await takeFromBoth(claim, remote({ allowed: true }), 0)).toEqual({ allowed: false, retryAfterSecs: 1 });
  expect(await takeFromBoth(claim, remote(refused), 0)).toEqual(refused);
});

const [A, B] = [siteId("a.test"), siteId("b.test")];

it("rollup days are the sums over all sites of the latest numbers of each", () => {
  const days = new RollupDays();
  expect(days.total).toEqual({ stored: 0, stale: 0, missing: 0 });
  days.note(A, { stored: 1, stale: 2, missing: 30 });
  days.note(B, { stored: 5, stale: 0, missing: 1 });
  days.note(A, { stored: 33, stale: 0, missing: 0 });
  expect(days.total).toEqual({ stored: 38, stale: 0, missing: 1 });
  days.note(A, { stored: 0, stale: 0, missing: 0 });
  expect(days.total).toEqual({ stored: 5, stale: 0, missing: 1 });
});
