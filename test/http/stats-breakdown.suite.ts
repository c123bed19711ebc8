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

    it.each(Object.entries(DIMENSIONS))("the dimension %s has a row with the value %s", async (dimension, value) => {
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
