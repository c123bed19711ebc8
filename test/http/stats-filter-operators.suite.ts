/** Operators of filters, and conditions on sessions and properties (docs/http-api.md, "Filters"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, getBreakdown, getMain, record, wireEvent, type WireFields } from "../support/requests.ts";
import { FILTERED_ENDPOINTS, askStats, eventWithProps, getRealtime, getStatsText, visitor } from "../support/stats-requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("filter-operators");

/** Each event is on a page of its own, so that pages tell which events are left. */
const EVENTS: readonly (readonly [by: number, fields: WireFields, props?: unknown])[] = [
  [1, { u: "https://docs.test/docs/a" }, { plan: "pro", user: { name: "Ann; 50%" } }],
  [1, { u: "https://docs.test/docs/b", r: "https://news.example/" }],
  [1, { n: "Signup", u: "https://docs.test/pricing" }, { plan: "pro", seats: 3 }],
  [2, { u: "/blog/Ärger,(1)" }],
  [3, { u: "https://shop.test/shop" }, { plan: "free", seats: null }],
  [3, { n: "Purchase", u: "https://shop.test/shop/pay", ra: 5, rc: "EUR" }, { plan: "free", seats: 12 }],
  [4, { n: "Hello", u: "/nowhere" }, { plan: "(unknown)" }],
];

const [A, B, PRICING, BLOG, SHOP, PAY, NOWHERE] = [
  "/docs/a",
  "/docs/b",
  "/pricing",
  "/blog/%C3%84rger,(1)",
  "/shop",
  "/shop/pay",
  "/nowhere",
] as const;

const ALL = [A, B, PRICING, BLOG, SHOP, PAY, NOWHERE];
const without = (...pages: readonly string[]): readonly string[] => ALL.filter((page) => !pages.includes(page));

const KEPT: readonly (readonly [filters: string, pages: readonly string[]])[] = [
  ["pages=in=/shop", [SHOP]],
  ["pages=in=(/docs/a,/shop)", [A, SHOP]],
  ["pages=!in=(/docs/a,/shop)", without(A, SHOP)],
  ["pages=!in=/shop", without(SHOP)],
  ["pages=in=/blog/%25C3%2584rger,(1)", [BLOG]],
  ["pages=in=(/shop,/blog/%25C3%2584rger%2C%281%29)", [BLOG, SHOP]],
  ["hostnames=in=(docs.test,(unknown))", [A, B, PRICING, BLOG, NOWHERE]],
  ["hostnames=!in=(docs.test,(unknown))", [SHOP, PAY]],
  ["hostnames=in=(unknown)", []],
  ["hostnames=in=%28unknown%29", [BLOG, NOWHERE]],
  ["pages=contains=oc", [A, B]],
  ["pages=contains=OC", []],
  ["pages=contains=(/a,pri)", [A, PRICING]],
  ["pages=!contains=(oc,hop)", [PRICING, BLOG, NOWHERE]],
  ["pages=contains=*", []],
  ["pages=contains=%25C3", [BLOG]],
  ["hostnames=contains=unknown", []],
  ["hostnames=!contains=unknown", ALL],
  ["referrers=!contains=news", without(B)],
  ["pages=begins=/docs/", [A, B]],
  ["pages=begins=(/docs,/sh)", [A, B, SHOP, PAY]],
  ["pages=!begins=/docs/", without(A, B)],
  ["pages=like=/*/a", [A]],
  ["pages=like=/shop", [SHOP]],
  ["pages=like=(/shop*,/pric*)", [PRICING, SHOP, PAY]],
  ["pages=!like=/*o*", [PRICING]],
  ["pages=like=*", ALL],
  ["hostnames=like=*", [A, B, PRICING, SHOP, PAY]],
  ["hostnames=!like=*", [BLOG, NOWHERE]],
  ["pages=matches=^/docs/[ab]$", [A, B]],
  ["pages=matches=(?i)^/DOCS", [A, B]],
  ["pages=matches=(p.y,^/pricing$)", [PRICING, PAY]],
  ["pages=!matches=^/(docs|shop)", [PRICING, BLOG, NOWHERE]],
  ["pages=matches=%28a|b%29$", [A, B]],
  ["events=matches=^(Sign|Purch)", [PRICING, PAY]],
  ["entry-page==/docs/a", [A, B, PRICING]],
  ["entry-page!=/docs/a", without(A, B, PRICING)],
  ["entry-page=begins=(/docs,/blog)", [A, B, PRICING, BLOG]],
  ["entry-page==(unknown)", [NOWHERE]],
  ["entry-page=!in=(/shop,(unknown))", [A, B, PRICING, BLOG]],
  ["exit-page==/docs/b", [A, B, PRICING]],
  ["exit-page==/pricing", []],
  ["exit-page=like=/docs/*", [A, B, PRICING]],
  ["goal==Signup", [A, B, PRICING]],
  ["goal!=Signup", without(A, B, PRICING)],
  ["goal=in=(Signup,Purchase)", [A, B, PRICING, SHOP, PAY]],
  ["goal==(unknown)", [BLOG]],
  ["goal=in=(Hello,(unknown))", [BLOG, NOWHERE]],
  ["goal==pageview", []],
  ["goal=contains=u", [A, B, PRICING, SHOP, PAY]],
  ["goal=matches=.", without(BLOG)],
  ["props:plan==pro", [A, PRICING]],
  ["props:plan!=pro", without(A, PRICING)],
  ["props:plan=in=(pro,free)", [A, PRICING, SHOP, PAY]],
  ["props:plan==(unknown)", [B, BLOG, NOWHERE]],
  ["props:plan=!in=(pro,(unknown))", [SHOP, PAY]],
  ["props:plan=begins=(u", []],
  ["pages=matches=(/docs/)(a|b)", [A, B]],
  ["props:seats==3", [PRICING]],
  ["props:seats=matches=^\\d\\d$", [PAY]],
  ["props:seats==(unknown)", without(PRICING, PAY)],
  ["props:user.name=contains=%3B", [A]],
  ["props:user.name=in=Ann%3B 50%25", [A]],
  ["props:user%2Ename=begins=Ann", [A]],
  ["props:user==(unknown)", ALL],
  ["props:toString==(unknown)", ALL],
  ["entry-page=begins=/docs;pages=in=(/pricing,/shop)", [PRICING]],
  ["goal==Signup;goal==Purchase", []],
  ["goal==Purchase;props:plan==free;pages!=/shop", [PAY]],
  ["entry-page==/docs/a;exit-page==/docs/b;goal==Signup", [A, B, PRICING]],
];

