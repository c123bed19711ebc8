/** Sessions, entry and exit pages, flow and retention, and all of them without the behavioral extension (docs/http-api.md, "Behavioral extension"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getBreakdown, getMain, getStats, type StatsParameters } from "../support/requests.ts";
import { BEHAVIORAL_ENDPOINTS, askStats } from "../support/stats-requests.ts";
import { able, itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";
import { visit } from "../support/visits.ts";

const siteName = siteNames("behavioral");

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Rows of a breakdown by the pages of sessions. */
const pageRows = (...rows: readonly [value: string, visitors: number, sessions: number][]) =>
  rows.map(([value, visitors, sessions]) => ({ value, visitors, pageviews: sessions, events: sessions }));

const flowRows = (viewers: number, ...rows: readonly [page: string, visitors: number][]) =>
  rows.map(([next_page, visitors]) => ({ next_page, visitors, share: visitors / viewers }));

export function describeStatsSessions(makeTarget: MakeTarget): void {
  describe("sessions, entry pages and exit pages", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    it("the sessions report contains the same session metrics as the main report", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a", "/b", "signup");
      await visit(target, site, 2, "/a");
      await visit(target, site, 3, "signup");
      const sessions = await getStats(target, "sessions", { site_id: site });
      const main = await getMain(target, site);
      expect(sessions).toEqual({
        total_sessions: 3,
        bounce_rate: 1 / 3,
        avg_session_duration_secs: main.avg_visit_duration_secs,
        avg_pages_per_session: 1,
      });
      expect(await getStats(target, "sessions", { site_id: "nobody.test" })).toEqual({
        total_sessions: 0,
        bounce_rate: 0,
        avg_session_duration_secs: 0,
        avg_pages_per_session: 0,
      });
    });

    it("the session timeseries contains every bucket, with the sessions that begin in it", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a", "/b", "signup");
      await visit(target, site, 2, "/a");
      const series = (period: string) =>
        getStats<{ readonly date: string; readonly sessions: number }[]>(target, "session-timeseries", { site_id: site, period });
      for (const [period, buckets, label] of [
        ["day", 24, /^\d{4}-\d\d-\d\d \d\d:00$/],
        ["7d", 7, /^\d{4}-\d\d-\d\d$/],
      ] as const) {
        const points = await series(period);
        expect(points).toHaveLength(buckets);
        expect(points.every(({ date }) => label.test(date))).toBe(true);
        const begun = points.filter(({ sessions }) => sessions > 0);
        expect(begun).toEqual([
          {
            date: begun[0]?.date,
            sessions: 2,
            bounce_rate: 0.5,
            avg_visit_duration_secs: expect.any(Number) as unknown,
            views_per_visit: 1.5,
          },
        ]);
        expect(points.find(({ sessions }) => sessions === 0)).toMatchObject({
          bounce_rate: 0,
          avg_visit_duration_secs: 0,
          views_per_visit: 0,
        });
      }
      expect((await series("7d")).at(-1)).toMatchObject({ sessions: 2 });
    });

    it("entry and exit pages are the first and last page viewed in each session", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a", "/b", "/c");
      await visit(target, site, 2, "signup", "/c", "/a", "signup");
      await visit(target, site, 3, "/a");
      await visit(target, site, 4, "signup");
      expect(await getBreakdown(target, site, "entry-pages")).toEqual(pageRows(["/a", 2, 2], ["/c", 1, 1]));
      expect(await getBreakdown(target, site, "exit-pages")).toEqual(pageRows(["/a", 2, 2], ["/c", 1, 1]));
      expect(await getBreakdown(target, site, "entry-pages", { limit: "1" })).toEqual(pageRows(["/a", 2, 2]));
      expect(await getBreakdown(target, "nobody.test", "exit-pages")).toEqual([]);
    });

    it("entry pages with equal visitors are ordered by path", async () => {
      const site = siteName();
      for (const [i, path] of ["/é", "/b", "/B", "/a", "/a/a"].entries()) await visit(target, site, i, path);
      expect((await getBreakdown(target, site, "entry-pages")).map(({ value }) => value)).toEqual(
        ["/B", "/a", "/a/a", "/b", "/%C3%A9"].sort(),
      );
    });

    it("a filter keeps whole sessions that contain a matching event", async () => {
      const site = siteName();
      await visit(target, site, 1, "/a", "/b", "/c");
      await visit(target, site, 2, "/a", "/d");
      await visit(target, site, 3, "/b");
      const filters = "pages==/b";
      expect(await getBreakdown(target, site, "entry-pages", { filters })).toEqual(pageRows(["/a", 1, 1], ["/b", 1, 1]));
      expect(await getBreakdown(target, site, "exit-pages", { filters })).toEqual(pageRows(["/b", 1, 1], ["/c", 1, 1]));
      expect(await getStats(target, "sessions", { site_id: site, filters })).toMatchObject({
        total_sessions: 2,
        bounce_rate: 0.5,
        avg_pages_per_session: 2,
      });
      expect(await getBreakdown(target, site, "entry-pages", { filters: "pages!=/b;pages!=/a;pages!=/c" })).toEqual(pageRows(["/a", 1, 1]));
    });

    it("a limit out of bounds gives 400 for entry and exit pages", async () => {
      for (const limit of ["0", "1001", "x"]) {
        const response = await askStats(target, "breakdown/entry-pages", { site_id: "refused.test", limit });
        expect({ status: response.status, body: await response.json() }).toEqual({
          status: 400,
          body: { error: `"limit" must be an integer from 1 to 1000, got "${limit}"` },
        });
      }
    });

    itNeeds(
      makeTarget,
      "advance",
      "each session has its own entry and exit page, and a pause of exactly the session window does not end it",
      async () => {
        const clocked = await makeTarget({ SVC_TRUST_PROXY: "1" });
        const advance = able(clocked, "advance");
        const site = siteName();
        await visit(clocked, site, 1, "/a");
        await advance(30 * MINUTE_MS);
        await visit(clocked, site, 1, "/b");
        await advance(30 * MINUTE_MS + 1);
        await visit(clocked, site, 1, "/a", "/c");
        expect(await getBreakdown(clocked, site, "entry-pages")).toEqual(pageRows(["/a", 1, 2]));
        expect(await getBreakdown(clocked, site, "exit-pages")).toEqual(pageRows(["/b", 1, 1], ["/c", 1, 1]));
        expect(await getStats(clocked, "sessions", { site_id: site })).toEqual({
          total_sessions: 2,
          bounce_rate: 0,
          avg_session_duration_secs: 900,
          avg_pages_per_session: 2,
        });
        await clocked.close();
      },
    );

    itNeeds(makeTarget, "advance", "a session continues past midnight if visitor ids live longer than a day", async () => {
      for (const [rotationDays, entries, exits, flow] of [
        ["1", pageRows(["/a", 1, 1], ["/b", 1, 1]), pageRows(["/a", 1, 1], ["/c", 1, 1]), []],
        ["2", pageRows(["/a", 1, 1]), pageRows(["/c", 1, 1]), flowRows(1, ["/b", 1])],
      ] as const) {
        const clocked = await makeTarget({ SVC_TRUST_PROXY: "1", SVC_VISITOR_SALT_ROTATION_DAYS: rotationDays });
        const advance = able(clocked, "advance");
        const site = siteName();
        // Of two days that share a salt, when two do.
        const dayOfPeriod = Math.floor(clocked.nowMs() / DAY_MS) % 2;
        await advance(dayOfPeriod * DAY_MS + DAY_MS / 2 - 1);
        await visit(clocked, site, 1, "/a");
        await advance(20 * MINUTE_MS);
        await visit(clocked, site, 1, "/b", "/c");
        expect(await getBreakdown(clocked, site, "entry-pages")).toEqual(entries);
        expect(await getBreakdown(clocked, site, "exit-pages")).toEqual(exits);
        expect(await getStats(clocked, "flow", { site_id: site, page: "/a" })).toEqual(flow);
        await clocked.close();
      }
    });
  });
}

