/** The common parameters of the stats API, access, and caching headers (docs/http-api.md, "Common parameters"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccepted, expectError, getBreakdown, getMain, getSeries, post, record, wireEvent } from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("parameters");

const ENDPOINTS = ["main", "timeseries", "breakdown/pages"] as const;

const PERIODS = ["day", "today", "7d", "30d", "90d", "6mo", "12mo", "month", "year", "all"];

interface Wrong {
  readonly name: string;
  readonly query: string;
  readonly says: readonly (RegExp | string)[];
}

const dates = (start: string, end: string): string => `site_id=a.test&start_date=${start}&end_date=${end}`;

const WRONG: readonly Wrong[] = [
  { name: "no site_id", query: "", says: ['"site_id"', /required/] },
  { name: "an empty site_id", query: "site_id=", says: ['"site_id"', /must/] },
  { name: "a site_id with a space", query: "site_id=a%20b", says: ['"site_id"', /must/] },
  { name: "a site_id with a slash", query: "site_id=a/b", says: ['"site_id"', /must/] },
  { name: "a site_id beyond ASCII", query: "site_id=m%C3%BCnchen", says: ['"site_id"', /must/] },
  { name: "a site_id with SQL in it", query: "site_id='%20OR%201=1--", says: ['"site_id"', /must/] },
  { name: "a site_id of 257 characters", query: `site_id=${"a".repeat(257)}`, says: ['"site_id"', "256"] },
  { name: "two site_ids", query: "site_id=a.test&site_id=b.test", says: ['"site_id"', /once/] },
  { name: "the same site_id twice", query: "site_id=a.test&site_id=a.test", says: ['"site_id"', /once/] },
  { name: "an unknown period", query: "site_id=a.test&period=1y", says: ['"period"', ...PERIODS] },
  { name: "an empty period", query: "site_id=a.test&period=", says: ['"period"', ...PERIODS] },
  { name: "a period in capitals", query: "site_id=a.test&period=DAY", says: ['"period"', ...PERIODS] },
  { name: "a period that is the name of a method", query: "site_id=a.test&period=toString", says: ['"period"', ...PERIODS] },
  { name: "two periods", query: "site_id=a.test&period=7d&period=30d", says: ['"period"', /once/] },
  { name: "a start_date alone", query: "site_id=a.test&start_date=2026-03-01", says: ['"end_date"', /required/] },
  { name: "an end_date alone", query: "site_id=a.test&end_date=2026-03-01", says: ['"start_date"', /required/] },
  { name: "two start_dates", query: `${dates("2026-03-01", "2026-03-02")}&start_date=2026-03-01`, says: ['"start_date"', /once/] },
  { name: "two end_dates", query: `${dates("2026-03-01", "2026-03-02")}&end_date=2026-03-02`, says: ['"end_date"', /once/] },
  { name: "an end_date before the start_date", query: dates("2026-03-02", "2026-03-01"), says: ['"end_date"', /before/] },
  { name: "a range of 367 days", query: dates("2025-01-01", "2026-01-02"), says: ["366"] },
  { name: "a range of a thousand years", query: dates("1026-01-01", "2026-01-02"), says: ["366"] },
  { name: "a range of 10,001 days by the month", query: `${dates("1998-10-28", "2026-03-15")}&interval=month`, says: ["10000"] },
  { name: "two intervals", query: "site_id=a.test&interval=day&interval=day", says: ['"interval"', /once/] },
  ...[
    "2026-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-04-31",
    "2026-4-1",
    "26-04-01",
    "20260401",
    "01.04.2026",
    "",
    "today",
    "2026-04-01T00:00:00Z",
    "+002026-04-01",
    "%202026-04-01",
    "2026-04-01%00",
  ].flatMap((text): Wrong[] => [
    { name: `a start_date of ${text || "nothing"}`, query: dates(text, "2026-04-01"), says: ['"start_date"', "YYYY-MM-DD"] },
    { name: `an end_date of ${text || "nothing"}`, query: dates("2026-02-01", text), says: ['"end_date"', "YYYY-MM-DD"] },
  ]),
];

export function describeStatsParameters(makeTarget: MakeTarget): void {
  describe("parameters of the stats API", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget();
    });
    afterAll(() => target.close());

    describe.each(ENDPOINTS)("/api/stats/%s", (endpoint) => {
      it.each(WRONG)("$name gives 400", async ({ query, says }) => {
        await expectError(await target.fetch(`/api/stats/${endpoint}?${query}`), 400, ...says);
      });

      it.each(PERIODS)("the period %s is accepted", async (period) => {
        const response = await target.fetch(`/api/stats/${endpoint}?site_id=none.test&period=${period}`);
        expect(response.status).toBe(200);
        await response.text();
      });

      it.each([
        ["one day", "2026-02-28", "2026-02-28"],
        ["a leap day", "2024-02-29", "2024-02-29"],
        ["366 days", "2025-01-01", "2026-01-01"],
        ["days long ago", "0001-01-01", "0001-01-02"],
        ["days to come", "9999-12-30", "9999-12-31"],
      ])("a range of %s is accepted", async (_name, start, end) => {
        const response = await target.fetch(`/api/stats/${endpoint}?${dates(start, end)}`);
        expect(response.status).toBe(200);
        await response.text();
      });

      it.each([
        ["367 days by the day", `${dates("2025-01-01", "2026-01-02")}&interval=day`],
        ["10,000 days by the month", `${dates("1998-10-29", "2026-03-15")}&interval=month`],
        ["367 days in place of all", `${dates("2025-01-01", "2026-01-02")}&period=all`],
      ])("a range of %s is taken", async (_name, query) => {
        const response = await target.fetch(`/api/stats/${endpoint}?${query}`);
        expect(response.status).toBe(200);
        await response.text();
      });

      it("dates override the period", async () => {
        const response = await target.fetch(`/api/stats/${endpoint}?${dates("2026-02-28", "2026-02-28")}&period=12mo`);
        expect(response.status).toBe(200);
        await response.text();
      });

      it("responses are JSON with no-store", async () => {
        const response = await target.fetch(`/api/stats/${endpoint}?site_id=none.test`);
        expect(response.headers.get("content-type")).toBe("application/json");
        expect(response.headers.get("cache-control")).toBe("no-store");
        await response.text();
      });

      it("HEAD gives 200 without a body", async () => {
        const response = await target.fetch(`/api/stats/${endpoint}?site_id=none.test`, { method: "HEAD" });
        expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: "" });
      });

      it.each(["POST", "PUT", "DELETE", "OPTIONS"])("%s gives 405 with Allow", async (method) => {
        const response = await target.fetch(`/api/stats/${endpoint}?site_id=none.test`, { method });
        expect(response.headers.get("allow")).toBe("GET, HEAD");
        await expectError(response, 405, method);
      });
    });

    it("reports without a series ignore any other interval, which allows no longer range", async () => {
      const site = siteName();
      await record(target, wireEvent(site));
      const bodyOf = async (query: string) => (await target.fetch(`/api/stats/main?site_id=${site}${query}`)).text();
      for (const interval of ["year", "", "hour", "minute"]) expect(await bodyOf(`&interval=${interval}`)).toBe(await bodyOf(""));
      await expectError(await target.fetch(`/api/stats/main?${dates("2025-01-01", "2026-01-02")}&interval=year`), 400, "366");
    });

    it("exports take longer ranges with an interval", async () => {
      const response = await target.fetch(`/api/stats/export?${dates("2025-01-01", "2026-01-02")}&interval=day`);
      expect((await response.text()).trim().split("\n")).toHaveLength(1 + 367);
      await expectError(await target.fetch(`/api/stats/export?${dates("2025-01-01", "2026-01-02")}`), 400, "366");
    });

    it("an unknown site has zero counts and empty lists", async () => {
      const site = siteName();
      expect(await getMain(target, site)).toEqual({
        unique_visitors: 0,
        total_pageviews: 0,
        total_events: 0,
        views_per_visitor: 0,
        total_sessions: 0,
        bounce_rate: 0,
        avg_visit_duration_secs: 0,
        views_per_visit: 0,
        behavioral_available: true,
      });
      const series = await getSeries(target, site);
      expect(series).toHaveLength(30);
      expect(series.every(({ visitors, pageviews }) => visitors === 0 && pageviews === 0)).toBe(true);
      expect(await getBreakdown(target, site, "pages")).toEqual([]);
    });

    it("a visitor of two sites counts once for each site", async () => {
      const [first, second] = [siteName(), siteName()];
      await record(target, wireEvent(first, { u: "/first" }));
      await record(target, wireEvent(second, { u: "/second" }));
      await record(target, wireEvent(second, { u: "/second" }));
      expect(await getMain(target, first)).toMatchObject({ unique_visitors: 1, total_events: 1 });
      expect(await getMain(target, second)).toMatchObject({ unique_visitors: 1, total_events: 2 });
      expect(await getBreakdown(target, first, "pages")).toEqual([{ value: "/first", visitors: 1, pageviews: 1, events: 1 }]);
      expect(await getBreakdown(target, second, "pages")).toEqual([{ value: "/second", visitors: 1, pageviews: 2, events: 2 }]);
    });

    it("a site_id that is a prefix of another one does not include its events", async () => {
      const site = siteName();
      await record(target, wireEvent(`${site}.longer`));
      expect((await getMain(target, site)).total_events).toBe(0);
    });
  });

  describe("access to the stats API", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_ADMIN_PASSWORD: "correct horse battery" });
    });
    afterAll(() => target.close());

    it.each(["/api/sites", ...ENDPOINTS.map((endpoint) => `/api/stats/${endpoint}?site_id=a.test`)])(
      "with an admin password %s gives 401 without a credential",
      async (path) => {
        await expectError(await target.fetch(path), 401, /session/, /key/);
      },
    );

    it("with an admin password events, pixels, the script and health stay open", async () => {
      await expectAccepted(await post(target, wireEvent(siteName())));
      for (const path of ["/api/event?d=a.test&u=/", "/svc.js", "/health", "/health/ready"]) {
        const response = await target.fetch(path, { headers: { "user-agent": "" } });
        expect({ path, status: response.status }).toEqual({ path, status: 200 });
        await response.arrayBuffer();
      }
    });
  });
}
