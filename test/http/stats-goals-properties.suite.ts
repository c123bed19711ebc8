/** Goals, property keys and property values (docs/http-api.md, "Goals" and "Properties"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, getStats, post, expectAccepted, record, wireEvent } from "../support/requests.ts";
import {
  askStats,
  eventWithProps,
  getGoals,
  getProperties,
  getPropertyValues,
  visitor,
  type PropertyValue,
} from "../support/stats-requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("goals");

/** How a property's value shows, as text. */
const SHOWN: readonly (readonly [name: string, value: unknown, text: string])[] = [
  ["a text", "pro", "pro"],
  ["an empty text", "", ""],
  ["a text with quotes", 'say "hi"', 'say "hi"'],
  ["a text beyond the BMP", "\u{1f600}", "\u{1f600}"],
  ["a text of 3000 characters", "x".repeat(3000), "x".repeat(3000)],
  ["a text that reads like a number", "1.50", "1.50"],
  ["a text that reads null", "null", "null"],
  ["a whole number", 42, "42"],
  ["zero", 0, "0"],
  ["a negative number", -7, "-7"],
  ["a fraction", 0.1, "0.1"],
  ["a large number", 1e21, "1e+21"],
  ["true", true, "true"],
  ["false", false, "false"],
  ["a list", ["a", 1, null, { b: true }], '["a",1,null,{"b":true}]'],
  ["an empty list", [], "[]"],
];

const row = (value: string): PropertyValue => ({ value, visitors: 1, events: 1 });

export function describeStatsGoals(makeTarget: MakeTarget): void {
  describe("goals", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    it("every event other than a page view is a goal, and its conversion rate is relative to all visitors of the range", async () => {
      const site = siteName();
      for (const number of [1, 2, 3]) await record(target, wireEvent(site), visitor(number));
      await record(target, wireEvent(site, { n: "Signup" }), visitor(1));
      await record(target, wireEvent(site, { n: "Signup" }), visitor(1));
      await record(target, wireEvent(site, { n: "Signup" }), visitor(2));
      // A visitor without a pageview is a visitor all the same.
      await record(target, wireEvent(site, { n: "Outbound Link: Click" }), visitor(4));
      expect(await getGoals(target, site)).toEqual([
        { name: "Signup", visitors: 2, events: 3, conversion_rate: 0.5 },
        { name: "Outbound Link: Click", visitors: 1, events: 1, conversion_rate: 0.25 },
      ]);
    });

    it("conversion_rate is a fraction and is not rounded", async () => {
      const site = siteName();
      for (const number of [1, 2, 3]) await record(target, wireEvent(site), visitor(number));
      await record(target, wireEvent(site, { n: "Signup" }), visitor(1));
      expect(await getGoals(target, site)).toEqual([{ name: "Signup", visitors: 1, events: 1, conversion_rate: 1 / 3 }]);
    });

    it("goals are ordered by visitors, most first, then by name", async () => {
      const site = siteName();
      for (const n of ["b", "\u00e9", "B", "a", "\u{1f600}", "10", "9", "\uffff"]) await record(target, wireEvent(site, { n }), visitor(1));
      for (const number of [1, 2]) await record(target, wireEvent(site, { n: "z" }), visitor(number));
      expect((await getGoals(target, site)).map(({ name }) => name)).toEqual([
        "z",
        "10",
        "9",
        "B",
        "a",
        "b",
        "\u00e9",
        "\uffff",
        "\u{1f600}",
      ]);
    });

    it("an event name that only resembles pageview is a goal", async () => {
      const site = siteName();
      for (const n of ["pageview", "Pageview", " pageview", "pageviews"]) await record(target, wireEvent(site, { n }));
      expect((await getGoals(target, site)).map(({ name }) => name)).toEqual([" pageview", "Pageview", "pageviews"]);
    });

    it("a site with page views only, or without events, has no goals", async () => {
      const site = siteName();
      expect(await getGoals(target, site)).toEqual([]);
      await record(target, wireEvent(site));
      expect(await getGoals(target, site)).toEqual([]);
    });

    it("a filter narrows goals and the visitors that conversion rates are relative to", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/a" }), visitor(1));
      await record(target, wireEvent(site, { u: "/a", n: "Signup" }), visitor(2));
      await record(target, wireEvent(site, { u: "/b" }), visitor(3));
      await record(target, wireEvent(site, { u: "/b", n: "Purchase" }), visitor(3));
      expect(await getGoals(target, site, { filters: "pages==/a" })).toEqual([
        { name: "Signup", visitors: 1, events: 1, conversion_rate: 0.5 },
      ]);
      expect(await getGoals(target, site, { filters: "events==pageview" })).toEqual([]);
      expect(await getGoals(target, site, { filters: "events==Purchase" })).toEqual([
        { name: "Purchase", visitors: 1, events: 1, conversion_rate: 1 },
      ]);
    });

    it("goals outside the requested range are excluded", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { n: "Signup" }));
      expect(await getGoals(target, site, { start_date: "2020-01-01", end_date: "2020-12-31" })).toEqual([]);
    });
  });
}

