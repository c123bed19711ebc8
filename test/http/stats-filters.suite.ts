/** Filters (docs/http-api.md, "Filters"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  expectError,
  getBreakdown,
  getMain,
  getStats,
  record,
  wireEvent,
  type BreakdownRow,
  type RequestHeaders,
  type StatsParameters,
  type WireFields,
} from "../support/requests.ts";
import { FILTERED_ENDPOINTS, askStats, getStatsText, visitor } from "../support/stats-requests.ts";
import { DIMENSION_ROWS } from "../support/dimension-rows.ts";
import { able, itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";
import { CHROME_WINDOWS, SAFARI_IPHONE } from "../support/user-agents.ts";

const siteName = siteNames("filters");

const MINUTE_MS = 60_000;

const UNKNOWN = "(unknown)";

/** Three events, each on a page of its own, and what each has in every dimension that can be filtered on. */
const PAGES = ["/bare", "/full", "/other"] as const;

const VALUES: Readonly<Record<string, readonly [bare: string, full: string, other: string]>> = Object.fromEntries(
  Object.entries(DIMENSION_ROWS).map(([dimension, { filtered }]) => [dimension, filtered]),
);

const DIMENSIONS = Object.keys(VALUES);

const EVENTS: readonly { readonly fields: WireFields; readonly headers: RequestHeaders }[] = [
  { fields: { u: "/bare" }, headers: { "user-agent": "" } },
  {
    fields: {
      n: "Signup",
      u: "https://page.test/full?utm_source=letter&utm_medium=mail&utm_campaign=spring&utm_content=top&utm_term=shoes",
      r: "https://www.google.com/",
      w: 390,
    },
    headers: { "user-agent": SAFARI_IPHONE, "x-forwarded-for": "8.8.8.8" },
  },
  {
    fields: {
      n: "Purchase",
      u: "https://page.test/other?utm_source=Letter&utm_medium=post&utm_campaign=autumn&utm_content=bottom&utm_term=shoe",
      r: "https://news.example/item?id=1",
      w: 1440,
    },
    headers: { "user-agent": CHROME_WINDOWS, "x-forwarded-for": "193.0.6.139" },
  },
];

const rowOf = (page: string): BreakdownRow => ({ value: page, visitors: 1, pageviews: page === "/bare" ? 1 : 0, events: 1 });

/** The whole breakdown by page that is left when the filter leaves the events that have, or have not, this value. */
const rowsWhere = (dimension: string, keeps: (value: string) => boolean): BreakdownRow[] =>
  PAGES.filter((_, i) => keeps(VALUES[dimension]?.[i] ?? "")).map(rowOf);

/** Event names that a filter could misread. `;` is missing: it ends a condition, whatever it is part of. */
const ODD_VALUES = [
  "a=b",
  "a==b",
  "=a",
  "==",
  "!",
  "!a",
  "a!=b",
  "a,b",
  ",",
  "it's",
  "''",
  '"quoted"',
  "100%",
  "%41",
  "%",
  "_",
  "a+b",
  "a&b",
  "a b",
  " a ",
  "a\\",
  "$1",
  "--",
  "\u{1f600}",
  "\u{1f468}\u200d\u{1f469}",
  "\u00e9",
  "e\u0301",
  "events==A",
  "null",
  "NULL",
  "(unknown) ",
  "(Unknown)",
  "\n",
  "\0",
] as const;

interface Wrong {
  readonly name: string;
  readonly filters: string;
  readonly says: readonly (RegExp | string)[];
}

