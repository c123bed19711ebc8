/** Overview of all sites (docs/http-api.md, "Overview"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, CLOSED, logIn, ofItsOwn, postKey, withKey, type CreatedKey } from "../support/auth-requests.ts";
import { addItem, askCollection } from "../support/collections.ts";
import { expectError, getStats, record, wireEvent, type RequestHeaders, type StatsParameters } from "../support/requests.ts";
import { askStats, getRealtime, visitor } from "../support/stats-requests.ts";
import { able, itNeeds, type AbleTarget, type Environment, type MakeTarget, type Target } from "../support/target.ts";

interface OverviewSite {
  readonly site_id: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly current_visitors: number;
  readonly visitors: number;
  readonly previous_visitors: number;
  readonly series: readonly number[];
}

interface MainFigures {
  readonly unique_visitors: number;
  readonly comparison: { readonly unique_visitors: number };
}

interface Overview {
  readonly total: number;
  readonly sites: readonly OverviewSite[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

const SITES = ["a.test", "b.test", "c.test"];

const getOverview = (target: Target, parameters: StatsParameters = {}): Promise<Overview> => getStats(target, "overview", parameters);

const datesBefore = (day: string, days: number): string => new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);

/** The same figures by the reports of one site. */
async function figuresOf(target: Target, { site_id, start_date, end_date, series }: OverviewSite): Promise<Partial<OverviewSite>> {
  const days = Math.round((Date.parse(end_date) - Date.parse(start_date)) / DAY_MS) + 1;
  const range = { site_id, start_date, end_date };
  const offsetDays = 7 * Math.ceil(days / 7);
  const main = await getStats<MainFigures>(target, "main", {
    ...range,
    compare: "custom",
    compare_start_date: datesBefore(start_date, offsetDays),
    compare_end_date: datesBefore(end_date, offsetDays),
    compare_same_time: "true",
  });
  const points = await getStats<{ visitors: number }[]>(target, "timeseries", {
    ...range,
    interval: series.length === days ? "day" : "hour",
  });
  return {
    current_visitors: (await getRealtime(target, site_id)).current_visitors,
    visitors: main.unique_visitors,
    previous_visitors: main.comparison.unique_visitors,
    series: points.map(({ visitors }) => visitors),
  };
}