export function describeStatsProperties(makeTarget: MakeTarget): void {
  describe("property keys", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget();
    });
    afterAll(() => target.close());

    it("every key in the range is listed once, ascending", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { plan: "pro", b: 1, B: 1, a: 1, "10": 1, "9": 1 }));
      await record(target, eventWithProps(site, { plan: "free", "\u00e9": 1, "\u{1f600}": 1, "a b": 1 }, { n: "Signup" }));
      await record(target, wireEvent(site));
      expect(await getProperties(target, site)).toEqual(["10", "9", "B", "a", "a b", "b", "plan", "\u00e9", "\u{1f600}"]);
    });

    it("nested keys are joined by dots", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { cart: { size: 2, item: { colour: "red", tags: ["a"] } }, "cart.total": 9 }));
      expect(await getProperties(target, site)).toEqual(["cart.item.colour", "cart.item.tags", "cart.size", "cart.total"]);
    });

    it("keys whose value is null or an empty object are not listed", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { nothing: null, empty: {}, inner: { nothing: null }, plan: "pro" }));
      expect(await getProperties(target, site)).toEqual(["plan"]);
    });

    it("keys that are special names elsewhere are listed", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { constructor: 1, toString: 1, "": 1, "(unknown)": 1, "it's": 1, "a.b.": 1 }));
      expect(await getProperties(target, site)).toEqual(["", "(unknown)", "a.b.", "constructor", "it's", "toString"]);
    });

    it("properties that are not a JSON object are dropped", async () => {
      const site = siteName();
      for (const p of ["[1]", '"plan"', "1", "null", "{", "", "{}"]) await expectAccepted(await post(target, wireEvent(site, { p })));
      expect(await getProperties(target, site)).toEqual([]);
    });

    it("keys are limited to the range and the filter", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { left: 1 }, { u: "/a" }));
      await record(target, eventWithProps(site, { right: 1 }, { u: "/b" }));
      expect(await getProperties(target, site, { filters: "pages==/b" })).toEqual(["right"]);
      expect(await getProperties(target, site, { filters: "pages!=/b" })).toEqual(["left"]);
      expect(await getProperties(target, site, { start_date: "2020-01-01", end_date: "2020-12-31" })).toEqual([]);
    });
  });
}