const WRONG: readonly Wrong[] = [
  { name: "a condition without an operator", filters: "pages", says: ['"pages"', /no operator/, "=="] },
  { name: "a single equals sign", filters: "pages=/a", says: ['"pages=/a"', /no operator/] },
  { name: "another operator", filters: "pages>/a", says: ['"pages>/a"', /no operator/] },
  { name: "=! in place of !=", filters: "pages=!/a", says: ['"pages=!/a"', /no operator/] },
  { name: "an exclamation mark alone", filters: "pages!/a", says: ['"pages!/a"', /no operator/] },
  { name: "spaces alone", filters: " ", says: ['" "', /no operator/] },
  { name: "a semicolon at the end", filters: "pages==/a;", says: ['""', /no operator/] },
  { name: "a semicolon at the start", filters: ";pages==/a", says: ['""', /no operator/] },
  { name: "two semicolons in a row", filters: "pages==/a;;pages==/b", says: ['""', /no operator/] },
  { name: "a semicolon alone", filters: ";", says: ['""', /no operator/] },
  { name: "a semicolon within a value", filters: "events==a;b", says: ['"b"', /no operator/] },
  { name: "an empty value after ==", filters: "pages==", says: ['"pages"', /empty value/] },
  { name: "an empty value after !=", filters: "pages!=", says: ['"pages"', /empty value/] },
  { name: "an empty value among others", filters: "pages==/a;countries==;os==Linux", says: ['"countries"', /empty value/] },
  { name: "an unknown dimension", filters: "page==/a", says: ['"page"', ...DIMENSIONS] },
  { name: "a dimension in capitals", filters: "Pages==/a", says: ['"Pages"', ...DIMENSIONS] },
  { name: "a column's name", filters: "pathname==/a", says: ['"pathname"', ...DIMENSIONS] },
  { name: "a space before a dimension", filters: " pages==/a", says: ['" pages"', ...DIMENSIONS] },
  { name: "a space after a dimension", filters: "pages ==/a", says: ['"pages "', ...DIMENSIONS] },
  { name: "a space after a semicolon", filters: "pages==/a; os==Linux", says: ['" os"', ...DIMENSIONS] },
  { name: "no dimension", filters: "==/a", says: ['""', ...DIMENSIONS] },
  { name: "the name of an object's method", filters: "toString==a", says: ['"toString"', ...DIMENSIONS] },
  { name: "__proto__", filters: "__proto__==a", says: ['"__proto__"', ...DIMENSIONS] },
  { name: "what nobody may ask for", filters: "visitor_id==1", says: ['"visitor_id"', ...DIMENSIONS] },
  { name: "SQL as a dimension", filters: "1;DROP TABLE events--==1", says: [/no operator/] },
  { name: "entry pages", filters: "entry-pages==/a", says: ['"entry-pages"', /cannot be filtered on/] },
  { name: "exit pages", filters: "exit-pages!=/a", says: ['"exit-pages"', /cannot be filtered on/] },
  { name: "entry pages after a right condition", filters: "pages==/a;entry-pages==/a", says: ['"entry-pages"', /cannot be filtered on/] },
  {
    name: "13 conditions",
    filters: Array.from({ length: 13 }, (_, i) => `pages==/${i}`).join(";"),
    says: ["at most 12 conditions"],
  },
  {
    name: "13 times the same condition",
    filters: Array.from({ length: 13 }, () => "pages==/a").join(";"),
    says: ["at most 12 conditions"],
  },
  { name: "a value of 513 characters", filters: `pages==/${"a".repeat(512)}`, says: ['"pages"', "at most 512 characters"] },
  {
    name: "a value of 513 characters beyond the BMP",
    filters: `events!=${"\u{1f600}".repeat(513)}`,
    says: ['"events"', "at most 512 characters"],
  },
];