const numbered = (count: number, text: (i: number) => string): string => Array.from({ length: count }, (_, i) => text(i)).join(",");

const WRONG: readonly (readonly [name: string, filters: string, ...says: string[]])[] = [
  ["an unknown operator", "pages=equals=/a", '"pages=equals=/a"', "no operator", "in, contains, begins, like, matches"],
  ["an operator in capitals", "pages=IN=/a", '"pages=IN=/a"', "no operator"],
  ["a negation without an operator", "pages=!=/a", '"pages=!=/a"', "no operator"],
  ["an empty list", "pages=in=()", '"pages"', "empty value"],
  ["no value", "pages=like=", '"pages"', "empty value"],
  ["an empty value in a list", "pages=in=(/a,,/b)", '"pages"', "empty value"],
  ["a percent sign that is no escape", "pages=contains=100%", '"pages"', "%25"],
  ["half an escape", "pages=in=(/a,%C3)", '"pages"', "%25"],
  ["101 values", `pages=in=(${numbered(101, String)})`, "at most 100 values"],
  ["101 values of two conditions", `pages=in=(${numbered(60, String)});os=!in=(${numbered(41, String)})`, "at most 100 values"],
  ["a value of 513 characters", `pages=contains=(a,${"b".repeat(513)})`, '"pages"', "at most 512 characters"],
  ["an expression that does not end", "pages=matches=(/a", '"pages"', "no regular expression", "RE2"],
  ["an expression that looks ahead", "events=matches=a(?=b)c", '"events"', "no regular expression"],
  ["a reference to what was found", "events=matches=(a)\\1b", '"events"', "no regular expression"],
  ["a repetition of more than 1,000", "pages=matches=a{1001}", '"pages"', "too large"],
  ["nested repetitions", "pages=matches=^((ab){30}){30}$", '"pages"', "too large"],
  ["an expression of 257 characters", `pages=matches=${"a".repeat(257)}`, '"pages"', "at most 256 characters"],
  ["an unknown dimension", "page=in=/a", '"page"', "entry-page, exit-page, goal, visit-channels"],
  ["the plural of a session's page", "entry-pages=in=/a", '"entry-pages"', "cannot be filtered on"],
  ["a list whose commas cut an expression", "pages=matches=(/a{1,2})", '"pages"', "write %2C for a comma"],
  ["a list whose commas cut escaped parentheses", "pages=matches=(\\(a,b\\))", '"pages"', "write %2C for a comma"],
  ["an empty list of expressions", "pages=matches=()", '"pages"', "empty value"],
  ["a key of 513 characters", `props:${"k".repeat(513)}==a`, "key of a property", "at most 512 characters"],
  ["a key with a percent sign", "props:100%==a", "key of a property", "%25"],
  ["13 conditions", Array.from({ length: 13 }, (_, i) => `goal=in=${i}`).join(";"), "at most 12 conditions"],
];

/** What narrows to the events of one visitor, or that one alone: all of these leave nothing of the others. */
const NARROWING = ["props:team==red", "goal==Joined", "entry-page==/red", "exit-page=begins=/red"] as const;

