/** The main report (docs/http-api.md, "Main"). */
import { describe, expect, it, beforeAll, afterAll } from "vitest";
import { ONE_VIEW_WITHOUT_SESSIONS, getMain, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { able, itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("main");

const MINUTE_MS = 60_000;

const visitor = (number: number): RequestHeaders => ({ "x-forwarded-for": `198.51.100.${number}` });

export function describeStatsMain(makeTarget: MakeTarget): void {
  describe("main report", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    it("the main report counts page views, all events and visitors", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/a" }), visitor(1));
      await record(target, wireEvent(site, { u: "/b" }), visitor(1));
      await record(target, wireEvent(site, { u: "/a" }), visitor(2));
      await record(target, wireEvent(site, { n: "Signup" }), visitor(2));
      await record(target, wireEvent(site, { n: "Signup" }), visitor(3));
      expect(await getMain(target, site)).toEqual({
        unique_visitors: 3,
        total_pageviews: 3,
        total_events: 5,
        views_per_visitor: 1,
        total_sessions: 3,
        bounce_rate: 0,
        avg_visit_duration_secs: expect.any(Number) as unknown,
        views_per_visit: 1,
        behavioral_available: true,
      });
    });

    it("views_per_visitor is not rounded", async () => {
      const site = siteName();
      for (const number of [1, 2, 3]) await record(target, wireEvent(site), visitor(number));
      await record(target, wireEvent(site), visitor(1));
      expect(await getMain(target, site)).toMatchObject({ views_per_visitor: 4 / 3, views_per_visit: 4 / 3, bounce_rate: 2 / 3 });
    });

    it("a session with one page view and no other event is a bounce", async () => {
      const site = siteName();
      await record(target, wireEvent(site), visitor(1));
      expect(await getMain(target, site)).toMatchObject({ total_sessions: 1, bounce_rate: 1, avg_visit_duration_secs: 0 });
      await record(target, wireEvent(site, { n: "Signup" }), visitor(1));
      expect(await getMain(target, site)).toMatchObject({ total_sessions: 1, bounce_rate: 0 });
    });

    it("an event that is no interaction leaves a bounce a bounce, and counts as an event everywhere else", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/a" }));
      await record(target, wireEvent(site, { n: "Scroll 25%", u: "/a", interactive: false }));
      const bounced = { total_sessions: 1, total_events: 2, total_pageviews: 1, bounce_rate: 1 };
      expect(await getMain(target, site)).toMatchObject(bounced);
      expect(await getMain(target, site, { filters: "events==Scroll 25%" })).toMatchObject({ total_sessions: 1, bounce_rate: 1 });
      await record(target, wireEvent(site, { n: "Signup", u: "/a", interactive: true }));
      expect(await getMain(target, site)).toMatchObject({ total_sessions: 1, total_events: 3, bounce_rate: 0 });
    });

    it("a second page view ends a bounce, even if it says that it is no interaction", async () => {
      const site = siteName();
      for (const u of ["/a", "/b"]) await record(target, wireEvent(site, { u, interactive: false }));
      expect(await getMain(target, site)).toMatchObject({ total_sessions: 1, bounce_rate: 0 });
    });

    it("a session without a page view is not a bounce", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { n: "Signup" }));
      expect(await getMain(target, site)).toMatchObject({
        total_pageviews: 0,
        total_events: 1,
        views_per_visitor: 0,
        total_sessions: 1,
        bounce_rate: 0,
        views_per_visit: 0,
      });
    });

    it("an event name that only resembles pageview is not a page view", async () => {
      const site = siteName();
      for (const n of ["Pageview", "pageview ", "PAGEVIEW"]) await record(target, wireEvent(site, { n }));
      expect(await getMain(target, site)).toMatchObject({ total_pageviews: 0, total_events: 3 });
    });

    it("every accepted event is counted immediately, even when many arrive at once", async () => {
      const site = siteName();
      const sent = Array.from({ length: 300 }, (_, i) => record(target, wireEvent(site, { u: `/${i % 7}` }), visitor(i % 11)));
      await Promise.all(sent);
      expect(await getMain(target, site)).toMatchObject({ unique_visitors: 11, total_pageviews: 300, total_events: 300 });
    });

    it("a query during ingestion sees every event accepted before it", async () => {
      const site = siteName();
      for (let round = 1; round <= 10; round++) {
        await record(target, wireEvent(site));
        const [{ total_events }] = await Promise.all([getMain(target, site), record(target, wireEvent(site))]);
        expect(total_events).toBeGreaterThanOrEqual(round * 2 - 1);
        expect(total_events).toBeLessThanOrEqual(round * 2);
      }
    });

    it("without the behavioral extension the session metrics are null", async () => {
      const plain = await makeTarget({ SVC_BEHAVIORAL: "false" });
      const site = siteName();
      await record(plain, wireEvent(site));
      expect(await getMain(plain, site)).toEqual(ONE_VIEW_WITHOUT_SESSIONS);
      await plain.close();
    });

    itNeeds(makeTarget, "advance", "a pause of exactly 30 minutes continues the session, and a longer one begins a new one", async () => {
      const clocked = await makeTarget();
      const advance = able(clocked, "advance");
      const site = siteName();
      await record(clocked, wireEvent(site, { u: "/1" }));
      await advance(30 * MINUTE_MS);
      await record(clocked, wireEvent(site, { u: "/2" }));
      expect(await getMain(clocked, site)).toMatchObject({ total_sessions: 1, avg_visit_duration_secs: 1800, bounce_rate: 0 });
      await advance(30 * MINUTE_MS + 1);
      await record(clocked, wireEvent(site, { u: "/3" }));
      expect(await getMain(clocked, site)).toEqual({
        unique_visitors: 1,
        total_pageviews: 3,
        total_events: 3,
        views_per_visitor: 3,
        total_sessions: 2,
        bounce_rate: 0.5,
        avg_visit_duration_secs: 900,
        views_per_visit: 1.5,
        behavioral_available: true,
      });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "session_window_minutes sets how long a pause within a session may be", async () => {
      const clocked = await makeTarget({ SVC_SESSION_WINDOW_MINUTES: "1" });
      const site = siteName();
      await record(clocked, wireEvent(site));
      await able(clocked, "advance")(MINUTE_MS + 1);
      await record(clocked, wireEvent(site));
      expect(await getMain(clocked, site)).toMatchObject({ total_sessions: 2, bounce_rate: 1, avg_visit_duration_secs: 0 });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "simultaneous visits of two visitors are two sessions", async () => {
      const clocked = await makeTarget({ SVC_TRUST_PROXY: "1" });
      const site = siteName();
      for (let minute = 0; minute < 4; minute++) {
        await record(clocked, wireEvent(site), visitor(minute % 2));
        await able(clocked, "advance")(20 * MINUTE_MS);
      }
      // Each came twice, 40 minutes apart.
      expect(await getMain(clocked, site)).toMatchObject({ unique_visitors: 2, total_sessions: 4, bounce_rate: 1 });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "each period has exactly its dates, today included", async () => {
      const clocked = await makeTarget({ SVC_VISITOR_SALT_ROTATION_DAYS: "3650" });
      const site = siteName();
      const countsBy = async (): Promise<Record<string, number>> => {
        const counts: Record<string, number> = {};
        for (const period of ["day", "today", "7d", "30d", "90d", "12mo"]) {
          counts[period] = (await getMain(clocked, site, { period })).total_events;
        }
        return counts;
      };
      await record(clocked, wireEvent(site));
      expect(await countsBy()).toEqual({ day: 1, today: 1, "7d": 1, "30d": 1, "90d": 1, "12mo": 1 });
      const DAY_MS = 1440 * MINUTE_MS;
      const left: Record<string, number>[] = [];
      for (const days of [1, 5, 1, 23, 60, 275]) {
        await able(clocked, "advance")(days * DAY_MS);
        left.push(await countsBy());
      }
      expect(left).toEqual([
        { day: 0, today: 0, "7d": 1, "30d": 1, "90d": 1, "12mo": 1 },
        { day: 0, today: 0, "7d": 1, "30d": 1, "90d": 1, "12mo": 1 },
        { day: 0, today: 0, "7d": 0, "30d": 1, "90d": 1, "12mo": 1 },
        { day: 0, today: 0, "7d": 0, "30d": 0, "90d": 1, "12mo": 1 },
        { day: 0, today: 0, "7d": 0, "30d": 0, "90d": 0, "12mo": 1 },
        { day: 0, today: 0, "7d": 0, "30d": 0, "90d": 0, "12mo": 0 },
      ]);
      expect((await getMain(clocked, site, { start_date: "2026-03-15", end_date: "2027-03-15" })).total_events).toBe(1);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "the last millisecond of a day belongs to that day, and the next one to the next day", async () => {
      const clocked = await makeTarget({ SVC_VISITOR_SALT_ROTATION_DAYS: "3650" });
      const site = siteName();
      await able(clocked, "advance")(720 * MINUTE_MS - 1);
      await record(clocked, wireEvent(site));
      expect((await getMain(clocked, site, { period: "today" })).total_events).toBe(1);
      await able(clocked, "advance")(1);
      expect((await getMain(clocked, site, { period: "today" })).total_events).toBe(0);
      await record(clocked, wireEvent(site));
      await record(clocked, wireEvent(site));
      const dayOf = (date: string) => getMain(clocked, site, { start_date: date, end_date: date });
      expect((await dayOf("2026-03-15")).total_events).toBe(1);
      expect((await dayOf("2026-03-16")).total_events).toBe(2);
      expect(await getMain(clocked, site, { period: "7d" })).toMatchObject({ total_events: 3, unique_visitors: 1, total_sessions: 1 });
      await clocked.close();
    });
  });
}
