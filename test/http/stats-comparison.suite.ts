/** Comparison with an earlier window (docs/http-api.md, "Comparison"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, getMain, getStats, record, wireEvent, type StatsParameters } from "../support/requests.ts";
import { FILTERED_ENDPOINTS, askStats, getComparison, getStatsText, visitor, type Comparison } from "../support/stats-requests.ts";
import { able, itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("comparison");

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

type Window = readonly [start: string, end: string];

/** A range and the windows it is compared with, worked out by hand. */
const WINDOWS: readonly { readonly name: string; readonly range: Window; readonly previous: Window; readonly yearAgo: Window }[] = [
  { name: "one day", range: ["2026-03-15", "2026-03-15"], previous: ["2026-03-14", "2026-03-14"], yearAgo: ["2025-03-15", "2025-03-15"] },
  { name: "two days", range: ["2026-03-01", "2026-03-02"], previous: ["2026-02-27", "2026-02-28"], yearAgo: ["2025-03-01", "2025-03-02"] },
  {
    name: "a month of 31 days",
    range: ["2026-03-01", "2026-03-31"],
    previous: ["2026-01-29", "2026-02-28"],
    yearAgo: ["2025-03-01", "2025-03-31"],
  },
  {
    name: "new year's day",
    range: ["2026-01-01", "2026-01-01"],
    previous: ["2025-12-31", "2025-12-31"],
    yearAgo: ["2025-01-01", "2025-01-01"],
  },
  {
    name: "a leap day",
    range: ["2024-02-29", "2024-02-29"],
    previous: ["2024-02-28", "2024-02-28"],
    yearAgo: ["2023-03-01", "2023-03-01"],
  },
  {
    name: "the day after a leap day",
    range: ["2024-03-01", "2024-03-01"],
    previous: ["2024-02-29", "2024-02-29"],
    yearAgo: ["2023-03-02", "2023-03-02"],
  },
  {
    name: "the 28th of February after a leap year",
    range: ["2025-02-28", "2025-02-28"],
    previous: ["2025-02-27", "2025-02-27"],
    yearAgo: ["2024-02-29", "2024-02-29"],
  },
  {
    name: "a February across a leap day",
    range: ["2024-02-28", "2024-03-01"],
    previous: ["2024-02-25", "2024-02-27"],
    yearAgo: ["2023-02-28", "2023-03-02"],
  },
  { name: "a year", range: ["2025-01-01", "2025-12-31"], previous: ["2024-01-02", "2024-12-31"], yearAgo: ["2024-01-02", "2024-12-31"] },
  {
    name: "a leap year of 366 days",
    range: ["2024-01-01", "2024-12-31"],
    previous: ["2022-12-31", "2023-12-31"],
    yearAgo: ["2023-01-01", "2024-01-01"],
  },
  {
    name: "366 days from a leap day on",
    range: ["2024-02-29", "2025-02-28"],
    previous: ["2023-02-28", "2024-02-28"],
    yearAgo: ["2023-03-01", "2024-02-29"],
  },
  {
    name: "a century's end without a leap day",
    range: ["2100-03-01", "2100-03-01"],
    previous: ["2100-02-28", "2100-02-28"],
    yearAgo: ["2099-03-01", "2099-03-01"],
  },
  {
    name: "the first days there are",
    range: ["0001-01-01", "0001-01-02"],
    previous: ["0000-12-30", "0000-12-31"],
    yearAgo: ["0000-01-02", "0000-01-03"],
  },
  {
    name: "the last days there are",
    range: ["9999-12-30", "9999-12-31"],
    previous: ["9999-12-28", "9999-12-29"],
    yearAgo: ["9998-12-30", "9998-12-31"],
  },
];

const NOTHING = {
  unique_visitors: 0,
  total_pageviews: 0,
  total_events: 0,
  total_sessions: 0,
  bounce_rate: 0,
  avg_visit_duration_secs: 0,
};

const dated = (start_date: string, end_date: string): StatsParameters => ({ start_date, end_date });

const customOf = (compare_start_date: string, compare_end_date: string): StatsParameters => ({
  compare: "custom",
  compare_start_date,
  compare_end_date,
});

const CUSTOM = customOf("2026-01-01", "2026-01-31");