export function describeStatsFlow(makeTarget: MakeTarget): void {
  describe("flow", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    const flow = (site: string, parameters: StatsParameters): Promise<unknown> =>
      getStats(target, "flow", { site_id: site, ...parameters });

    it("flow lists the pages viewed right after or before each visitor's first view of the page", async () => {
      const site = siteName();
      await visit(target, site, 1, "/", "/a", "/", "/b");
      await visit(target, site, 2, "/x", "/", "signup", "/a");
      await visit(target, site, 3, "/x", "/", "/");
      await visit(target, site, 4, "/y", "/");
      await visit(target, site, 5, "/y");
      expect(await flow(site, { page: "/" })).toEqual(flowRows(4, ["/a", 2], ["/", 1]));
      expect(await flow(site, { page: "/", direction: "forward", limit: "1" })).toEqual(flowRows(4, ["/a", 2]));
      expect(await flow(site, { page: "/", direction: "backward" })).toEqual(flowRows(4, ["/x", 2], ["/y", 1]));
      expect(await flow(site, { page: "/nowhere" })).toEqual([]);
      expect(await flow("nobody.test", { page: "/" })).toEqual([]);
    });

    it("flow counts repeated views as one, and visitors who entered or left the site at the page, if it is asked to", async () => {
      const site = siteName();
      await visit(target, site, 1, "/", "/", "/a");
      await visit(target, site, 2, "/x", "/", "/");
      await visit(target, site, 3, "/", "signup");
      await visit(target, site, 4, "/y", "/", "/b", "/");
      const asked = { page: "/", with_ends: "true" };
      expect(await flow(site, { ...asked, repeats: "skip" })).toEqual({ visitors: 4, ended: 2, rows: flowRows(4, ["/a", 1], ["/b", 1]) });
      expect(await flow(site, { ...asked, repeats: "skip", limit: "1" })).toEqual({ visitors: 4, ended: 2, rows: flowRows(4, ["/a", 1]) });
      expect(await flow(site, asked)).toEqual({ visitors: 4, ended: 1, rows: flowRows(4, ["/", 2], ["/b", 1]) });
      expect(await flow(site, { ...asked, repeats: "skip", direction: "backward" })).toEqual({
        visitors: 4,
        ended: 2,
        rows: flowRows(4, ["/x", 1], ["/y", 1]),
      });
      expect(await flow(site, { page: "/", repeats: "skip" })).toEqual(flowRows(4, ["/a", 1], ["/b", 1]));
      expect(await flow(site, { ...asked, page: "/nowhere" })).toEqual({ visitors: 0, ended: 0, rows: [] });
    });

    it("repeated views of a page are those of one path, also where the page has a wildcard", async () => {
      const site = siteName();
      await visit(target, site, 1, "/blog/1", "/blog/1", "/blog/2");
      expect(await flow(site, { page: "/blog/*", repeats: "skip" })).toEqual(flowRows(1, ["/blog/2", 1]));
    });

    it("the page of a flow may contain wildcards", async () => {
      const site = siteName();
      await visit(target, site, 1, "/blog/1", "/blog/2", "/z");
      await visit(target, site, 2, "/z", "/blog/2", "/y");
      expect(await flow(site, { page: "/blog/*" })).toEqual(flowRows(2, ["/blog/2", 1], ["/y", 1]));
      expect(await flow(site, { page: "*" })).toEqual(flowRows(2, ["/blog/2", 2]));
    });

    it("a filter keeps the flows of sessions that contain a matching event", async () => {
      const site = siteName();
      await visit(target, site, 1, "/", "/a", "signup");
      await visit(target, site, 2, "/", "/b");
      expect(await flow(site, { page: "/", filters: "events==signup" })).toEqual(flowRows(1, ["/a", 1]));
      expect(await flow(site, { page: "/", filters: "events!=signup" })).toEqual(flowRows(2, ["/a", 1], ["/b", 1]));
    });

    it.each([
      [{}, '"page" is required'],
      [{ page: "" }, '"page" must name a path that begins with "/", or with the wildcard "*"'],
      [{ page: "pricing" }, '"page" must name a path that begins with "/", or with the wildcard "*"'],
      [{ page: `/${"a".repeat(512)}` }, '"page" must be at most 512 characters'],
      [{ page: "/", direction: "sideways" }, '"direction" must be one of forward, backward, got "sideways"'],
      [{ page: "/", repeats: "drop" }, '"repeats" must be one of keep, skip, got "drop"'],
      [{ page: "/", with_ends: "yes" }, '"with_ends" must be one of false, true, got "yes"'],
      [{ page: "/", limit: "0" }, '"limit" must be an integer from 1 to 100, got "0"'],
      [{ page: "/", limit: "101" }, '"limit" must be an integer from 1 to 100, got "101"'],
    ])("the flow report refuses %j", async (parameters, error) => {
      const response = await askStats(target, "flow", { site_id: "refused.test", ...parameters } as StatsParameters);
      expect({ status: response.status, body: await response.json() }).toEqual({ status: 400, body: { error } });
    });

    itNeeds(makeTarget, "advance", "flow stays within the session of the first view", async () => {
      const clocked = await makeTarget({ SVC_TRUST_PROXY: "1" });
      const advance = able(clocked, "advance");
      const site = siteName();
      await visit(clocked, site, 1, "/");
      await advance(30 * MINUTE_MS + 1);
      await visit(clocked, site, 1, "/", "/late");
      await visit(clocked, site, 2, "/");
      await advance(30 * MINUTE_MS);
      await visit(clocked, site, 2, "/in-time");
      expect(await getStats(clocked, "flow", { site_id: site, page: "/" })).toEqual(flowRows(2, ["/in-time", 1]));
      await clocked.close();
    });
  });
}