export function describeStatsFilters(makeTarget: MakeTarget): void {
  describe("filters", () => {
    let target: Target;
    let site: string;
    let odd: string;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
      site = siteName();
      for (const { fields, headers } of EVENTS) await record(target, wireEvent(site, fields), headers);
      odd = siteName();
      for (const n of ODD_VALUES) await record(target, wireEvent(odd, { n }));
    });
    afterAll(() => target.close());

    const pagesWhere = (filters: string): Promise<BreakdownRow[]> => getBreakdown(target, site, "pages", { filters });

    it.each(DIMENSIONS)("%s can be filtered by each of its values with == and !=", async (dimension) => {
      for (const value of new Set([...(VALUES[dimension] ?? []), "never recorded"])) {
        expect(await pagesWhere(`${dimension}==${value}`)).toEqual(rowsWhere(dimension, (own) => own === value));
        expect(await pagesWhere(`${dimension}!=${value}`)).toEqual(rowsWhere(dimension, (own) => own !== value));
      }
    });

    it.each(DIMENSIONS)("%s==(unknown) and !=(unknown) partition the events", async (dimension) => {
      expect(await pagesWhere(`${dimension}==(unknown)`)).toEqual(rowsWhere(dimension, (own) => own === UNKNOWN));
      expect(await pagesWhere(`${dimension}!=(unknown)`)).toEqual(rowsWhere(dimension, (own) => own !== UNKNOWN));
    });

    it("!= includes events without a recorded value", async () => {
      expect(await pagesWhere("browsers!=Chrome")).toEqual([rowOf("/bare"), rowOf("/full")]);
      expect(await pagesWhere("browsers!=Chrome;browsers!=Safari")).toEqual([rowOf("/bare")]);
    });

    it("values match exactly: no substring, no other case, no wildcard, no extra space", async () => {
      for (const filters of ["pages==/ful", "pages==/FULL", "pages==/*", "pages==%", "pages== /full", "pages==/full ", "os==ios"]) {
        expect(await pagesWhere(filters), filters).toEqual([]);
      }
      expect(await pagesWhere("utm-sources==Letter")).toEqual([rowOf("/other")]);
      expect(await pagesWhere("utm-sources!=Letter")).toEqual([rowOf("/bare"), rowOf("/full")]);
    });

    it("an event must meet all conditions", async () => {
      expect(await pagesWhere("browsers==Safari;countries==US;events==Signup")).toEqual([rowOf("/full")]);
      expect(await pagesWhere("browsers==Safari;countries==NL")).toEqual([]);
      expect(await pagesWhere("pages==/full;pages==/other")).toEqual([]);
      expect(await pagesWhere("pages!=/full;pages!=/other")).toEqual([rowOf("/bare")]);
      expect(await pagesWhere("pages==/full;pages!=/full")).toEqual([]);
    });

    it("the order and repetition of conditions do not matter", async () => {
      const expected = [rowOf("/full"), rowOf("/other")];
      expect(await pagesWhere("screen-sizes!=(unknown);events!=pageview")).toEqual(expected);
      expect(await pagesWhere("events!=pageview;screen-sizes!=(unknown)")).toEqual(expected);
      expect(await pagesWhere("events!=pageview;events!=pageview;screen-sizes!=(unknown)")).toEqual(expected);
    });

    it("a filter on the dimension of the breakdown narrows its rows", async () => {
      expect(await getBreakdown(target, site, "browsers", { filters: "browsers!=Chrome" })).toEqual([
        { value: UNKNOWN, visitors: 1, pageviews: 1, events: 1 },
        { value: "Safari", visitors: 1, pageviews: 0, events: 1 },
      ]);
    });

    it.each(ODD_VALUES)("the value %j matches itself and nothing else", async (value) => {
      const all = await getBreakdown(target, odd, "events", { limit: "1000" });
      expect(all).toHaveLength(ODD_VALUES.length);
      const found = await getBreakdown(target, odd, "events", { filters: `events==${value}` });
      expect(found).toEqual([{ value, visitors: 1, pageviews: 0, events: 1 }]);
      const others = await getBreakdown(target, odd, "events", { filters: `events!=${value}`, limit: "1000" });
      expect(others).toEqual(all.filter((row) => row.value !== value));
    });

    it("a missing or empty filter keeps all events", async () => {
      expect(await pagesWhere("")).toEqual(PAGES.map(rowOf));
      expect(await getBreakdown(target, site, "pages")).toEqual(PAGES.map(rowOf));
    });

    it("12 conditions are accepted", async () => {
      const filters = Array.from({ length: 12 }, (_, i) => `pages!=/${i}`).join(";");
      expect(await pagesWhere(filters)).toEqual(PAGES.map(rowOf));
    });

    it("a value of 512 characters is accepted, even beyond the BMP", async () => {
      expect(await pagesWhere(`pages!=/${"a".repeat(511)}`)).toEqual(PAGES.map(rowOf));
      expect(await pagesWhere(`events==${"\u{1f600}".repeat(512)}`)).toEqual([]);
    });

    it("12 conditions of 512 characters are accepted", async () => {
      const filters = Array.from({ length: 12 }, (_, i) => `pages!=/${String(i).padStart(511, "x")}`).join(";");
      expect(await pagesWhere(filters)).toEqual(PAGES.map(rowOf));
    });

    describe.each(FILTERED_ENDPOINTS)("/api/stats/%s", (endpoint, parameters) => {
      it.each(WRONG)("$name gives 400", async ({ filters, says }) => {
        await expectError(await askStats(target, endpoint, { site_id: site, ...parameters, filters }), 400, '"filters"', ...says);
      });

      it("filters given twice give 400", async () => {
        const query = new URLSearchParams([
          ...Object.entries({ site_id: site, ...parameters }),
          ["filters", "pages==/a"],
          ["filters", "pages==/a"],
        ]);
        await expectError(await target.fetch(`/api/stats/${endpoint}?${query.toString()}`), 400, '"filters"', /once/);
      });

      // The minutes of realtime go on between two questions.
      if (endpoint !== "realtime") {
        it("a filter that matches every event changes nothing", async () => {
          const plain = await getStatsText(target, endpoint, { site_id: site, ...parameters });
          const filtered = await getStatsText(target, endpoint, { site_id: site, ...parameters, filters: "pages!=/nowhere" });
          expect(filtered).toBe(plain);
        });
      }

      it("a filter that matches no event gives the result of a site without events", async () => {
        const nobodys = await getStatsText(target, endpoint, { site_id: siteName(), ...parameters });
        const filtered = await getStatsText(target, endpoint, { site_id: site, ...parameters, filters: "pages==/nowhere" });
        expect(filtered).toBe(nobodys);
      });
    });
  });

  describe("filters narrow every report:", () => {
    let target: Target;
    let site: string;
    const narrowed = <T>(endpoint: string, parameters: StatsParameters = {}): Promise<T> =>
      getStats<T>(target, endpoint, { site_id: site, filters: "utm-campaigns==spring", ...parameters });
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
      site = siteName();
      const from = (campaign: string, page: string) => ({ u: `https://page.test${page}?utm_campaign=${campaign}` });
      const plan = (name: string) => ({ p: JSON.stringify({ plan: name, [name]: true }) });
      await record(target, wireEvent(site, { ...from("spring", "/a"), ...plan("pro") }), visitor(1));
      await record(target, wireEvent(site, { ...from("spring", "/a"), n: "Signup", ra: 10, rc: "EUR" }), visitor(1));
      await record(target, wireEvent(site, { ...from("spring", "/b") }), visitor(2));
      await record(target, wireEvent(site, { ...from("autumn", "/c"), ...plan("free") }), visitor(3));
      await record(target, wireEvent(site, { ...from("autumn", "/c"), n: "Signup", ra: 5, rc: "EUR" }), visitor(3));
      await record(target, wireEvent(site, { u: "/d", n: "Purchase", ra: 7, rc: "USD" }), visitor(4));
    });
    afterAll(() => target.close());

    it("main", async () => {
      expect(await narrowed("main")).toEqual({
        unique_visitors: 2,
        total_pageviews: 2,
        total_events: 3,
        views_per_visitor: 1,
        total_sessions: 2,
        bounce_rate: 0.5,
        avg_visit_duration_secs: expect.any(Number) as unknown,
        views_per_visit: 1,
        behavioral_available: true,
      });
    });

    it("timeseries", async () => {
      const points = await narrowed<{ date: string; visitors: number; pageviews: number }[]>("timeseries");
      expect(points.filter(({ visitors }) => visitors > 0).map(({ visitors, pageviews }) => ({ visitors, pageviews }))).toEqual([
        { visitors: 2, pageviews: 2 },
      ]);
    });

    it("breakdowns", async () => {
      expect(await narrowed("breakdown/pages")).toEqual([
        { value: "/a", visitors: 1, pageviews: 1, events: 2 },
        { value: "/b", visitors: 1, pageviews: 1, events: 1 },
      ]);
    });

    it("goals, and the visitors that conversion rates are relative to", async () => {
      expect(await narrowed("goals")).toEqual([{ name: "Signup", visitors: 1, events: 1, conversion_rate: 0.5 }]);
    });

    it("custom properties", async () => {
      expect(await narrowed("properties")).toEqual(["plan", "pro"]);
      expect(await narrowed("property-values", { key: "plan" })).toEqual([{ value: "pro", visitors: 1, events: 1 }]);
    });

    it("revenue", async () => {
      expect(await narrowed("revenue")).toEqual({
        by_currency: [{ currency: "EUR", total: 10, transactions: 1, paying_visitors: 1, average_order_value: 10 }],
        by_event: [{ value: "Signup", currency: "EUR", total: 10, transactions: 1 }],
        by_page: [{ value: "/a", currency: "EUR", total: 10, transactions: 1 }],
      });
    });

    it("realtime", async () => {
      expect(await narrowed("realtime")).toMatchObject({
        current_visitors: 2,
        pageviews: 2,
        top_pages: [
          { value: "/a", visitors: 1 },
          { value: "/b", visitors: 1 },
        ],
        top_sources: [{ value: "(direct)", visitors: 2 }],
      });
    });

    itNeeds(makeTarget, "advance", "sessions are formed before filtering, and metrics describe the whole session", async () => {
      const clocked = await makeTarget({ SVC_TRUST_PROXY: "1" });
      const advance = able(clocked, "advance");
      const visits = siteName();
      await record(clocked, wireEvent(visits, { u: "/" }), visitor(1));
      await record(clocked, wireEvent(visits, { u: "/" }), visitor(2));
      await advance(20 * MINUTE_MS);
      await record(clocked, wireEvent(visits, { u: "/pricing" }), visitor(1));
      await advance(20 * MINUTE_MS);
      await record(clocked, wireEvent(visits, { u: "/pricing", n: "Signup" }), visitor(1));
      await advance(31 * MINUTE_MS);
      await record(clocked, wireEvent(visits, { u: "/" }), visitor(1));
      expect(await getMain(clocked, visits, { filters: "pages==/pricing" })).toEqual({
        unique_visitors: 1,
        total_pageviews: 1,
        total_events: 2,
        views_per_visitor: 1,
        total_sessions: 1,
        bounce_rate: 0,
        avg_visit_duration_secs: 2400,
        views_per_visit: 2,
        behavioral_available: true,
      });
      // Two of three visits are one page and nothing else; filtered first, the first visitor's would be three.
      expect(await getMain(clocked, visits, { filters: "pages==/" })).toEqual({
        unique_visitors: 2,
        total_pageviews: 3,
        total_events: 3,
        views_per_visitor: 1.5,
        total_sessions: 3,
        bounce_rate: 2 / 3,
        avg_visit_duration_secs: 800,
        views_per_visit: 4 / 3,
        behavioral_available: true,
      });
      await clocked.close();
    });
  });
}