const BAD_CUSTOM: readonly { readonly name: string; readonly parameters: StatsParameters; readonly says: readonly (string | RegExp)[] }[] =
  [
    { name: "compare=custom without dates", parameters: { compare: "custom" }, says: ['"compare_start_date"', /required/] },
    {
      name: "compare=custom without a first date",
      parameters: { compare: "custom", compare_end_date: "2026-01-31" },
      says: ['"compare_start_date"', /required/],
    },
    {
      name: "compare=custom without a last date",
      parameters: { compare: "custom", compare_start_date: "2026-01-31" },
      says: ['"compare_end_date"', /required/],
    },
    {
      name: "a first date that does not exist",
      parameters: customOf("2026-02-30", "2026-03-01"),
      says: ['"compare_start_date"', "YYYY-MM-DD"],
    },
    { name: "a last date in another form", parameters: customOf("2026-02-01", "2026-3-1"), says: ['"compare_end_date"', "YYYY-MM-DD"] },
    { name: "an empty date", parameters: customOf("", "2026-03-01"), says: ['"compare_start_date"', "YYYY-MM-DD"] },
    { name: "an end before the start", parameters: customOf("2026-03-02", "2026-03-01"), says: ['"compare_end_date"', /before/] },
    { name: "a window of 367 days", parameters: customOf("2024-01-01", "2025-01-01"), says: ['"compare_start_date"', "366"] },
    { name: "compare_same_time=1", parameters: { ...CUSTOM, compare_same_time: "1" }, says: ['"compare_same_time"', "true", "false"] },
    {
      name: "a date without compare",
      parameters: { compare_start_date: "2026-01-01" },
      says: ['"compare_start_date"', '"compare"', "custom"],
    },
    {
      name: "a date with another comparison",
      parameters: { ...CUSTOM, compare: "previous_period" },
      says: ['"compare_start_date"', '"compare"', "custom"],
    },
    {
      name: "the same time with another comparison",
      parameters: { compare: "year_over_year", compare_same_time: "true" },
      says: ['"compare_same_time"', '"compare"', "custom"],
    },
  ];