export function describeStatsFilterOperators(makeTarget: MakeTarget): void {
  describe("operators of filters", () => {
    let target: Target;
    let site: string;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1", SVC_CACHE_TTL_SECS: "86400" });
      site = siteName();
      for (const [by, fields, props] of EVENTS) {
        await record(target, props === undefined ? wireEvent(site, fields) : eventWithProps(site, props, fields), visitor(by));
      }
    });
    afterAll(() => target.close());

    it.each(KEPT)("%s keeps exactly the matching events", async (filters, pages) => {
      const rows = await getBreakdown(target, site, "pages", { filters });
      expect(rows.map(({ value }) => value).toSorted()).toEqual(pages.toSorted());
    });

    it.each(WRONG)("%s gives 400", async (_name, filters, ...says) => {
      await expectError(await askStats(target, "main", { site_id: site, filters }), 400, '"filters"', ...says);
    });

    it("filters at their limits are accepted", async () => {
      const conditions = ["in", "contains", "begins", "like", "matches", "!in", "!contains", "!begins", "!like", "!matches"];
      const twelve = [...conditions, "in", "!in"].map((operator, i) => `props:key${i}=${operator}=a`).join(";");
      for (const filters of [
        twelve,
        `pages=in=(${numbered(100, (i) => `/${i}`)})`,
        `pages=!contains=(${numbered(100, (i) => String(i).padStart(512, "x"))})`,
        `pages=matches=${"a".repeat(256)}`,
        `pages=matches=${"[a-z]*".repeat(10)}`,
        "pages=matches=^/a{450}$",
      ]) {
        expect((await askStats(target, "main", { site_id: site, filters })).status, filters.slice(0, 40)).toBe(200);
      }
    });

    it("the order and repetition of values and conditions share a result of the cache", async () => {
      const cached = siteName();
      const eventsWhere = async (filters: string): Promise<number> => (await getMain(target, cached, { filters })).total_events;
      expect(await eventsWhere("pages=in=(/a,/b);goal!=x")).toBe(0);
      await record(target, wireEvent(cached, { u: "/a" }), visitor(1));
      for (const filters of ["goal!=x;pages=in=(/b,/a)", "pages=in=(/a,/b,/a,%2Fb);goal=!in=(x)", "pages=in=(/b,/a);goal!=x;goal!=x"]) {
        expect(await eventsWhere(filters), filters).toBe(0);
      }
      expect(await eventsWhere("pages=in=/a;goal!=x")).toBe(await eventsWhere("pages==/a;goal!=x"));
      expect(await eventsWhere("pages=in=(/a,/b,/c);goal!=x")).toBe(1);
      expect(await eventsWhere("pages=begins=(/a,/b);goal!=x")).toBe(1);
    });

    describe("filters narrow", () => {
      let red: string;
      let both: string;
      beforeAll(async () => {
        [red, both] = [siteName(), siteName()];
        for (const here of [red, both]) {
          const props = { team: "red", plan: "pro" };
          for (const fields of [{ u: "/red" }, { n: "Joined", u: "/red", ra: 3, rc: "EUR" }, { n: "Purchase", u: "/" }, { u: "/red/2" }]) {
            await record(target, eventWithProps(here, props, fields), visitor(1));
          }
        }
        for (const fields of [
          { u: "/" },
          { n: "Left", u: "/", ra: 7, rc: "USD" },
          { n: "Purchase", u: "/" },
          { u: "/red/3" },
          { u: "/end" },
        ]) {
          await record(target, eventWithProps(both, { team: "blue", plan: "free" }, fields), visitor(2));
        }
      });

      /** Without what tells one recording of the same events from another. */
      const comparable = (text: string): string =>
        text
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
          .replaceAll(red, "<site>")
          .replaceAll(both, "<site>");

      // The minutes of realtime go on between two questions.
      it.each(FILTERED_ENDPOINTS.filter(([endpoint]) => endpoint !== "realtime"))(
        "/api/stats/%s to the events of one visitor",
        async (endpoint, parameters) => {
          const withoutDurations = (text: string) => comparable(text).replaceAll(/"avg_\w+_secs":[\d.e-]+/g, '"seconds"');
          const alone = withoutDurations(await getStatsText(target, endpoint, { site_id: red, ...parameters }));
          for (const filters of NARROWING) {
            const narrowed = await getStatsText(target, endpoint, { site_id: both, ...parameters, filters });
            expect({ filters, narrowed: withoutDurations(narrowed) }).toEqual({ filters, narrowed: alone });
          }
        },
      );

      it.each(NARROWING)("realtime to the events of one visitor by %s", async (filters) => {
        expect(await getRealtime(target, both, { filters, minutes: "60" })).toMatchObject({
          current_visitors: 1,
          pageviews: 2,
          visitors: 1,
          top_pages: [
            { value: "/red", visitors: 1 },
            { value: "/red/2", visitors: 1 },
          ],
          top_events: [
            { value: "Joined", visitors: 1 },
            { value: "Purchase", visitors: 1 },
          ],
        });
      });

      it.each([{ kind: "daily" }, { kind: "daily", format: "json" }, { kind: "raw" }, { kind: "raw", format: "json" }])(
        "the export %j to the events of one visitor",
        async (parameters) => {
          const alone = comparable(await getStatsText(target, "export", { site_id: red, period: "day", ...parameters }));
          expect(alone).toContain("/red");
          for (const filters of NARROWING) {
            const narrowed = await getStatsText(target, "export", { site_id: both, period: "day", ...parameters, filters });
            expect({ filters, narrowed: comparable(narrowed) }).toEqual({ filters, narrowed: alone });
          }
        },
      );
    });
  });
}