export function describeStatsOverview(makeTarget: MakeTarget): void {
  /** A service of its own, whose clock starts at noon to the millisecond. */
  async function clockedTarget(environment: Environment = {}): Promise<AbleTarget<"advance">> {
    const target = await makeTarget({ SVC_TRUST_PROXY: "1", ...environment });
    return { ...target, advance: able(target, "advance") };
  }

  describe("overview", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1", SVC_MAX_CONCURRENT_QUERIES: "1" });
      for (const site of SITES) await record(target, wireEvent(site, { u: "/" }), visitor(1));
      await record(target, wireEvent("b.test", { u: "/" }), visitor(2));
    });
    afterAll(() => target.close());

    it("lists all sites by ascending id with the metrics of their range, all in the only query slot", async () => {
      const { total, sites } = await getOverview(target);
      expect(total).toBe(3);
      expect(sites.map(({ site_id, visitors, current_visitors }) => [site_id, visitors, current_visitors])).toEqual([
        ["a.test", 1, 1],
        ["b.test", 2, 2],
        ["c.test", 1, 1],
      ]);
      for (const site of sites) {
        expect(site).toMatchObject({ name: null, time_zone: "UTC", previous_visitors: 0 });
        expect(site.series).toEqual([...Array.from({ length: 29 }, () => 0), site.visitors]);
      }
    });

    it('"limit" and "after" page through the sites, of which "total" counts all', async () => {
      const first = await getOverview(target, { limit: "2" });
      expect([first.total, first.sites.map(({ site_id }) => site_id)]).toEqual([3, ["a.test", "b.test"]]);
      const next = await getOverview(target, { limit: "2", after: "b.test" });
      expect([next.total, next.sites.map(({ site_id }) => site_id)]).toEqual([3, ["c.test"]]);
      expect((await getOverview(target, { after: "z" })).sites).toEqual([]);
    });

    it("refuses a limit out of bounds, an invalid site id, and dates that do not form a range", async () => {
      const ask = (parameters: StatsParameters) => askStats(target, "overview", parameters);
      await expectError(await ask({ limit: "1001" }), 400, '"limit" must be an integer from 1 to 1000');
      await expectError(await ask({ after: "no site" }), 400, /^"after" must be 1 to /);
      await expectError(await ask({ period: "1y" }), 400, '"period" must be one of day, today, 7d, 30d, 90d, 6mo, 12mo, month, year');
      await expectError(await ask({ period: "all" }), 400, '"period" must be one of day,');
      await expectError(await ask({ start_date: "2026-03-01" }), 400, '"end_date" is required when "start_date" is given');
    });
  });

  describe("overview of sites with rules", () => {
    it("leaves out what the applied rules of each site do, until they are taken back", async () => {
      const closed = await makeTarget(ofItsOwn({ ...CLOSED, SVC_TRUST_PROXY: "1" }));
      const session = await logIn(closed);
      const target: Target = {
        ...closed,
        fetch: (path, init = {}) => closed.fetch(path, { ...init, headers: { ...init.headers, ...session } }),
      };
      for (const site of SITES) await record(target, wireEvent(site, { u: "/" }), visitor(1));
      for (const id of [2, 3]) await record(target, wireEvent("b.test", { u: "/wave" }), visitor(id));
      const figures = async () => [
        ...(await getOverview(target, { period: "day" })).sites,
        ...(await getOverview(target, { period: "7d" })).sites,
      ];
      const visitorsOf = (rows: readonly OverviewSite[]) => rows.map(({ visitors, current_visitors }) => [visitors, current_visitors]);
      const before = await figures();
      const all = [1, 3, 1].map((count) => [count, count]);
      expect(visitorsOf(before)).toEqual([...all, ...all]);
      const fields = { name: "One page", filters: "pages==/wave" };
      const { id } = await addItem(target, "rules", "b.test", session, fields);
      const applied = await figures();
      const rest = [1, 1, 1].map((count) => [count, count]);
      expect(visitorsOf(applied)).toEqual([...rest, ...rest]);
      for (const site of applied) expect(site).toMatchObject(await figuresOf(target, site));
      await bodyOf(await askCollection(target, "rules", "b.test", session, { method: "PUT", id, body: { ...fields, is_applied: false } }));
      expect(await figures()).toEqual(before);
      await closed.close();
    });
  });

  describe("overview of a caller with a limited key", () => {
    it("contains the rows of its sites, equal to those of the administrator, and counts no others", async () => {
      const target = await makeTarget(ofItsOwn({ ...CLOSED, SVC_TRUST_PROXY: "1" }));
      const session = await logIn(target);
      for (const site of SITES) await record(target, wireEvent(site, { u: "/" }), visitor(1));
      await record(target, wireEvent("c.test", { u: "/" }), visitor(2));
      const overviewOf = async (headers: RequestHeaders, query = "") =>
        bodyOf<Overview>(await target.fetch(`/api/stats/overview?period=7d${query}`, { headers }));
      const all = await overviewOf(session);
      expect(all.sites.map(({ site_id, visitors }) => [site_id, visitors])).toEqual([
        ["a.test", 1],
        ["b.test", 1],
        ["c.test", 2],
      ]);
      const rowsOf = (...ids: string[]) => all.sites.filter(({ site_id }) => ids.includes(site_id));
      const keyFor = async (scope: string, ...sites: string[]) =>
        withKey((await bodyOf<CreatedKey>(await postKey(target, session, { name: "some", scope, sites }), 201)).key);
      for (const scope of ["ReadOnly", "Admin"]) {
        const key = await keyFor(scope, "a.test", "c.test", "never-seen.test");
        expect(await overviewOf(key)).toEqual({ total: 2, sites: rowsOf("a.test", "c.test") });
        expect(await overviewOf(key, "&limit=1")).toEqual({ total: 2, sites: rowsOf("a.test") });
        expect(await overviewOf(key, "&after=a.test")).toEqual({ total: 2, sites: rowsOf("c.test") });
        expect(await overviewOf(await keyFor(scope, "never-seen.test"))).toEqual({ total: 0, sites: [] });
      }
      await target.close();
    });
  });

  describe("overview over time", () => {
    for (const rotationDays of ["1", "3"]) {
      itNeeds(
        makeTarget,
        "advance",
        `equals the reports of each site for all periods, with visitor ids that last ${rotationDays} days`,
        async () => {
          const target = await clockedTarget({ SVC_VISITOR_SALT_ROTATION_DAYS: rotationDays });
          for (const hours of [0, 5, 16, 3, 24, 30, 19, 50, 5, 40]) {
            await target.advance(hours * HOUR_MS);
            await record(target, wireEvent("a.test", { u: "/" }), visitor(1 + (hours % 3)));
            await record(target, wireEvent(hours % 2 === 0 ? "b.test" : "c.test", { u: "/" }), visitor(2));
            await record(target, wireEvent("b.test", { u: "/" }), visitor(3));
          }
          await target.advance(3 * MINUTE_MS);
          await record(target, wireEvent("c.test", { u: "/" }), visitor(4));
          for (const period of ["day", "7d", "30d"]) {
            const { sites } = await getOverview(target, { period });
            expect(sites).toHaveLength(3);
            for (const site of sites) expect(site, `${site.site_id}, ${period}`).toMatchObject(await figuresOf(target, site));
          }
          await target.close();
        },
      );
    }

    itNeeds(makeTarget, "advance", "counts the day that corresponds to today until the same minute, as time passes", async () => {
      const target = await clockedTarget();
      await record(target, wireEvent("a.test", { u: "/" }), visitor(1));
      await target.advance(HOUR_MS);
      await record(target, wireEvent("a.test", { u: "/" }), visitor(2));
      await target.advance(WEEK_MS - HOUR_MS);
      const previous = async () => (await getOverview(target, { period: "day" })).sites[0]?.previous_visitors;
      expect(await previous()).toBe(0);
      await target.advance(MINUTE_MS);
      expect(await previous()).toBe(1);
      await target.advance(HOUR_MS);
      expect(await previous()).toBe(2);
      await target.close();
    });

    itNeeds(makeTarget, "advance", "visitors are current for five minutes, and new events count at once", async () => {
      const target = await clockedTarget();
      const current = async () => (await getOverview(target)).sites.map(({ current_visitors }) => current_visitors);
      await record(target, wireEvent("a.test", { u: "/" }), visitor(1));
      await record(target, wireEvent("b.test", { u: "/" }), visitor(1));
      expect(await current()).toEqual([1, 1]);
      await target.advance(3 * MINUTE_MS);
      await record(target, wireEvent("b.test", { u: "/" }), visitor(2));
      expect(await current()).toEqual([1, 2]);
      await target.advance(2 * MINUTE_MS + 1);
      expect(await current()).toEqual([0, 1]);
      await target.advance(3 * MINUTE_MS);
      expect(await current()).toEqual([0, 0]);
      await target.close();
    });
  });
}