const CAVEAT =
  "Visitors are recognised for 1 day at most (visitor_salt_rotation_days), after which they count as new ones. " +
  "Following them for 4 weeks would take 28 days, so returning visitors are missing from later weeks.";

export function describeStatsRetention(makeTarget: MakeTarget): void {
  describe("retention", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    /** The Monday of the target's now. */
    const monday = ({ nowMs }: Target): string => {
      const now = new Date(nowMs());
      return new Date(now.getTime() - ((now.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10);
    };

    it("by default retention follows this week's visitors for four weeks, with a caveat if visitor ids change daily", async () => {
      const site = siteName();
      await visit(target, site, 1, "/", "/a");
      await visit(target, site, 2, "/");
      expect(await getStats(target, "retention", { site_id: site })).toEqual({
        cohorts: [{ cohort_date: monday(target), cohort_size: 2, retained: [2, 0, 0, 0], retention_rates: [1, 0, 0, 0] }],
        identity_supports_cohorts: false,
        caveat: CAVEAT,
      });
      expect(await getStats(target, "retention", { site_id: site, filters: "pages==/a", weeks: "2" })).toEqual({
        cohorts: [{ cohort_date: monday(target), cohort_size: 1, retained: [1, 0], retention_rates: [1, 0] }],
        identity_supports_cohorts: false,
        caveat: CAVEAT.replace("4 weeks", "2 weeks").replace("28", "14"),
      });
      expect(await getStats(target, "retention", { site_id: "nobody.test" })).toMatchObject({ cohorts: [] });
    });

    it.each(["1", "33", "", "four", "2.5"])("weeks=%s gives 400", async (weeks) => {
      const response = await askStats(target, "retention", { site_id: "refused.test", weeks });
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 400,
        body: { error: `"weeks" must be an integer from 2 to 32, got "${weeks}"` },
      });
    });

    itNeeds(makeTarget, "advance", "a cohort is the visitors whose first event is in the same ISO week", async () => {
      const clocked = await makeTarget({ SVC_TRUST_PROXY: "1", SVC_VISITOR_SALT_ROTATION_DAYS: "3650" });
      const advance = able(clocked, "advance");
      const site = siteName();
      // The clock starts on Sunday, 2026-03-15, at noon.
      await visit(clocked, site, 1, "/a");
      await visit(clocked, site, 2, "/b");
      await advance(DAY_MS / 2 - 1);
      await visit(clocked, site, 3, "/a");
      await advance(1);
      // Monday, 2026-03-16.
      await visit(clocked, site, 1, "/b");
      await visit(clocked, site, 4, "/a");
      await advance(7 * DAY_MS - 1);
      await visit(clocked, site, 3, "/a");
      await advance(1);
      // Monday, 2026-03-23.
      await visit(clocked, site, 1, "/a");
      await visit(clocked, site, 4, "/a");
      const retention = (parameters: StatsParameters) => getStats(clocked, "retention", { site_id: site, ...parameters });
      const supported = { identity_supports_cohorts: true, caveat: null };
      const first = { cohort_date: "2026-03-09", cohort_size: 3, retained: [3, 2, 1], retention_rates: [1, 2 / 3, 1 / 3] };
      const second = { cohort_date: "2026-03-16", cohort_size: 1, retained: [1, 1, 0], retention_rates: [1, 1, 0] };
      expect(await retention({ weeks: "3" })).toEqual({ cohorts: [first, second], ...supported });
      // Who was seen before the range is no new visitor in it, and nothing after it counts.
      expect(await retention({ weeks: "3", start_date: "2026-03-16", end_date: "2026-03-23" })).toEqual({
        cohorts: [second],
        ...supported,
      });
      expect(await retention({ weeks: "2", start_date: "2026-03-10", end_date: "2026-03-16" })).toEqual({
        cohorts: [
          { cohort_date: "2026-03-09", cohort_size: 3, retained: [3, 1], retention_rates: [1, 1 / 3] },
          { cohort_date: "2026-03-16", cohort_size: 1, retained: [1, 0], retention_rates: [1, 0] },
        ],
        ...supported,
      });
      // Of those seen on the page in their first week.
      expect(await retention({ weeks: "3", filters: "pages==/a" })).toEqual({
        cohorts: [{ cohort_date: "2026-03-09", cohort_size: 2, retained: [2, 1, 1], retention_rates: [1, 0.5, 0.5] }, second],
        ...supported,
      });
      expect(await retention({ weeks: "32" })).toMatchObject({
        cohorts: [{ retained: [3, 2, 1, ...Array.from({ length: 29 }, () => 0)] }, {}],
      });
      await clocked.close();
    });
  });
}