export function describeStatsComparison(makeTarget: MakeTarget): void {
  describe("comparison", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget();
    });
    afterAll(() => target.close());

    it.each(WINDOWS)(
      "$name is compared with the window of the same length directly before",
      async ({ range: [start_date, end_date], previous }) => {
        const comparison = await getComparison(target, siteName(), { start_date, end_date, compare: "previous_period" });
        expect(comparison).toEqual({ start_date: previous[0], end_date: previous[1], ...NOTHING });
      },
    );

    it.each(WINDOWS)("$name is compared with the same dates 365 days before", async ({ range: [start_date, end_date], yearAgo }) => {
      const comparison = await getComparison(target, siteName(), { start_date, end_date, compare: "year_over_year" });
      expect(comparison).toEqual({ start_date: yearAgo[0], end_date: yearAgo[1], ...NOTHING });
    });

    it.each(["previous_period", "year_over_year"])(
      "dates before the first of the calendar give 400, even with compare=%s",
      async (compare) => {
        for (const start_date of ["0000-01-01", "0000-12-31"]) {
          const parameters = { site_id: siteName(), start_date, end_date: start_date, compare };
          await expectError(await askStats(target, "main", parameters), 400, '"start_date"', "YYYY-MM-DD");
        }
      },
    );

    it.each([1, 2, 7, 30, 90, 365, 366])("the windows of a comparison have the same length and do not overlap: %d days", async (days) => {
      const end = Date.parse("2024-06-30");
      const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
      const range = { start_date: dateOf(end - (days - 1) * DAY_MS), end_date: dateOf(end) };
      const previous = await getComparison(target, siteName(), { ...range, compare: "previous_period" });
      expect(Date.parse(range.start_date) - Date.parse(previous.end_date)).toBe(DAY_MS);
      expect(Date.parse(previous.end_date) - Date.parse(previous.start_date)).toBe((days - 1) * DAY_MS);
      const yearAgo = await getComparison(target, siteName(), { ...range, compare: "year_over_year" });
      expect(Date.parse(yearAgo.end_date) - Date.parse(yearAgo.start_date)).toBe((days - 1) * DAY_MS);
      expect(Date.parse(range.start_date) - Date.parse(yearAgo.start_date)).toBe(365 * DAY_MS);
    });

    it("without compare the result has no comparison", async () => {
      expect(Object.keys(await getMain(target, siteName()))).not.toContain("comparison");
    });

    it.each(BAD_CUSTOM)("$name gives 400 with the parameter and the rule", async ({ parameters, says }) => {
      await expectError(await askStats(target, "main", { site_id: siteName(), ...parameters }), 400, ...says);
    });

    it("a custom window may be of any length up to 366 days, before, after or across the range", async () => {
      const range = { start_date: "2026-03-01", end_date: "2026-03-07", compare: "custom" };
      for (const [compare_start_date, compare_end_date] of [
        ["2026-02-28", "2026-02-28"],
        ["2026-03-05", "2026-03-20"],
        ["2023-06-01", "2024-05-31"],
        ["0001-01-01", "0001-01-02"],
      ] as const) {
        expect(await getComparison(target, siteName(), { ...range, compare_start_date, compare_end_date })).toEqual({
          start_date: compare_start_date,
          end_date: compare_end_date,
          ...NOTHING,
          views_per_visit: 0,
        });
      }
    });

    it("a custom window may be longer if the range may", async () => {
      const range = dated("2026-03-01", "2026-03-07");
      for (const longer of [{ ...range, interval: "day" }, { period: "all" }]) {
        const window = customOf("2024-01-01", "2025-12-31");
        expect(await getComparison(target, siteName(), { ...longer, ...window })).toMatchObject({
          start_date: "2024-01-01",
          end_date: "2025-12-31",
        });
      }
      await expectError(
        await askStats(target, "main", { site_id: siteName(), ...range, interval: "day", ...customOf("1990-01-01", "2025-12-31") }),
        400,
        '"compare_start_date"',
        "10000",
      );
    });

    it("a custom window is whole if the range does not include the current date", async () => {
      const parameters = { ...dated("2026-01-01", "2026-01-07"), ...customOf("2025-12-25", "2025-12-31"), compare_same_time: "true" };
      expect(Object.keys(await getComparison(target, siteName(), parameters))).not.toContain("ends_at");
    });

    it.each(["", "previous", "PREVIOUS_PERIOD", "previous_period ", "previous_period,year_over_year", "none", "null", "toString", "365"])(
      "compare=%j gives 400 and lists the allowed values",
      async (compare) => {
        const response = await askStats(target, "main", { site_id: siteName(), compare });
        await expectError(response, 400, '"compare"', "previous_period", "year_over_year");
      },
    );

    it("compare given twice gives 400", async () => {
      const path = `/api/stats/main?site_id=${siteName()}&compare=previous_period&compare=previous_period`;
      await expectError(await target.fetch(path), 400, '"compare"', /once/);
    });

    it.each(FILTERED_ENDPOINTS.filter(([endpoint]) => endpoint !== "main"))(
      "/api/stats/%s ignores compare, even with an invalid value",
      async (endpoint, parameters) => {
        const site = siteName();
        for (const compare of ["previous_period", "nonsense", ""]) {
          const { status } = await askStats(target, endpoint, { site_id: site, ...parameters, compare });
          expect({ compare, status }).toEqual({ compare, status: 200 });
        }
      },
    );

    it("without the behavioral extension the session metrics are null in both windows", async () => {
      const plain = await makeTarget({ SVC_BEHAVIORAL: "false" });
      const site = siteName();
      await record(plain, wireEvent(site));
      const parameters = { start_date: "2026-01-02", end_date: "2026-01-02", compare: "previous_period" };
      expect(await getMain(plain, site, parameters)).toEqual({
        unique_visitors: 0,
        total_pageviews: 0,
        total_events: 0,
        views_per_visitor: 0,
        total_sessions: null,
        bounce_rate: null,
        avg_visit_duration_secs: null,
        views_per_visit: null,
        behavioral_available: false,
        comparison: {
          start_date: "2026-01-01",
          end_date: "2026-01-01",
          unique_visitors: 0,
          total_pageviews: 0,
          total_events: 0,
          total_sessions: null,
          bounce_rate: null,
          avg_visit_duration_secs: null,
        },
      });
      const { compare: _replaced, ...range } = parameters;
      expect(await getComparison(plain, site, { ...range, ...CUSTOM })).toMatchObject({ total_sessions: null, views_per_visit: null });
      await plain.close();
    });

    itNeeds(makeTarget, "advance", "each side of a comparison has the metrics of its own window, and filters narrow both", async () => {
      const clocked = await makeTarget({ SVC_TRUST_PROXY: "1" });
      const advance = able(clocked, "advance");
      const site = siteName();
      // 2026-03-15 and 16: two visitors, of whom one stays ten minutes; 2026-03-17 and 18: one that bounces, one event beside it.
      await record(clocked, wireEvent(site, { u: "/a" }), visitor(1));
      await advance(10 * MINUTE_MS);
      await record(clocked, wireEvent(site, { u: "/b" }), visitor(1));
      await advance(DAY_MS);
      await record(clocked, wireEvent(site, { u: "/a" }), visitor(2));
      await advance(DAY_MS);
      await record(clocked, wireEvent(site, { u: "/a" }), visitor(3));
      await advance(DAY_MS);
      await record(clocked, wireEvent(site, { u: "/b", n: "Signup" }), visitor(4));
      const range = { start_date: "2026-03-17", end_date: "2026-03-18", compare: "previous_period" };
      expect(await getMain(clocked, site, range)).toEqual({
        unique_visitors: 2,
        total_pageviews: 1,
        total_events: 2,
        views_per_visitor: 0.5,
        total_sessions: 2,
        bounce_rate: 0.5,
        avg_visit_duration_secs: 0,
        views_per_visit: 0.5,
        behavioral_available: true,
        comparison: {
          start_date: "2026-03-15",
          end_date: "2026-03-16",
          unique_visitors: 2,
          total_pageviews: 3,
          total_events: 3,
          total_sessions: 2,
          bounce_rate: 0.5,
          avg_visit_duration_secs: 300,
        },
      });
      expect(await getMain(clocked, site, { ...range, filters: "pages==/b" })).toEqual({
        unique_visitors: 1,
        total_pageviews: 0,
        total_events: 1,
        views_per_visitor: 0,
        total_sessions: 1,
        bounce_rate: 0,
        avg_visit_duration_secs: 0,
        views_per_visit: 0,
        behavioral_available: true,
        comparison: {
          start_date: "2026-03-15",
          end_date: "2026-03-16",
          unique_visitors: 1,
          total_pageviews: 1,
          total_events: 1,
          total_sessions: 1,
          bounce_rate: 0,
          avg_visit_duration_secs: 600,
        },
      });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "a custom window ends at the time of day that it is now, and sessions with it", async () => {
      const clocked = await makeTarget({ SVC_TRUST_PROXY: "1" });
      const advance = able(clocked, "advance");
      const site = siteName();
      // 2026-03-15, 12:00: a session of two pages, and 12:20: one that goes on at 12:40.
      await record(clocked, wireEvent(site, { u: "/a" }), visitor(1));
      await advance(10 * MINUTE_MS);
      await record(clocked, wireEvent(site, { u: "/b" }), visitor(1));
      await advance(10 * MINUTE_MS);
      await record(clocked, wireEvent(site, { u: "/a" }), visitor(2));
      await advance(20 * MINUTE_MS);
      await record(clocked, wireEvent(site, { u: "/b" }), visitor(2));
      const cut = (more: StatsParameters = {}) => {
        const window = customOf("2026-03-15", "2026-03-15");
        return getComparison(clocked, site, { period: "day", ...window, compare_same_time: "true", ...more });
      };
      await advance(DAY_MS - 20 * MINUTE_MS);
      expect(await cut()).toMatchObject({
        unique_visitors: 1,
        total_pageviews: 2,
        views_per_visit: 2,
        ends_at: "2026-03-15T12:20:00.000Z",
      });
      await advance(20 * MINUTE_MS);
      const day = { start_date: "2026-03-15", end_date: "2026-03-15", unique_visitors: 2, total_sessions: 2 };
      expect(await cut()).toEqual({
        ...day,
        total_pageviews: 3,
        total_events: 3,
        bounce_rate: 0.5,
        avg_visit_duration_secs: 300,
        views_per_visit: 1.5,
        ends_at: "2026-03-15T12:40:00.000Z",
      });
      // Whether a session matches is decided by its events before that time, too.
      expect(await cut({ filters: "pages==/b" })).toMatchObject({ total_sessions: 1, avg_visit_duration_secs: 600 });
      expect(await cut({ compare_same_time: "false" })).toMatchObject({ total_pageviews: 4, views_per_visit: 2 });
      expect(await cut({ compare_start_date: "2026-03-01" })).toMatchObject({ total_pageviews: 3, ends_at: "2026-03-15T12:40:00.000Z" });
      await advance(1);
      expect(await cut()).toEqual({
        ...day,
        total_pageviews: 4,
        total_events: 4,
        bounce_rate: 0,
        avg_visit_duration_secs: 900,
        views_per_visit: 2,
        ends_at: "2026-03-15T12:40:00.001Z",
      });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "a cached comparison stays that of its moment: both of its windows grow together", async () => {
      const clocked = await makeTarget({ SVC_CACHE_TTL_SECS: "60" });
      const advance = able(clocked, "advance");
      const site = siteName();
      for (let minute = 0; minute < 3; minute++) {
        await record(clocked, wireEvent(site));
        await advance(MINUTE_MS / 2);
      }
      await advance(DAY_MS - (3 * MINUTE_MS) / 2);
      const at = async () => {
        const parameters = { period: "day", ...customOf("2026-03-15", "2026-03-15"), compare_same_time: "true" };
        const asked = { site_id: site, ...parameters };
        const { total_events, comparison } = await getStats<{ total_events: number; comparison: Comparison }>(clocked, "main", asked);
        return [total_events, comparison.total_events, comparison.ends_at];
      };
      await advance(1000);
      await record(clocked, wireEvent(site));
      expect(await at()).toEqual([1, 1, "2026-03-15T12:00:01.000Z"]);
      await advance(59_000);
      await record(clocked, wireEvent(site));
      expect(await at()).toEqual([1, 1, "2026-03-15T12:00:01.000Z"]);
      await advance(1000);
      expect(await at()).toEqual([2, 3, "2026-03-15T12:01:01.000Z"]);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "the windows of a comparison meet at midnight: each event is in exactly one", async () => {
      const clocked = await makeTarget();
      const advance = able(clocked, "advance");
      const site = siteName();
      await advance(12 * 60 * MINUTE_MS - 1);
      await record(clocked, wireEvent(site));
      await advance(1);
      await record(clocked, wireEvent(site));
      await record(clocked, wireEvent(site));
      expect(await getMain(clocked, site, { period: "day", compare: "previous_period" })).toMatchObject({
        total_events: 2,
        comparison: { total_events: 1 },
      });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "year_over_year compares with the dates 365 days earlier, across a leap day", async () => {
      const clocked = await makeTarget();
      const advance = able(clocked, "advance");
      const site = siteName();
      const compared = (start_date: string) =>
        getComparison(clocked, site, { start_date, end_date: start_date, compare: "year_over_year" });
      // From 2026-03-15 to 2028-02-29.
      await advance(716 * DAY_MS);
      await record(clocked, wireEvent(site));
      expect(await compared("2029-02-27")).toMatchObject({ start_date: "2028-02-28", total_events: 0 });
      expect(await compared("2029-02-28")).toMatchObject({ start_date: "2028-02-29", total_events: 1 });
      expect(await compared("2029-03-01")).toMatchObject({ start_date: "2028-03-01", total_events: 0 });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "a period is compared like its dates", async () => {
      const clocked = await makeTarget();
      const site = siteName();
      const windowOf = async (parameters: StatsParameters) => {
        const { start_date, end_date } = await getComparison(clocked, site, { compare: "previous_period", ...parameters });
        return [start_date, end_date];
      };
      expect({
        day: await windowOf({ period: "day" }),
        today: await windowOf({ period: "today" }),
        "7d": await windowOf({ period: "7d" }),
        "30d": await windowOf({ period: "30d" }),
        "90d": await windowOf({ period: "90d" }),
        "12mo": await windowOf({ period: "12mo" }),
        none: await windowOf({}),
      }).toEqual({
        day: ["2026-03-14", "2026-03-14"],
        today: ["2026-03-14", "2026-03-14"],
        "7d": ["2026-03-02", "2026-03-08"],
        "30d": ["2026-01-15", "2026-02-13"],
        "90d": ["2025-09-17", "2025-12-15"],
        "12mo": ["2024-03-16", "2025-03-15"],
        none: ["2026-01-15", "2026-02-13"],
      });
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "goals and revenue have the numbers of the other window on request", async () => {
      const clocked = await makeTarget({ SVC_TRUST_PROXY: "1" });
      const advance = able(clocked, "advance");
      const site = siteName();
      // 2026-03-15: two visitors, of whom one pays and one signs up; 2026-03-16: two visitors, who both pay, one in dollars.
      await record(clocked, wireEvent(site, { n: "Purchase", ra: 10, rc: "EUR" }), visitor(1));
      await record(clocked, wireEvent(site, { n: "Signup" }), visitor(2));
      await advance(DAY_MS);
      await record(clocked, wireEvent(site, { n: "Purchase", ra: 25.5, rc: "EUR" }), visitor(3));
      await record(clocked, wireEvent(site, { n: "Purchase", ra: 5, rc: "USD" }), visitor(4));
      const asked = { site_id: site, period: "day", include: "comparison" };
      expect(await getStats(clocked, "goals", asked)).toEqual([
        { name: "Purchase", visitors: 2, events: 2, conversion_rate: 1, comparison: { visitors: 1, events: 1, conversion_rate: 0.5 } },
        { name: "Signup", visitors: 0, events: 0, conversion_rate: 0, comparison: { visitors: 1, events: 1, conversion_rate: 0.5 } },
      ]);
      const [eur, usd] = [
        { currency: "EUR", total: 25.5, transactions: 1 },
        { currency: "USD", total: 5, transactions: 1 },
      ];
      const none = { total: 0, transactions: 0, paying_visitors: 0, average_order_value: 0 };
      const { by_currency: byCurrency } = await getStats<{ by_currency: unknown }>(clocked, "revenue", asked);
      expect(byCurrency).toEqual([
        {
          ...{ ...eur, paying_visitors: 1, average_order_value: 25.5 },
          comparison: { total: 10, transactions: 1, paying_visitors: 1, average_order_value: 10 },
        },
        { ...usd, paying_visitors: 1, average_order_value: 5, comparison: none },
      ]);
      const cut = { ...asked, ...customOf("2026-03-15", "2026-03-15"), compare_same_time: "true" };
      expect(await getStats(clocked, "goals", cut)).toMatchObject([{ name: "Purchase", comparison: { visitors: 0, conversion_rate: 0 } }]);
      await expectError(
        await askStats(clocked, "goals", { ...asked, include: "all" }),
        400,
        '"include" must be one of comparison, got "all"',
      );
      await expectError(await askStats(clocked, "revenue", { ...asked, compare: "custom" }), 400, '"compare_start_date"', /required/);
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "revenue over time is that of one currency", async () => {
      const clocked = await makeTarget({ SVC_TRUST_PROXY: "1" });
      const site = siteName();
      await record(clocked, wireEvent(site, { n: "Purchase", ra: 10, rc: "EUR" }), visitor(1));
      await able(clocked, "advance")(DAY_MS);
      await record(clocked, wireEvent(site, { n: "Purchase", ra: -0.1, rc: "EUR" }), visitor(1));
      await record(clocked, wireEvent(site, { n: "Purchase", ra: 5, rc: "USD" }), visitor(1));
      const range = { site_id: site, start_date: "2026-03-14", end_date: "2026-03-16", include: "revenue" };
      expect(await getStats(clocked, "timeseries", { ...range, currency: "EUR" })).toEqual([
        { date: "2026-03-14", visitors: 0, pageviews: 0, revenue: 0 },
        { date: "2026-03-15", visitors: 1, pageviews: 0, revenue: 10 },
        { date: "2026-03-16", visitors: 1, pageviews: 0, revenue: -0.1 },
      ]);
      await expectError(await askStats(clocked, "timeseries", range), 400, '"currency" is required when "include" is revenue');
      await expectError(
        await askStats(clocked, "timeseries", { ...range, currency: "eur" }),
        400,
        '"currency" must be three capital letters',
      );
      await clocked.close();
    });

    itNeeds(makeTarget, "advance", "other reports have the same result with and without compare", async () => {
      const clocked = await makeTarget();
      const site = siteName();
      await record(clocked, wireEvent(site, { p: '{"plan":"pro"}' }));
      for (const [endpoint, parameters] of FILTERED_ENDPOINTS.filter(([name]) => name !== "main")) {
        const plain = await getStatsText(clocked, endpoint, { site_id: site, ...parameters });
        expect(await getStatsText(clocked, endpoint, { site_id: site, ...parameters, compare: "previous_period" }), endpoint).toBe(plain);
      }
      await clocked.close();
    });
  });
}
