/** Breakdowns and the list of sites (docs/http-api.md, "Breakdowns"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  expectAccepted,
  expectError,
  getBreakdown,
  getPixel,
  getSites,
  getStats,
  getValues,
  post,
  record,
  wireEvent,
  type RequestHeaders,
} from "../support/requests.ts";
import { DIMENSION_ROWS } from "../support/dimension-rows.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";
import { FIREFOX_LINUX } from "../support/user-agents.ts";

const siteName = siteNames("breakdown");

const visitor = (number: number): RequestHeaders => ({ "x-forwarded-for": `198.51.100.${number}` });

/** Every dimension but entry and exit pages, with the value that the one event of `everything` has there. */
const DIMENSIONS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(DIMENSION_ROWS).map(([dimension, { breakdown }]) => [dimension, breakdown]),
);

const everything = (siteId: string) => ({
  d: siteId,
  n: "Signup",
  u: "https://page.test/pricing/?utm_source=s&utm_medium=m&utm_campaign=c&utm_content=o&utm_term=t",
  r: "https://www.google.com/",
  w: 1440,
});

export function describeStatsBreakdown(makeTarget: MakeTarget): void {
  describe("breakdowns", () => {
    let target: Target;
    let full: string;
    let many: string;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
      full = siteName();
      await record(target, everything(full), { "user-agent": FIREFOX_LINUX, "x-forwarded-for": "8.8.8.8" });
      many = siteName();
      for (let page = 0; page < 12; page++) await record(target, wireEvent(many, { u: `/${String(page).padStart(2, "0")}` }));
    });
    afterAll(() => target.close());

    it.each(Object.entries(DIMENSIONS))("the dimension %s contains a row with the value %s", async (dimension, value) => {
      expect(await getBreakdown(target, full, dimension)).toEqual([{ value, visitors: 1, pageviews: 0, events: 1 }]);
    });

    it.each(["page", "Pages", "pathname", "visitor_id", "props", "toString", "__proto__", "pages;DROP", "%20pages", "pages%00"])(
      "the unknown dimension %s gives 400 and lists the known ones",
      async (dimension) => {
        const response = await target.fetch(`/api/stats/breakdown/${dimension}?site_id=${full}`);
        await expectError(response, 400, ...Object.keys(DIMENSIONS));
      },
    );

    it("rows of a breakdown are ordered by visitors, most first, then by value", async () => {
      const site = siteName();
      const views: readonly (readonly [page: string, visitors: readonly number[]])[] = [
        ["/b", [1, 2]],
        ["/a", [1, 2]],
        ["/most", [1, 2, 3]],
        ["/C", [1, 3]],
        ["/10", [4]],
        ["/9", [4]],
        ["/%F0%9F%98%80", [4]],
      ];
      for (const [u, visitors] of views) {
        for (const number of visitors) await record(target, wireEvent(site, { u }), visitor(number));
      }
      for (let view = 0; view < 5; view++) await record(target, wireEvent(site, { u: "/9" }), visitor(4));
      expect(await getBreakdown(target, site, "pages")).toEqual([
        { value: "/most", visitors: 3, pageviews: 3, events: 3 },
        { value: "/C", visitors: 2, pageviews: 2, events: 2 },
        { value: "/a", visitors: 2, pageviews: 2, events: 2 },
        { value: "/b", visitors: 2, pageviews: 2, events: 2 },
        { value: "/%F0%9F%98%80", visitors: 1, pageviews: 1, events: 1 },
        { value: "/10", visitors: 1, pageviews: 1, events: 1 },
        { value: "/9", visitors: 1, pageviews: 6, events: 6 },
      ]);
    });

    it("values that were not recorded appear as (unknown), sorted as that string", async () => {
      const site = siteName();
      for (const utm of ["", "?utm_source=!first", "?utm_source=a"]) await record(target, wireEvent(site, { u: `/${utm}` }));
      expect(await getValues(target, site, "utm-sources")).toEqual(["!first", "(unknown)", "a"]);
    });

    it("values that begin with a byte order mark keep it", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { n: "\ufeffSignup", p: JSON.stringify({ "\ufeffplan": 1, plan: "\ufeffpro" }) }));
      expect(await getValues(target, site, "events")).toEqual(["\ufeffSignup"]);
      expect(await getStats(target, "properties", { site_id: site })).toEqual(["plan", "\ufeffplan"]);
      expect(await getStats(target, "property-values", { site_id: site, key: "plan" })).toEqual([
        expect.objectContaining({ value: "\ufeffpro" }),
      ]);
    });

    it("page views and other events are counted separately", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/a" }), visitor(1));
      await record(target, wireEvent(site, { u: "/a", n: "Signup" }), visitor(1));
      await record(target, wireEvent(site, { u: "/a", n: "Signup" }), visitor(2));
      expect(await getBreakdown(target, site, "pages")).toEqual([{ value: "/a", visitors: 2, pageviews: 1, events: 3 }]);
      expect(await getBreakdown(target, site, "events")).toEqual([
        { value: "Signup", visitors: 2, pageviews: 0, events: 2 },
        { value: "pageview", visitors: 1, pageviews: 1, events: 1 },
      ]);
    });

    it("the default limit is ten rows", async () => {
      expect(await getBreakdown(target, many, "pages")).toHaveLength(10);
    });

    it.each([
      ["1", 1],
      ["11", 11],
      ["1000", 12],
    ])("a limit of %s gives %d of twelve rows", async (limit, count) => {
      const rows = await getBreakdown(target, many, "pages", { limit });
      expect(rows.map(({ value }) => value)).toEqual(Array.from({ length: count }, (_, i) => `/${String(i).padStart(2, "0")}`));
    });

    it.each(["0", "1001", "-1", "1.5", "", "ten", "1e2", " 5", "0x10", "99999999999999999999", "Infinity", "1;2"])(
      "a limit of %j gives 400",
      async (limit) => {
        const parameters = new URLSearchParams({ site_id: many, limit });
        await expectError(await target.fetch(`/api/stats/breakdown/pages?${parameters.toString()}`), 400, '"limit"', "1000");
      },
    );

    it("a limit given twice gives 400", async () => {
      await expectError(await target.fetch(`/api/stats/breakdown/pages?site_id=${many}&limit=1&limit=2`), 400, '"limit"', /once/);
    });

    it.each(["/api/stats/breakdown", "/api/stats/breakdown/", "/api/stats/breakdown/pages/more"])("%s gives 404", async (path) => {
      await expectError(await target.fetch(`${path}?site_id=${many}`), 404);
    });
  });

  describe("rows of breakdowns", () => {
    let target: Target;
    let site: string;
    const get = (parameters: Readonly<Record<string, string>>, dimension = "pages", method = "GET"): Promise<Response> =>
      target.fetch(`/api/stats/breakdown/${dimension}?${new URLSearchParams({ site_id: site, ...parameters }).toString()}`, { method });
    const rows = async (parameters: Readonly<Record<string, string>>, dimension = "pages"): Promise<unknown> => {
      const response = await get(parameters, dimension);
      expect(response.status, await response.clone().text()).toBe(200);
      return response.json();
    };
    const plainRow = (value: string, visitors: number, pageviews: number, events: number) => ({ value, visitors, pageviews, events });
    const [A, B, C] = [plainRow("/a", 2, 2, 3), plainRow("/b", 1, 1, 1), plainRow("/Cc", 1, 1, 1)];
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
      site = siteName();
      await record(target, wireEvent(site, { u: "/a" }), visitor(1));
      await record(target, wireEvent(site, { u: "/b" }), visitor(1));
      await record(target, wireEvent(site, { u: "/a", n: "=Büy", ra: 29.9, rc: "EUR" }), visitor(1));
      await record(target, wireEvent(site, { u: "/a" }), visitor(2));
      await record(target, wireEvent(site, { u: "/Cc" }), visitor(3));
    });
    afterAll(() => target.close());

    it("contain the requested columns in their order", async () => {
      const columns = "revenue,views_per_visit,sessions,bounce_rate,conversions,conversion_rate";
      const body = await rows({ columns, goal: "=Büy", currency: "EUR", limit: "1" });
      const numbers = { revenue: 29.9, views_per_visit: 1.5, sessions: 2, bounce_rate: 0.5, conversions: 1, conversion_rate: 0.5 };
      expect(body).toEqual([{ ...A, ...numbers }]);
      expect(Object.keys((body as object[])[0] ?? {})).toEqual(["value", "visitors", "pageviews", "events", ...columns.split(",")]);
    });

    it("contain conversions of whole visits, like a filter on the goal, while a filter on the event has only its own page", async () => {
      const converted = (await rows({ columns: "conversions", goal: "=Büy" })) as readonly { value: string; conversions: number }[];
      expect(converted.map(({ value, conversions }) => [value, conversions])).toEqual([
        ["/a", 1],
        ["/Cc", 0],
        ["/b", 1],
      ]);
      expect(await rows({ filters: "goal===Büy" })).toEqual([plainRow("/a", 1, 1, 2), plainRow("/b", 1, 1, 1)]);
      expect(await rows({ filters: "events===Büy" })).toEqual([plainRow("/a", 1, 0, 1)]);
    });

    it.each(["/a", "/b"])("contain the numbers of main with a filter on %s", async (value) => {
      const columns = "sessions,bounce_rate,avg_visit_duration_secs,views_per_visit";
      const found = (await rows({ columns })) as readonly (Readonly<Record<string, unknown>> & { readonly value: string })[];
      const main = (await getStats(target, "main", { site_id: site, filters: `pages==${value}` })) as Readonly<Record<string, unknown>>;
      expect(found.find((row) => row.value === value)).toEqual({
        value,
        visitors: main["unique_visitors"],
        pageviews: main["total_pageviews"],
        events: main["total_events"],
        sessions: main["total_sessions"],
        bounce_rate: main["bounce_rate"],
        avg_visit_duration_secs: main["avg_visit_duration_secs"],
        views_per_visit: main["views_per_visit"],
      });
    });

    it("describe the sessions that begin or end at a page", async () => {
      expect(await rows({ columns: "sessions,views_per_visit,revenue", currency: "EUR" }, "exit-pages")).toEqual([
        { ...plainRow("/Cc", 1, 1, 1), sessions: 1, views_per_visit: 1, revenue: 0 },
        { ...plainRow("/a", 1, 1, 1), sessions: 1, views_per_visit: 1, revenue: 0 },
        { ...plainRow("/b", 1, 1, 1), sessions: 1, views_per_visit: 2, revenue: 29.9 },
      ]);
    });

    it.each([
      ["value:asc", [C, A, B]],
      ["value:desc", [B, A, C]],
      ["events:asc", [C, B, A]],
      ["visitors:desc", [A, C, B]],
    ] as const)("are sorted by %s, equal ones by value", async (sort, sorted) => {
      expect(await rows({ sort })).toEqual(sorted);
    });

    it("are sorted by a further column", async () => {
      const sorted = (await rows({ columns: "bounce_rate", sort: "bounce_rate:asc" })) as readonly { readonly value: string }[];
      expect(sorted.map(({ value }) => value)).toEqual(["/b", "/a", "/Cc"]);
    });

    it("are returned in pages, with the total number", async () => {
      expect(await rows({ sort: "value:asc", offset: "1", limit: "1", with_total: "true" })).toEqual({ total: 3, rows: [A] });
      expect(await rows({ offset: "1000000", with_total: "true" })).toEqual({ total: 3, rows: [] });
    });

    it.each([
      ["a", [A]],
      ["cC", [C]],
      ["/", [A, C, B]],
      ["", [A, C, B]],
      ["*", []],
      ["no such", []],
    ] as const)("are found if they contain %j, ignoring case", async (search, found) => {
      expect(await rows({ search })).toEqual(found);
      expect(await rows({ search, with_total: "true" })).toMatchObject({ total: found.length });
    });

    it("are found in any alphabet, ignoring case", async () => {
      expect(await rows({ search: "BÜ" }, "events")).toEqual([plainRow("=Büy", 1, 0, 1)]);
    });

    it("are found by the displayed label if they were not recorded", async () => {
      const found = [plainRow("(unknown)", 3, 4, 5)];
      expect(await rows({ search: "Unkn" }, "utm-sources")).toEqual(found);
      expect(await rows({ search: "DIRECT /", unknown_label: "Direct / none" }, "utm-sources")).toEqual(found);
      expect(await rows({ search: "Unkn", unknown_label: "Direct / none", with_total: "true" }, "utm-sources")).toEqual({
        total: 0,
        rows: [],
      });
      expect(await rows({ unknown_label: "x".repeat(257) }, "utm-sources")).toEqual(await rows({}, "utm-sources"));
    });

    it("are compared with the same values of another window, even beyond its first rows", async () => {
      const columns = "sessions,comparison";
      const none = { visitors: 0, pageviews: 0, events: 0, sessions: 0 };
      expect(await rows({ period: "day", columns, limit: "1" })).toEqual([{ ...A, sessions: 2, comparison: none }]);
      const today = new Date(target.nowMs()).toISOString().slice(0, 10);
      const same = { compare: "custom", compare_start_date: today, compare_end_date: today };
      const { value: _, ...numbers } = B;
      expect(await rows({ period: "day", columns, sort: "value:desc", limit: "1", ...same })).toEqual([
        { ...B, sessions: 1, comparison: { ...numbers, sessions: 1 } },
      ]);
    });

    it("ignore the parameters of a comparison without its column", async () => {
      const response = await target.fetch(
        `/api/stats/breakdown/pages?site_id=${site}&compare=never&compare=twice&compare_start_date=x&compare_same_time=`,
      );
      expect(await response.json()).toEqual([A, C, B]);
    });

    it("ignore a goal and a currency without columns that need them", async () => {
      for (const query of ["currency=eur&goal=", "currency=&goal=a&goal=b", "columns=&currency=euro"]) {
        expect(await (await target.fetch(`/api/stats/breakdown/pages?site_id=${site}&${query}`)).json()).toEqual([A, C, B]);
      }
    });

    it("rows of breakdowns are the same in CSV", async () => {
      const parameters = { format: "csv", columns: "revenue,comparison", currency: "EUR", sort: "value:asc", period: "day" };
      const response = await get(parameters, "events");
      expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="sandpiper-events-\d{4}-\d\d-\d\d\.csv"$/);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(await response.text()).toBe(
        "value,visitors,pageviews,events,revenue,comparison_visitors,comparison_pageviews,comparison_events,comparison_revenue\n" +
          `"'=Büy","1","0","1","29.9","0","0","0","0"\n"pageview","3","4","4","0","0","0","0","0"\n`,
      );
      const head = await get(parameters, "events", "HEAD");
      expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([200, "text/csv; charset=utf-8", ""]);
    });

    it("in CSV begin with their header even if there are none", async () => {
      expect(await (await get({ format: "csv", search: "no such" })).text()).toBe("value,visitors,pageviews,events\n");
      const marked = Buffer.from(await (await get({ format: "csv", search: "no such", bom: "true" })).arrayBuffer());
      expect(marked.toString("utf8")).toBe("\ufeffvalue,visitors,pageviews,events\n");
    });

    const refused: readonly (readonly [parameters: Readonly<Record<string, string>>, field: string, rule: string])[] = [
      [{ columns: "visitors" }, '"columns"', "bounce_rate"],
      [{ columns: "sessions,sessions," }, '"columns"', "joined by commas"],
      [{ columns: "conversions" }, '"goal"', "conversions"],
      [{ columns: "revenue" }, '"currency"', "revenue"],
      [{ columns: "revenue", currency: "eur" }, '"currency"', "EUR"],
      [{ columns: "conversion_rate", goal: "" }, '"goal"', "256"],
      [{ columns: "comparison", compare: "never" }, '"compare"', "previous_period"],
      [{ columns: "comparison", compare: "custom" }, '"compare_start_date"', "required"],
      [{ sort: "visitors" }, '"sort"', ":desc"],
      [{ sort: "sessions:asc" }, '"sort"', '"columns"'],
      [{ sort: "toString:asc" }, '"sort"', "value"],
      [{ offset: "1000001" }, '"offset"', "1000000"],
      [{ offset: "-1" }, '"offset"', "1000000"],
      [{ search: "x".repeat(257) }, '"search"', "256"],
      [{ search: "x", unknown_label: "x".repeat(257) }, '"unknown_label"', "256"],
      [{ with_total: "yes" }, '"with_total"', "true"],
      [{ format: "xml" }, '"format"', "csv"],
    ];
    it.each(refused)("with %j give 400", async (parameters, field, rule) => {
      await expectError(await get(parameters), 400, field, rule);
    });
  });

  describe("sites", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget();
    });
    afterAll(() => target.close());

    it("a site is listed once, as soon as it has an event, and the list is sorted", async () => {
      const [posted, measured] = [siteName(), siteName()];
      expect(await getSites(target)).not.toContain(posted);
      await record(target, wireEvent(posted));
      await record(target, wireEvent(posted));
      await getPixel(target, { d: measured, u: "/" });
      await expectAccepted(await post(target, wireEvent("A:very.Strange_id")));
      const sites = await getSites(target);
      expect(sites).toEqual(expect.arrayContaining(["A:very.Strange_id", posted, measured]));
      expect(sites).toEqual([...new Set(sites)].sort());
    });

    it("the response is an object with one list", async () => {
      const response = await target.fetch("/api/sites");
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(await response.json()).toEqual({ sites: expect.any(Array) as unknown });
    });
  });
}
