/** Realtime (docs/http-api.md, "Realtime"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, getStats, record, wireEvent } from "../support/requests.ts";
import { askStats, getRealtime, visitor } from "../support/stats-requests.ts";
import { able, itNeeds, siteNames, type AbleTarget, type Environment, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("realtime");

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Of a window of five minutes. */
const NOTHING = { current_visitors: 0, pageviews: 0, window_minutes: 5, top_pages: [], top_sources: [], per_minute: [0, 0, 0, 0, 0, 0] };

export function describeStatsRealtime(makeTarget: MakeTarget): void {
  /** A service of its own, whose clock starts at noon to the millisecond. */
  async function clockedTarget(environment: Environment = {}): Promise<AbleTarget<"advance">> {
    const target = await makeTarget({ SVC_TRUST_PROXY: "1", SVC_VISITOR_SALT_ROTATION_DAYS: "3650", ...environment });
    return { ...target, advance: able(target, "advance") };
  }

  /** The country of the tests' visitors, of whom all have addresses of one network. */
  async function countryIn(target: Target, site: string): Promise<string> {
    const [country] = await getStats<{ value: string }[]>(target, "breakdown/countries", { site_id: site });
    return country?.value ?? "";
  }

  describe("realtime", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    it("realtime of a site without events is zero everywhere", async () => {
      expect(await getRealtime(target, siteName())).toEqual(NOTHING);
    });

    it("current_visitors counts visitors with any event; everything else counts page views only", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/a", r: "https://news.example/" }), visitor(1));
      await record(target, wireEvent(site, { u: "/b" }), visitor(1));
      await record(target, wireEvent(site, { u: "/a" }), visitor(2));
      await record(target, wireEvent(site, { u: "/c", n: "Signup", r: "https://www.google.com/" }), visitor(3));
      const { per_minute, ...figures } = await getRealtime(target, site);
      expect(figures).toEqual({
        current_visitors: 3,
        pageviews: 3,
        window_minutes: 5,
        top_pages: [
          { value: "/a", visitors: 2 },
          { value: "/b", visitors: 1 },
        ],
        top_sources: [
          { value: "(direct)", visitors: 2 },
          { value: "news.example", visitors: 1 },
        ],
      });
      expect({ minutes: per_minute.length, pageviews: sum(per_minute) }).toEqual({ minutes: 6, pageviews: 3 });
    });

    it("realtime lists have at most ten rows, most visitors first, then by value", async () => {
      const site = siteName();
      for (let i = 0; i < 12; i++) {
        await record(
          target,
          wireEvent(site, { u: `/${String(i).padStart(2, "0")}`, r: `https://site-${String(i).padStart(2, "0")}.example/` }),
          visitor(i),
        );
      }
      await record(target, wireEvent(site, { u: "/11", r: "https://site-11.example/" }), visitor(50));
      const { top_pages, top_sources } = await getRealtime(target, site);
      const numbers = ["11", "00", "01", "02", "03", "04", "05", "06", "07", "08"];
      expect(top_pages).toEqual(numbers.map((number, i) => ({ value: `/${number}`, visitors: i === 0 ? 2 : 1 })));
      expect(top_sources).toEqual(numbers.map((number, i) => ({ value: `site-${number}.example`, visitors: i === 0 ? 2 : 1 })));
    });

    it("realtime excludes events of other sites", async () => {
      const [site, other] = [siteName(), siteName()];
      await record(target, wireEvent(site));
      expect((await getRealtime(target, other)).current_visitors).toBe(0);
    });

    it("a missing site_id gives 400", async () => {
      await expectError(await target.fetch("/api/stats/realtime"), 400, '"site_id"', /required/);
      await expectError(await askStats(target, "realtime", { site_id: "a b" }), 400, '"site_id"', /must/);
      await expectError(await target.fetch("/api/stats/realtime?site_id=a.test&site_id=b.test"), 400, '"site_id"', /once/);
    });

    it("realtime ignores date parameters", async () => {
      const site = siteName();
      await record(target, wireEvent(site));
      for (const parameters of [
        { period: "nonsense" },
        { start_date: "2020-01-01", end_date: "2020-01-02" },
        { end_date: "x" },
        { limit: "0" },
      ]) {
        expect((await getRealtime(target, site, parameters)).pageviews).toBe(1);
      }
    });

    it("realtime_window_minutes sets the length of the window", async () => {
      for (const minutes of [1, 60, 1440]) {
        const wide = await makeTarget({ SVC_REALTIME_WINDOW_MINUTES: String(minutes) });
        const site = siteName();
        await record(wide, wireEvent(site));
        const { window_minutes, per_minute, pageviews } = await getRealtime(wide, site);
        expect({ window_minutes, entries: per_minute.length, pageviews, sum: sum(per_minute) }).toEqual({
          window_minutes: minutes,
          entries: minutes + 1,
          pageviews: 1,
          sum: 1,
        });
        await wide.close();
      }
    });

    itNeeds(makeTarget, "advance", "the realtime window includes both ends, to the millisecond", async () => {
      const clocked = await clockedTarget();
      const site = siteName();
      await record(clocked, wireEvent(site));
      expect(await getRealtime(clocked, site)).toEqual({
        current_visitors: 1,
        pageviews: 1,
        window_minutes: 5,
        top_pages: [{ value: "/", visitors: 1 }],
        top_sources: [{ value: "(direct)", visitors: 1 }],
        per_minute: [0, 0, 0, 0, 0, 1],
      });
      await clocked.advance(5 * MINUTE_MS);
      expect(await getRealtime(clocked, site)).toMatchObject({ current_visitors: 1, pageviews: 1, per_minute: [1, 0, 0, 0, 0, 0] });
      await clocked.advance(1);
      expect(await getRealtime(clocked, site)).toEqual(NOTHING);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "realtime excludes future events until their time has come", async () => {
      const clocked = await clockedTarget();
      const site = siteName();
      await clocked.advance(10 * SECOND_MS);
      await record(clocked, wireEvent(site));
      // The clock is set back.
      await clocked.advance(-1);
      expect(await getRealtime(clocked, site)).toEqual(NOTHING);
      await clocked.advance(1);
      expect(await getRealtime(clocked, site)).toMatchObject({ current_visitors: 1, pageviews: 1, per_minute: [0, 0, 0, 0, 0, 1] });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "per_minute counts by minute of the clock, oldest first, without gaps", async () => {
      const clocked = await clockedTarget();
      const site = siteName();
      await record(clocked, wireEvent(site));
      await clocked.advance(MINUTE_MS - 1);
      await record(clocked, wireEvent(site));
      await clocked.advance(1);
      await record(clocked, wireEvent(site, { n: "Signup" }));
      await clocked.advance(90 * SECOND_MS);
      await record(clocked, wireEvent(site));
      // 12:02:30. Minutes 11:57 to 12:02.
      expect(await getRealtime(clocked, site)).toMatchObject({ pageviews: 3, per_minute: [0, 0, 0, 2, 0, 1] });
      await clocked.advance(2 * MINUTE_MS + 29_999);
      // 12:04:59.999. Minutes 11:59 to 12:04.
      expect(await getRealtime(clocked, site)).toMatchObject({ pageviews: 3, per_minute: [0, 2, 0, 1, 0, 0] });
      await clocked.advance(1);
      // 12:05:00.000. Minutes 12:00 to 12:05.
      expect(await getRealtime(clocked, site)).toMatchObject({ pageviews: 3, per_minute: [2, 0, 1, 0, 0, 0] });
      await clocked.advance(30 * SECOND_MS);
      // 12:05:30. The first minute has lost the event at its beginning and keeps the one at its end.
      expect(await getRealtime(clocked, site)).toMatchObject({ pageviews: 2, per_minute: [1, 0, 1, 0, 0, 0] });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "the realtime window may span midnight", async () => {
      const clocked = await clockedTarget();
      const site = siteName();
      await clocked.advance(12 * HOUR_MS - 1);
      await record(clocked, wireEvent(site, { u: "/before" }));
      await clocked.advance(1);
      await record(clocked, wireEvent(site, { u: "/after" }));
      expect(await getRealtime(clocked, site)).toEqual({
        current_visitors: 1,
        pageviews: 2,
        window_minutes: 5,
        top_pages: [
          { value: "/after", visitors: 1 },
          { value: "/before", visitors: 1 },
        ],
        top_sources: [{ value: "(direct)", visitors: 1 }],
        per_minute: [0, 0, 0, 0, 1, 1],
      });
      await clocked.advance(4 * MINUTE_MS + 59_999);
      expect(await getRealtime(clocked, site)).toMatchObject({ pageviews: 2, per_minute: [1, 1, 0, 0, 0, 0] });
      await clocked.advance(1);
      expect(await getRealtime(clocked, site)).toMatchObject({ pageviews: 1, per_minute: [1, 0, 0, 0, 0, 0] });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "a realtime window of a day includes yesterday's events", async () => {
      const clocked = await clockedTarget({ SVC_REALTIME_WINDOW_MINUTES: "1440" });
      const site = siteName();
      await record(clocked, wireEvent(site));
      await clocked.advance(24 * HOUR_MS);
      await record(clocked, wireEvent(site));
      const { per_minute, ...figures } = await getRealtime(clocked, site);
      expect(figures).toMatchObject({ current_visitors: 1, pageviews: 2, window_minutes: 1440 });
      expect([per_minute.length, per_minute[0], per_minute.at(-1), sum(per_minute)]).toEqual([1441, 1, 1, 2]);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "filters narrow every realtime metric", async () => {
      const clocked = await clockedTarget();
      const site = siteName();
      const from = (campaign: string, page: string) => ({ u: `https://page.test${page}?utm_campaign=${campaign}` });
      await record(clocked, wireEvent(site, { ...from("spring", "/a"), r: "https://news.example/" }), visitor(1));
      await clocked.advance(MINUTE_MS);
      await record(clocked, wireEvent(site, from("autumn", "/a")), visitor(2));
      await record(clocked, wireEvent(site, { ...from("spring", "/b"), n: "Signup" }), visitor(3));
      await record(clocked, wireEvent(site, from("spring", "/c")), visitor(1));
      expect(await getRealtime(clocked, site, { filters: "utm-campaigns==spring" })).toEqual({
        current_visitors: 2,
        pageviews: 2,
        window_minutes: 5,
        top_pages: [
          { value: "/a", visitors: 1 },
          { value: "/c", visitors: 1 },
        ],
        top_sources: [
          { value: "(direct)", visitors: 1 },
          { value: "news.example", visitors: 1 },
        ],
        per_minute: [0, 0, 0, 0, 1, 1],
      });
      expect(await getRealtime(clocked, site, { filters: "utm-campaigns==winter" })).toEqual(NOTHING);
      await clocked.close();
    });

    it("minutes must be an integer from 1 to 60", async () => {
      for (const minutes of ["0", "61", "-5", "5.5", "5m", ""]) {
        await expectError(await askStats(target, "realtime", { site_id: siteName(), minutes }), 400, '"minutes"', /from 1 to 60/);
      }
      for (const minutes of [1, 60]) {
        const { per_minute } = await getRealtime(target, siteName(), { minutes: String(minutes) });
        expect(per_minute).toHaveLength(minutes + 1);
      }
    });

    itNeeds(makeTarget, "advance", "minutes of a site without events are zero everywhere", async () => {
      const clocked = await clockedTarget();
      expect(await getRealtime(clocked, siteName(), { minutes: "5" })).toEqual({
        ...NOTHING,
        first_minute: "2026-03-15 11:55",
        visitors: 0,
        countries: [],
        top_events: [],
      });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "minutes widens lists and page views, and leaves the current visitors as they are", async () => {
      const clocked = await clockedTarget();
      const site = siteName();
      await record(clocked, wireEvent(site, { u: "/early", r: "https://news.example/" }), visitor(1));
      await record(clocked, wireEvent(site, { u: "/early", n: "Signup" }), visitor(2));
      await clocked.advance(10 * MINUTE_MS + 30 * SECOND_MS);
      await record(clocked, wireEvent(site, { u: "/late" }), visitor(1));
      const narrow = { current_visitors: 1, pageviews: 1, per_minute: [0, 0, 0, 0, 0, 1], top_pages: [{ value: "/late", visitors: 1 }] };
      expect(await getRealtime(clocked, site)).toMatchObject(narrow);
      expect(await getRealtime(clocked, site, { minutes: "30" })).toEqual({
        current_visitors: 1,
        window_minutes: 5,
        visitors: 2,
        pageviews: 2,
        first_minute: "2026-03-15 11:40",
        per_minute: [...Array<number>(20).fill(0), 1, ...Array<number>(9).fill(0), 1],
        top_pages: [
          { value: "/early", visitors: 1 },
          { value: "/late", visitors: 1 },
        ],
        top_sources: [
          { value: "(direct)", visitors: 1 },
          { value: "news.example", visitors: 1 },
        ],
        top_events: [{ value: "Signup", visitors: 1 }],
        countries: [{ value: await countryIn(clocked, site), visitors: 2, current_visitors: 1 }],
      });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "a window shorter than that of current visitors lists no country without visitors in it", async () => {
      const clocked = await clockedTarget();
      const site = siteName();
      await record(clocked, wireEvent(site), visitor(1));
      await clocked.advance(3 * MINUTE_MS);
      expect(await getRealtime(clocked, site, { minutes: "1" })).toMatchObject({ current_visitors: 1, visitors: 0, countries: [] });
      expect((await getRealtime(clocked, site, { minutes: "4" })).countries).toMatchObject([{ visitors: 1, current_visitors: 1 }]);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "a window of minutes begins at a minute of the clock, and both of its ends are inclusive", async () => {
      const clocked = await clockedTarget();
      const site = siteName();
      // 11:59:59.999 is before the first minute of the question below, 12:00:00.000 is its beginning.
      await clocked.advance(-1);
      await record(clocked, wireEvent(site, { u: "/before" }), visitor(1));
      await clocked.advance(1);
      await record(clocked, wireEvent(site, { u: "/first" }), visitor(2));
      await clocked.advance(30 * MINUTE_MS + 59_999);
      await record(clocked, wireEvent(site, { u: "/now" }), visitor(3));
      await clocked.advance(1);
      await record(clocked, wireEvent(site, { u: "/future" }), visitor(4));
      await clocked.advance(-1);
      expect(await getRealtime(clocked, site, { minutes: "30" })).toMatchObject({
        current_visitors: 1,
        visitors: 2,
        pageviews: 2,
        first_minute: "2026-03-15 12:00",
        per_minute: [1, ...Array<number>(29).fill(0), 1],
        top_pages: [
          { value: "/first", visitors: 1 },
          { value: "/now", visitors: 1 },
        ],
      });
      // 12:31:00.000: the first minute is 12:01.
      await clocked.advance(1);
      expect(await getRealtime(clocked, site, { minutes: "30" })).toMatchObject({
        visitors: 2,
        pageviews: 2,
        first_minute: "2026-03-15 12:01",
      });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "minutes shorter than realtime_window_minutes narrow everything but the current visitors", async () => {
      const clocked = await clockedTarget({ SVC_REALTIME_WINDOW_MINUTES: "60" });
      const site = siteName();
      await record(clocked, wireEvent(site, { u: "/early" }), visitor(1));
      await record(clocked, wireEvent(site, { n: "Signup" }), visitor(1));
      await clocked.advance(20 * MINUTE_MS);
      await record(clocked, wireEvent(site, { u: "/late" }), visitor(2));
      expect(await getRealtime(clocked, site, { minutes: "10" })).toMatchObject({
        current_visitors: 2,
        window_minutes: 60,
        visitors: 1,
        pageviews: 1,
        top_pages: [{ value: "/late", visitors: 1 }],
        top_sources: [{ value: "(direct)", visitors: 1 }],
        top_events: [],
        countries: [{ value: await countryIn(clocked, site), visitors: 1, current_visitors: 2 }],
      });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "filters narrow every field of a window of minutes, which may span midnight", async () => {
      const clocked = await clockedTarget();
      const site = siteName();
      await clocked.advance(12 * HOUR_MS - MINUTE_MS);
      await record(clocked, wireEvent(site, { u: "/a" }), visitor(1));
      await record(clocked, wireEvent(site, { u: "/b" }), visitor(2));
      await clocked.advance(11 * MINUTE_MS);
      await record(clocked, wireEvent(site, { u: "/a", n: "Signup" }), visitor(3));
      expect(await getRealtime(clocked, site, { minutes: "30", filters: "pages==/a" })).toMatchObject({
        current_visitors: 1,
        visitors: 2,
        pageviews: 1,
        first_minute: "2026-03-15 23:40",
        top_pages: [{ value: "/a", visitors: 1 }],
        top_events: [{ value: "Signup", visitors: 1 }],
        countries: [{ value: await countryIn(clocked, site), visitors: 2, current_visitors: 1 }],
      });
      await clocked.close();
    });

    itNeeds(makeTarget, "flush", "realtime is the same before and after a flush", async () => {
      const clocked = await clockedTarget();
      const site = siteName();
      await record(clocked, wireEvent(site, { u: "/a" }), visitor(1));
      const hot = await getRealtime(clocked, site);
      await able(clocked, "flush")();
      expect(await getRealtime(clocked, site)).toEqual(hot);
      await record(clocked, wireEvent(site, { u: "/b" }), visitor(2));
      expect(await getRealtime(clocked, site)).toMatchObject({ current_visitors: 2, pageviews: 2, per_minute: [0, 0, 0, 0, 0, 2] });
      await clocked.close();
    });
  });
}