export function describeStatsPropertyValues(makeTarget: MakeTarget): void {
  describe("property values", () => {
    let target: Target;
    let kinds: string;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
      kinds = siteName();
      for (const [i, [, value]] of SHOWN.entries()) await record(target, eventWithProps(kinds, { [`k${i}`]: value }));
    });
    afterAll(() => target.close());

    it("property values are counted by visitors and events, most visitors first, then by value", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { plan: "pro" }), visitor(1));
      await record(target, eventWithProps(site, { plan: "pro", other: "free" }, { n: "Signup" }), visitor(1));
      await record(target, eventWithProps(site, { plan: "free" }), visitor(1));
      await record(target, eventWithProps(site, { plan: "free" }), visitor(2));
      await record(target, eventWithProps(site, { plan: "Pro" }), visitor(3));
      await record(target, eventWithProps(site, { other: "pro" }), visitor(4));
      await record(target, wireEvent(site), visitor(5));
      expect(await getPropertyValues(target, site, "plan")).toEqual([
        { value: "free", visitors: 2, events: 2 },
        { value: "Pro", visitors: 1, events: 1 },
        { value: "pro", visitors: 1, events: 2 },
      ]);
    });

    it.each(SHOWN.map(([name, , text], i) => ({ name, text, key: `k${i}` })))("$name is listed as a string", async ({ text, key }) => {
      expect(await getPropertyValues(target, kinds, key)).toEqual([row(text)]);
    });

    it("null is not listed as a value", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { plan: null, other: 1 }));
      expect(await getPropertyValues(target, site, "plan")).toEqual([]);
    });

    it("a number and a string with the same text are one value", async () => {
      const site = siteName();
      for (const plan of [1, "1", true, "true"]) await record(target, eventWithProps(site, { plan }));
      expect(await getPropertyValues(target, site, "plan")).toEqual([
        { value: "1", visitors: 1, events: 2 },
        { value: "true", visitors: 1, events: 2 },
      ]);
    });

    it("nested values are found by their dotted key, and an object itself is not a value", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { cart: { size: 2, item: { colour: "red" } } }));
      expect(await getPropertyValues(target, site, "cart.size")).toEqual([row("2")]);
      expect(await getPropertyValues(target, site, "cart.item.colour")).toEqual([row("red")]);
      expect(await getPropertyValues(target, site, "cart")).toEqual([]);
      expect(await getPropertyValues(target, site, "cart.item")).toEqual([]);
      expect(await getPropertyValues(target, site, "size")).toEqual([]);
    });

    it("an event counts once for a key that is spelled both nested and dotted", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { cart: { size: 2 }, "cart.size": 3 }));
      expect(await getPropertyValues(target, site, "cart.size")).toEqual([row("3")]);
    });

    it("event narrows to events with exactly that name", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { plan: "pro" }, { n: "Signup" }), visitor(1));
      await record(target, eventWithProps(site, { plan: "free" }, { n: "signup" }), visitor(2));
      await record(target, eventWithProps(site, { plan: "free" }), visitor(3));
      expect(await getPropertyValues(target, site, "plan", { event: "Signup" })).toEqual([row("pro")]);
      expect(await getPropertyValues(target, site, "plan", { event: "pageview" })).toEqual([row("free")]);
      expect(await getPropertyValues(target, site, "plan", { event: "Sign" })).toEqual([]);
      expect(await getPropertyValues(target, site, "plan", { event: "" })).toEqual([]);
      expect(await getPropertyValues(target, site, "plan", { event: "' OR 1=1--" })).toEqual([]);
    });

    it("values are limited to the range and the filter", async () => {
      const site = siteName();
      await record(target, eventWithProps(site, { plan: "pro" }, { u: "/a" }));
      await record(target, eventWithProps(site, { plan: "free" }, { u: "/b" }));
      expect(await getPropertyValues(target, site, "plan", { filters: "pages==/b" })).toEqual([row("free")]);
      expect(await getPropertyValues(target, site, "plan", { filters: "pages==/b", event: "pageview" })).toEqual([row("free")]);
      expect(await getPropertyValues(target, site, "plan", { filters: "pages==/b", event: "Signup" })).toEqual([]);
      expect(await getPropertyValues(target, site, "plan", { start_date: "2020-01-01", end_date: "2020-12-31" })).toEqual([]);
    });

    it("at most 1000 values are listed", async () => {
      const site = siteName();
      const plan = (i: number): string => String(i).padStart(4, "0");
      const sent = Array.from({ length: 1001 }, (_, i) => record(target, eventWithProps(site, { plan: plan(i) })));
      await Promise.all(sent);
      await record(target, eventWithProps(site, { plan: plan(1000) }), visitor(1));
      const values = await getPropertyValues(target, site, "plan");
      expect(values).toEqual([{ value: "1000", visitors: 2, events: 2 }, ...Array.from({ length: 999 }, (_, i) => row(plan(i)))]);
    });

    it.each(["plan", "a", "0", "A.b-c_d", "...", "-", "_", "constructor", "__proto__", "k".repeat(4000)])(
      "the key %s is accepted",
      async (key) => {
        expect(await getPropertyValues(target, siteName(), key)).toEqual([]);
      },
    );

    it.each([
      "",
      " ",
      "a b",
      "a/b",
      "a,b",
      "a;b",
      "a'b",
      'a"b',
      "a[0]",
      "$.a",
      "a:b",
      "(unknown)",
      "\u00e9",
      "\u{1f600}",
      "a\n",
      "\0",
      "%",
      "a*",
    ])("the key %j gives 400", async (key) => {
      const response = await askStats(target, "property-values", { site_id: siteName(), key });
      await expectError(response, 400, '"key"', "letters", "digits", '"_"', '"-"', '"."');
    });

    it("a missing key gives 400", async () => {
      await expectError(await askStats(target, "property-values", { site_id: siteName() }), 400, '"key"', /required/);
    });

    it("name accepts any key that an event may have", async () => {
      const site = siteName();
      const keys = ["plan name", "gr\u00f6\u00dfe", "", "(unknown)", "it's", 'a"b', "a\\b", "$.a", "a\0b", "a\n", "%", "\u{1f600}", "plan"];
      await record(target, eventWithProps(site, Object.fromEntries(keys.map((key, i) => [key, i]))));
      await record(target, wireEvent(site, { p: '{"lone \\ud800":"\\udfff"}' }));
      expect(await getProperties(target, site)).toEqual([...keys, "lone \ufffd"].sort());
      const valuesOf = (name: string) => getStats(target, "property-values", { site_id: site, name });
      for (const [i, key] of keys.entries()) expect(await valuesOf(key), key).toEqual([row(String(i))]);
      expect(await valuesOf("lone \ufffd")).toEqual([row("\ufffd")]);
    });

    it("name accepts the longest key that an event may have, and no longer one than its properties", async () => {
      const site = siteName();
      const key = "\u{1f600}".repeat(4096 - '{"":1}'.length);
      await record(target, eventWithProps(site, { [key]: 1 }));
      expect(await getStats(target, "property-values", { site_id: site, name: key })).toEqual([row("1")]);
      const longer = await askStats(target, "property-values", { site_id: site, name: "k".repeat(4097) });
      await expectError(longer, 400, '"name"', "4096");
    });

    it("key and name together give 400 with the rules of both", async () => {
      const response = await askStats(target, "property-values", { site_id: siteName(), key: "plan", name: "plan" });
      await expectError(response, 400, '"key"', "letters", "digits", '"_"', '"-"', '"."', '"name"', "4096");
    });

    it("a key or an event given twice gives 400", async () => {
      await expectError(await target.fetch("/api/stats/property-values?site_id=a.test&key=a&key=a"), 400, '"key"', /once/);
      await expectError(await target.fetch("/api/stats/property-values?site_id=a.test&key=a&event=a&event=b"), 400, '"event"', /once/);
    });
  });
}
