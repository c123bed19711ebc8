/** Timeseries (docs/http-api.md, "Timeseries"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getSeries, getStats, record, wireEvent, type RequestHeaders, type SeriesPoint } from "../support/requests.ts";
import { able, itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("series");

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const visitor = (number: number): RequestHeaders => ({ "x-forwarded-for": `198.51.100.${number}` });

const isoAt = (day: string, steps: number, stepMs: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + steps * stepMs).toISOString();

/** The labels of so many hours from a day's start. */
const hoursFrom = (day: string, count: number): string[] =>
  Array.from({ length: count }, (_, hour) => `${isoAt(day, hour, HOUR_MS).slice(0, 13).replace("T", " ")}:00`);

/** The labels of a day's minutes. */
const minutesOf = (day: string): string[] =>
  Array.from({ length: 1440 }, (_, minute) => isoAt(day, minute, MINUTE_MS).slice(0, 16).replace("T", " "));

const daysFrom = (day: string, count: number): string[] =>
  Array.from({ length: count }, (_, step) => isoAt(day, step, DAY_MS).slice(0, 10));

const labelsOf = (points: readonly SeriesPoint[]): string[] => points.map(({ date }) => date);

const notEmpty = (points: readonly SeriesPoint[]): SeriesPoint[] =>
  points.filter(({ visitors, pageviews }) => visitors > 0 || pageviews > 0);

