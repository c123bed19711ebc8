/** Results of plans that are reused while their events are the same: if versions of days are known, and if not. */
import { describe, expect, it } from "vitest";
import type { QueryEngine, ReportQuery } from "../../../../src/runtime/query/query-engine.ts";
import { UnchangedResults, type NumbersPlan } from "../../../../src/runtime/results/unchanged-results.ts";
import { rangeOfDays } from "../../../../src/runtime/query/date-range.ts";
import { numberIn, sql } from "../../../../src/runtime/query/sql.ts";
import { UTC_RECORD } from "../../../../src/storage/calendar.ts";
import type { LocalDate, SiteId } from "../../../../src/storage/event.ts";
import { createDeferred } from "../../../support/deferred.ts";

const SITE = "a.test" as SiteId;
const DAY = "2026-03-15" as LocalDate;
const TTL_SECS = 60;
const NO_END = new AbortController().signal;

const PLAN: NumbersPlan = {
  siteId: SITE,
  range: rangeOfDays(DAY, DAY),
  name: "visitors",
  queries: [{ keys: [], counts: ["visitors"], partial: () => sql`SELECT 1` }],
  toNumbers: ([row] = []) => Float64Array.of(numberIn(row, "visitors")),
};

const QUERY: ReportQuery = {
  ...{ name: "overview", scope: { siteId: SITE, range: PLAN.range, conditions: [] }, values: {}, nowMs: 0, calendar: UTC_RECORD },
  ...{ weekStart: "monday", goals: [], extension: "unused" },
};

/** With an engine that counts so many visitors. `versionOf`: of the day; null if nothing can tell. */
function createBench(versionOf: (() => string) | null) {
  const state = { visitors: 5, monotonicMs: 0, runs: 0, whileRunning: async (): Promise<void> => {} };
  const engine: Pick<QueryEngine, "execute"> = {
    async execute() {
      state.runs++;
      const { visitors } = state;
      await state.whileRunning();
      return JSON.stringify([visitors]);
    },
  };
  const versionsOf = versionOf && (async () => [{ day: DAY, version: versionOf() }]);
  const results = new UnchangedResults({ engine, versionsOf, ttlSecs: TTL_SECS, monotonicMs: () => state.monotonicMs });
  const ask = async (): Promise<number | undefined> => (await results.run(QUERY, [PLAN], NO_END))[0]?.[0];
  return { state, results, ask };
}

describe("unchanged results", () => {
  it("are computed again if the version of a day changes", async () => {
    let version = "first";
    const { state, ask } = createBench(() => version);
    expect([await ask(), await ask(), state.runs]).toEqual([5, 5, 1]);
    version = "second";
    state.visitors = 7;
    expect([await ask(), await ask(), state.runs]).toEqual([7, 7, 2]);
  });

  it("are reused for the ttl and not a millisecond longer if the backend knows no versions", async () => {
    const { state, ask } = createBench(null);
    await ask();
    state.visitors = 7;
    state.monotonicMs = TTL_SECS * 1000 - 1;
    expect(await ask()).toBe(5);
    state.monotonicMs++;
    expect(await ask()).toBe(7);
  });

  it("are not cached if an erasure has outdated them during the computation", async () => {
    const { state, results, ask } = createBench(null);
    const [begun, goOn] = [createDeferred<void>(), createDeferred<void>()];
    state.whileRunning = async () => {
      begun.resolve();
      await goOn.promise;
    };
    const asking = ask();
    await begun.promise;
    state.visitors = 0;
    results.dropSite(SITE);
    goOn.resolve();
    expect(await asking).toBe(5);
    expect([await ask(), await ask(), state.runs]).toEqual([0, 0, 2]);
  });
});
