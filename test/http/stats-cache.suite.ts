/** The result cache (docs/http-api.md, "Caching"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getBreakdown, getMain, getStats, record, wireEvent, type StatsParameters } from "../support/requests.ts";
import { FILTERED_ENDPOINTS, eventWithProps, getPropertyValues, getRealtime, getStatsText, visitor } from "../support/stats-requests.ts";
import { able, itNeeds, siteNames, type AbleTarget, type Environment, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("cache");

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

const CACHED_ENDPOINTS = FILTERED_ENDPOINTS.filter(([endpoint]) => endpoint !== "realtime");

/** Events of a visitor that every endpoint's answer tells of. */
async function recordAnything(target: Target, siteId: string): Promise<void> {
  await record(target, eventWithProps(siteId, { plan: "pro" }, { n: "Purchase", ra: 1, rc: "EUR" }), visitor(1));
  for (const u of ["/", "/next"]) await record(target, wireEvent(siteId, { u }), visitor(1));
}

export function describeStatsCache(makeTarget: MakeTarget): void {
  async function clockedTarget(environment: Environment): Promise<AbleTarget<"advance">> {
    const target = await makeTarget({ SVC_TRUST_PROXY: "1", ...environment });
    return { ...target, advance: able(target, "advance") };
  }

  describe("result cache", () => {
    let target: Target;
    beforeAll(async () => {
      // Long enough for the cases that cannot move the clock.
      target = await makeTarget({ SVC_CACHE_TTL_SECS: "86400", SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    const events = async (site: string, parameters: StatsParameters = {}): Promise<number> =>
      (await getMain(target, site, parameters)).total_events;

    it.each(CACHED_ENDPOINTS)("/api/stats/%s returns the cached result within the ttl", async (endpoint, parameters) => {
      const site = siteName();
      const ask = () => getStatsText(target, endpoint, { site_id: site, ...parameters });
      await record(target, wireEvent(site));
      const first = await ask();
      await recordAnything(target, site);
      expect(await ask()).toBe(first);
      // What was not asked yet is answered with what there is now.
      const asked = await getStatsText(target, endpoint, { site_id: site, ...parameters, filters: "pages!=/nowhere" });
      expect(asked).not.toBe(first);
    });

    it("realtime is never cached", async () => {
      const site = siteName();
      for (const count of [1, 2, 3]) {
        await record(target, wireEvent(site), visitor(count));
        expect(await getRealtime(target, site)).toMatchObject({ current_visitors: count, pageviews: count });
      }
    });

    it("results are cached by the set of conditions: order and repetition do not matter", async () => {
      const site = siteName();
      expect(await events(site, { filters: "pages==/a;events==pageview" })).toBe(0);
      await record(target, wireEvent(site, { u: "/a" }));
      for (const filters of ["pages==/a;events==pageview", "events==pageview;pages==/a", "events==pageview;pages==/a;events==pageview"]) {
        expect(await events(site, { filters })).toBe(0);
      }
      for (const filters of ["pages==/a", "pages==/a;events!=Signup", "pages==/a;events==pageview;os!=Linux"]) {
        expect(await events(site, { filters })).toBe(1);
      }
    });

    it("the same days requested by period or by dates share one result", async () => {
      const site = siteName();
      const today = new Date(target.nowMs()).toISOString().slice(0, 10);
      expect(await events(site, { start_date: today, end_date: today })).toBe(0);
      await record(target, wireEvent(site));
      const asked = await events(site, { start_date: today, end_date: today, period: "7d" });
      expect(asked).toBe(0);
      expect(await getBreakdown(target, site, "pages")).toHaveLength(1);
      await record(target, wireEvent(site, { u: "/other" }));
      expect(await getBreakdown(target, site, "pages", { limit: "10" })).toHaveLength(1);
    });

    it("similar queries never share a result", async () => {
      const prefix = siteName();
      // Each site has as many events as its place in the list says.
      const sites = [prefix, `${prefix}:`, `${prefix}:main`, `${prefix}:main:2026-01-01`, `${prefix}-`, prefix.toUpperCase()];
      for (const [i, site] of sites.entries()) {
        for (let event = 0; event <= i; event++) await record(target, wireEvent(site, { u: `/${event}` }));
      }
      for (let round = 0; round < 2; round++) {
        for (const [i, site] of sites.entries()) {
          expect(await events(site)).toBe(i + 1);
          expect(await getBreakdown(target, site, "pages", { limit: "1000" })).toHaveLength(i + 1);
          expect(await getBreakdown(target, site, "pages", { limit: "1" })).toHaveLength(1);
          expect(await getBreakdown(target, site, "events")).toEqual([{ value: "pageview", visitors: 1, pageviews: i + 1, events: i + 1 }]);
        }
      }
    });

    it("filters that concatenate to the same string have separate results", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { n: 'x"],["pages==/' }));
      await record(target, wireEvent(site, { n: "x,pages==/" }));
      await record(target, wireEvent(site, { n: "x" }));
      for (let round = 0; round < 2; round++) {
        expect(await events(site, { filters: "events==x;pages==/" })).toBe(1);
        expect(await events(site, { filters: "events==x,pages==/" })).toBe(1);
        expect(await events(site, { filters: 'events==x"],["pages==/' })).toBe(1);
        expect(await events(site, { filters: "events==x" })).toBe(1);
        expect(await events(site, { filters: "events!=x" })).toBe(2);
        expect(await events(site)).toBe(3);
      }
    });

    it("a property key and an event name that concatenate to the same string have separate results", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { a: "1", b: "2" }, { n: "b" }));
      await record(target, eventWithProps(site, { b: "3" }, { n: "a" }));
      await record(target, eventWithProps(site, { b: "4" }, { n: "null" }));
      const values = async (key: string, parameters: StatsParameters = {}) =>
        (await getPropertyValues(target, site, key, parameters)).map(({ value }) => value);
      for (let round = 0; round < 2; round++) {
        expect(await values("a", { event: "b" })).toEqual(["1"]);
        expect(await values("b", { event: "a" })).toEqual(["3"]);
        expect(await values("b", { event: "null" })).toEqual(["4"]);
        expect(await values("b")).toEqual(["2", "3", "4"]);
        expect(await values("b", { event: "" })).toEqual([]);
      }
    });

    it("each value of compare has its own cached result", async () => {
      const site = siteName();
      await record(target, wireEvent(site));
      for (let round = 0; round < 2; round++) {
        expect(Object.keys(await getMain(target, site, { period: "7d" }))).not.toContain("comparison");
        for (const compare of ["previous_period", "year_over_year"]) {
          const { comparison } = await getStats<{ comparison: { start_date: string; end_date: string } }>(target, "main", {
            site_id: site,
            start_date: "2026-01-02",
            end_date: "2026-01-02",
            compare,
          });
          const day = compare === "previous_period" ? "2026-01-01" : "2025-01-02";
          expect(comparison).toMatchObject({ start_date: day, end_date: day });
        }
      }
    });

    it("with a ttl of 0 no result is cached", async () => {
      const fresh = await makeTarget({ SVC_CACHE_TTL_SECS: "0" });
      const site = siteName();
      for (const count of [1, 2, 3]) {
        await record(fresh, wireEvent(site));
        expect((await getMain(fresh, site)).total_events).toBe(count);
      }
      await fresh.close();
    });

    it("beyond cache_max_entries the least recently used result is evicted", async () => {
      const small = await makeTarget({ SVC_CACHE_TTL_SECS: "86400", SVC_CACHE_MAX_ENTRIES: "2" });
      const site = siteName();
      const [first, second, third] = ["day", "7d", "30d"];
      const count = async (period = "") => (await getMain(small, site, { period })).total_events;
      expect([await count(first), await count(second), await count(first), await count(third)]).toEqual([0, 0, 0, 0]);
      await record(small, wireEvent(site));
      // The second was used least recently when the third came.
      expect([await count(first), await count(third)]).toEqual([0, 0]);
      expect(await count(second)).toBe(1);
      // Which took the place of the first.
      expect([await count(third), await count(second), await count(first)]).toEqual([0, 1, 1]);
      await small.close();
    });

    itNeeds(makeTarget, "advance", "a cached result is returned for cache_ttl_secs and not a millisecond longer", async () => {
      const clocked = await clockedTarget({ SVC_CACHE_TTL_SECS: "60" });
      for (const [endpoint, parameters] of CACHED_ENDPOINTS) {
        const site = siteName();
        const ask = () => getStatsText(clocked, endpoint, { site_id: site, ...parameters });
        const first = await ask();
        await recordAnything(clocked, site);
        await clocked.advance(30 * SECOND_MS);
        expect(await ask(), endpoint).toBe(first);
        // Being asked for does not make it younger.
        await clocked.advance(30 * SECOND_MS - 1);
        expect(await ask(), endpoint).toBe(first);
        await clocked.advance(1);
        expect(await ask(), endpoint).not.toBe(first);
      }
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "a result of yesterday's period is not returned on a new day, even within the ttl", async () => {
      const clocked = await clockedTarget({ SVC_CACHE_TTL_SECS: "60", SVC_VISITOR_SALT_ROTATION_DAYS: "3650" });
      const site = siteName();
      const count = async (period: string) => (await getMain(clocked, site, { period })).total_events;
      await clocked.advance(12 * HOUR_MS - 1);
      await record(clocked, wireEvent(site));
      expect([await count("today"), await count("7d")]).toEqual([1, 1]);
      await clocked.advance(1);
      await record(clocked, wireEvent(site));
      await record(clocked, wireEvent(site));
      expect([await count("today"), await count("7d")]).toEqual([2, 3]);
      await clocked.close();
    });
  });
}