export function describeStatsTimeseries(makeTarget: MakeTarget): void {
  describe("timeseries", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    it.each([
      ["one day by the hour", "2026-01-31", "2026-01-31", hoursFrom("2026-01-31", 24)],
      ["two days by the hour", "2026-02-28", "2026-03-01", hoursFrom("2026-02-28", 48)],
      ["the two days of a leap day", "2024-02-28", "2024-02-29", hoursFrom("2024-02-28", 48)],
      ["three days by the day", "2026-02-27", "2026-03-01", daysFrom("2026-02-27", 3)],
      ["a night without an hour in Europe", "2026-03-28", "2026-03-29", hoursFrom("2026-03-28", 48)],
      ["a leap year by the day", "2024-01-01", "2024-12-31", daysFrom("2024-01-01", 366)],
    ])("every bucket is present, empty ones with zeros: %s", async (_name, start_date, end_date, labels) => {
      const points = await getSeries(target, siteName(), { start_date, end_date });
      expect(points).toEqual(labels.map((date) => ({ date, visitors: 0, pageviews: 0 })));
    });

    it("bucket labels are YYYY-MM-DD HH:00 and YYYY-MM-DD", async () => {
      const hourly = await getSeries(target, siteName(), { start_date: "2026-01-05", end_date: "2026-01-05" });
      expect([hourly[0]?.date, hourly[9]?.date, hourly[23]?.date]).toEqual(["2026-01-05 00:00", "2026-01-05 09:00", "2026-01-05 23:00"]);
      const daily = await getSeries(target, siteName(), { start_date: "2026-01-05", end_date: "2026-01-07" });
      expect(labelsOf(daily)).toEqual(["2026-01-05", "2026-01-06", "2026-01-07"]);
    });

    it("each bucket counts visitors of any event, and page views", async () => {
      const site = siteName();
      await record(target, wireEvent(site), visitor(1));
      await record(target, wireEvent(site), visitor(1));
      await record(target, wireEvent(site), visitor(2));
      await record(target, wireEvent(site, { n: "Signup" }), visitor(3));
      const points = notEmpty(await getSeries(target, site, { period: "90d" }));
      expect(points.map(({ visitors, pageviews }) => ({ visitors, pageviews }))).toEqual([{ visitors: 3, pageviews: 3 }]);
    });

    it("points contain events only with include=events, which refuses anything else", async () => {
      const site = siteName();
      await record(target, wireEvent(site), visitor(1));
      await record(target, wireEvent(site, { n: "Signup" }), visitor(1));
      await record(target, wireEvent(site, { n: "Signup" }), visitor(2));
      const last = async (parameters: Readonly<Record<string, string>>) => (await getSeries(target, site, parameters)).at(-1);
      const counted = { visitors: 2, pageviews: 1 };
      expect(await last({})).toEqual({ date: expect.any(String) as string, ...counted });
      expect(await last({ include: "events" })).toEqual({ date: expect.any(String) as string, ...counted, events: 3 });
      const signups = { filters: "events==Signup", include: "events" };
      expect(await last(signups)).toMatchObject({ visitors: 2, pageviews: 0, events: 2 });
      const refused = await target.fetch(`/api/stats/timeseries?site_id=${site}&include=visitors`);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toEqual({ error: '"include" must be one of events, revenue, got "visitors"' });
    });

    it.each([
      ["7d", 7],
      ["30d", 30],
      ["90d", 90],
      ["6mo", 182],
      ["12mo", 365],
    ])("the period %s has %d days without a gap", async (period, count) => {
      const points = await getSeries(target, siteName(), { period });
      expect(labelsOf(points)).toEqual(daysFrom(points[0]?.date ?? "", count));
    });

    it.each([
      ["weeks from Monday, the first one cut", "2026-03-15", "2026-03-24", "week", ["2026-03-15", "2026-03-16", "2026-03-23"]],
      ["months, the first one cut", "2025-12-24", "2026-02-10", "month", ["2025-12-24", "2026-01-01", "2026-02-01"]],
      ["a single day by the day", "2026-03-15", "2026-03-15", "day", ["2026-03-15"]],
      ["a day by the minute", "2026-03-29", "2026-03-29", "minute", minutesOf("2026-03-29")],
      ["more than a year by the day", "2023-12-31", "2026-03-15", "day", daysFrom("2023-12-31", 806)],
      ["31 days by the hour", "2026-01-01", "2026-01-31", "hour", hoursFrom("2026-01-01", 744)],
    ])("an interval chooses the buckets: %s", async (_name, start_date, end_date, interval, labels) => {
      const site = siteName();
      const points = await getSeries(target, site, { start_date, end_date, interval });
      expect(points).toEqual(labels.map((date) => ({ date, visitors: 0, pageviews: 0 })));
      const sessions = await getStats<{ date: string }[]>(target, "session-timeseries", { site_id: site, start_date, end_date, interval });
      expect(sessions.map(({ date }) => date)).toEqual(labels);
    });

    it.each([
      [{ interval: "year" }, '"interval" must be one of minute, hour, day, week, month, got "year"'],
      [{ interval: "" }, '"interval" must be one of minute, hour, day, week, month, got ""'],
      [{ interval: "minute", period: "7d" }, '"interval" must be hour, day, week or month for a range of more than 1 day'],
      [{ interval: "minute", period: "90d" }, '"interval" must be day, week or month for a range of more than 31 days'],
      [{ interval: "hour", period: "90d" }, '"interval" must be day, week or month for a range of more than 31 days'],
    ])("an invalid interval is refused: %o", async (parameters, error) => {
      for (const route of ["timeseries", "session-timeseries"]) {
        const query = new URLSearchParams({ site_id: siteName(), ...parameters }).toString();
        const response = await target.fetch(`/api/stats/${route}?${query}`);
        expect({ status: response.status, body: await response.json() }).toEqual({ status: 400, body: { error } });
      }
    });

    it("the last bucket of a period is today", async () => {
      const today = (): string => new Date(target.nowMs()).toISOString().slice(0, 10);
      const before = today();
      const lastDays = [];
      for (const period of ["today", "7d", "12mo"]) {
        lastDays.push((await getSeries(target, siteName(), { period })).at(-1)?.date.slice(0, 10));
      }
      // A day may begin between the questions.
      for (const day of lastDays) expect([before, today()]).toContain(day);
    });

    itNeeds(makeTarget, "advance", "periods end on the current date", async () => {
      const clocked = await makeTarget();
      const site = siteName();
      const rangeOf = async (period: string) => {
        const labels = labelsOf(await getSeries(clocked, site, { period }));
        return [labels[0], labels.at(-1), labels.length];
      };
      expect({
        day: await rangeOf("day"),
        today: await rangeOf("today"),
        "7d": await rangeOf("7d"),
        "30d": await rangeOf("30d"),
        "90d": await rangeOf("90d"),
        "6mo": await rangeOf("6mo"),
        "12mo": await rangeOf("12mo"),
        month: await rangeOf("month"),
        year: await rangeOf("year"),
        all: await rangeOf("all"),
      }).toEqual({
        day: ["2026-03-15 00:00", "2026-03-15 23:00", 24],
        today: ["2026-03-15 00:00", "2026-03-15 23:00", 24],
        "7d": ["2026-03-09", "2026-03-15", 7],
        "30d": ["2026-02-14", "2026-03-15", 30],
        "90d": ["2025-12-16", "2026-03-15", 90],
        "6mo": ["2025-09-15", "2026-03-15", 182],
        "12mo": ["2025-03-16", "2026-03-15", 365],
        month: ["2026-03-01", "2026-03-15", 15],
        year: ["2026-01-01", "2026-03-15", 74],
        all: ["2026-03-15 00:00", "2026-03-15 23:00", 24],
      });
      expect(labelsOf(await getSeries(clocked, site))).toEqual(daysFrom("2026-02-14", 30));
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "all dates are those since the first event, by the month beyond a year", async () => {
      const clocked = await makeTarget();
      const site = siteName();
      const all = (more: Readonly<Record<string, string>> = {}) => getSeries(clocked, site, { period: "all", ...more });
      await record(clocked, wireEvent(site));
      await able(clocked, "advance")(3 * DAY_MS);
      await record(clocked, wireEvent(site));
      expect(labelsOf(await all())).toEqual(daysFrom("2026-03-15", 4));
      await able(clocked, "advance")(362 * DAY_MS);
      expect(labelsOf(await all())).toEqual(daysFrom("2026-03-15", 366));
      await able(clocked, "advance")(DAY_MS);
      const byMonth = await all();
      expect([byMonth.length, byMonth[0], byMonth.at(-1)?.date]).toEqual([
        13,
        { date: "2026-03-15", visitors: 2, pageviews: 2 },
        "2027-03-01",
      ]);
      expect(notEmpty(await all({ interval: "day" }))).toHaveLength(2);
      expect(await all({ interval: "week" })).toHaveLength(54);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "an event counts in the bucket of the hour or day in which it arrived", async () => {
      const clocked = await makeTarget({ SVC_VISITOR_SALT_ROTATION_DAYS: "3650" });
      const advance = able(clocked, "advance");
      const site = siteName();
      await record(clocked, wireEvent(site));
      await advance(HOUR_MS - 1);
      await record(clocked, wireEvent(site));
      await advance(1);
      await record(clocked, wireEvent(site));
      await advance(11 * HOUR_MS - 1);
      await record(clocked, wireEvent(site));
      await advance(1);
      await record(clocked, wireEvent(site));
      const hourly = await getSeries(clocked, site, { start_date: "2026-03-15", end_date: "2026-03-16" });
      expect(labelsOf(hourly)).toEqual(hoursFrom("2026-03-15", 48));
      expect(notEmpty(hourly)).toEqual([
        { date: "2026-03-15 12:00", visitors: 1, pageviews: 2 },
        { date: "2026-03-15 13:00", visitors: 1, pageviews: 1 },
        { date: "2026-03-15 23:00", visitors: 1, pageviews: 1 },
        { date: "2026-03-16 00:00", visitors: 1, pageviews: 1 },
      ]);
      const daily = await getSeries(clocked, site, { period: "7d" });
      expect(labelsOf(daily)).toEqual(daysFrom("2026-03-10", 7));
      expect(notEmpty(daily)).toEqual([
        { date: "2026-03-15", visitors: 1, pageviews: 4 },
        { date: "2026-03-16", visitors: 1, pageviews: 1 },
      ]);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "a visitor of several days counts once in a week, or once for each salt period in it", async () => {
      // 2026-03-15 is a Sunday; salt periods of seven days begin on Thursday.
      for (const [rotation, weeks] of [
        ["1", [1, 5]],
        ["7", [1, 2]],
      ] as const) {
        const clocked = await makeTarget({ SVC_VISITOR_SALT_ROTATION_DAYS: rotation });
        const site = siteName();
        for (let day = 0; day < 6; day++) {
          await record(clocked, wireEvent(site));
          await able(clocked, "advance")(DAY_MS);
        }
        const points = await getSeries(clocked, site, { start_date: "2026-03-15", end_date: "2026-03-31", interval: "week" });
        expect(points.slice(0, 2).map(({ visitors }) => visitors)).toEqual(weeks);
        await clocked.close();
      }
    });

    itNeeds(makeTarget, "advance", "events outside the range are not in the timeseries", async () => {
      const clocked = await makeTarget();
      const site = siteName();
      for (let day = 0; day < 5; day++) {
        await record(clocked, wireEvent(site));
        await able(clocked, "advance")(DAY_MS);
      }
      const points = await getSeries(clocked, site, { start_date: "2026-03-16", end_date: "2026-03-18" });
      expect(points).toEqual(daysFrom("2026-03-16", 3).map((date) => ({ date, visitors: 1, pageviews: 1 })));
      await clocked.close();
    });
  });
}