export function describeWithoutBehavioral(makeTarget: MakeTarget): void {
  describe("without the behavioral extension", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_BEHAVIORAL: "false" });
    });
    afterAll(() => target.close());

    it.each(BEHAVIORAL_ENDPOINTS)("/api/stats/%s gives 503 with the reason", async (endpoint, parameters) => {
      const response = await askStats(target, endpoint, { site_id: "plain.test", ...parameters });
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 503,
        body: { error: "This needs the behavioral extension, which is switched off by the option behavioral" },
      });
    });

    it("invalid parameters still give 400", async () => {
      for (const [endpoint, parameters] of BEHAVIORAL_ENDPOINTS) {
        for (const wrong of [{ site_id: "" }, { site_id: "plain.test", period: "x" }, { site_id: "plain.test", filters: "x" }]) {
          expect((await askStats(target, endpoint, { ...parameters, ...wrong })).status).toBe(400);
        }
      }
      for (const [endpoint, parameters] of [
        ["funnel", { steps: "page:/" }],
        ["sequences", { pattern: "x", conditions: "page:/" }],
        ["retention", { weeks: "1" }],
        ["flow", {}],
        ["breakdown/entry-pages", { limit: "0" }],
      ] as const) {
        expect((await askStats(target, endpoint, { site_id: "plain.test", ...parameters })).status).toBe(400);
      }
    });
  });
}
