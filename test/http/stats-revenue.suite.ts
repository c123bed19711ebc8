/** Revenue (docs/http-api.md, "Revenue"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { getRevenue, getStatsText, visitor } from "../support/stats-requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("revenue");

/** The most that one event may bring in. */
const AMOUNT_MAX = 9_999_999_999.99;

export function describeStatsRevenue(makeTarget: MakeTarget): void {
  describe("revenue", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    const sell = (site: string, ra: number, rc: string | null, fields = {}, headers: RequestHeaders = {}): Promise<void> =>
      record(target, wireEvent(site, { n: "Purchase", ra, rc, ...fields }), headers);

    it("a site without revenue has three empty lists", async () => {
      const site = siteName();
      const nothing = { by_currency: [], by_event: [], by_page: [] };
      expect(await getRevenue(target, site)).toEqual(nothing);
      await record(target, wireEvent(site, { rc: "EUR" }));
      expect(await getRevenue(target, site)).toEqual(nothing);
    });

    it("revenue is totaled by currency, by event and by page", async () => {
      const site = siteName();
      await sell(site, 10, "EUR", { u: "/shop" }, visitor(1));
      await sell(site, 20.5, "EUR", { u: "/shop", n: "Upgrade" }, visitor(1));
      await sell(site, 5, "EUR", { u: "/" }, visitor(2));
      await sell(site, 30, "USD", { u: "/shop" }, visitor(2));
      await record(target, wireEvent(site, { u: "/shop" }), visitor(3));
      expect(await getRevenue(target, site)).toEqual({
        by_currency: [
          { currency: "EUR", total: 35.5, transactions: 3, paying_visitors: 2, average_order_value: 35.5 / 3 },
          { currency: "USD", total: 30, transactions: 1, paying_visitors: 1, average_order_value: 30 },
        ],
        by_event: [
          { value: "Purchase", currency: "USD", total: 30, transactions: 1 },
          { value: "Upgrade", currency: "EUR", total: 20.5, transactions: 1 },
          { value: "Purchase", currency: "EUR", total: 15, transactions: 2 },
        ],
        by_page: [
          { value: "/shop", currency: "EUR", total: 30.5, transactions: 2 },
          { value: "/shop", currency: "USD", total: 30, transactions: 1 },
          { value: "/", currency: "EUR", total: 5, transactions: 1 },
        ],
      });
    });

    it("currencies are never added up, and a missing currency is a group of its own", async () => {
      const site = siteName();
      for (const rc of ["EUR", "usd", null, "", "E", "12$"]) await sell(site, 1, rc);
      expect((await getRevenue(target, site)).by_currency).toEqual([
        { currency: "(unknown)", total: 4, transactions: 4, paying_visitors: 1, average_order_value: 1 },
        { currency: "EUR", total: 1, transactions: 1, paying_visitors: 1, average_order_value: 1 },
        { currency: "USD", total: 1, transactions: 1, paying_visitors: 1, average_order_value: 1 },
      ]);
    });

    it("refunds reduce totals and count as transactions, as amounts of 0 do", async () => {
      const site = siteName();
      await sell(site, 19.99, "EUR", {}, visitor(1));
      await sell(site, -19.99, "EUR", {}, visitor(1));
      await sell(site, -5.01, "USD", {}, visitor(2));
      await sell(site, 0, "JPY", {}, visitor(3));
      expect(await getRevenue(target, site)).toEqual({
        by_currency: [
          { currency: "EUR", total: 0, transactions: 2, paying_visitors: 1, average_order_value: 0 },
          { currency: "JPY", total: 0, transactions: 1, paying_visitors: 1, average_order_value: 0 },
          { currency: "USD", total: -5.01, transactions: 1, paying_visitors: 1, average_order_value: -5.01 },
        ],
        by_event: [
          { value: "Purchase", currency: "EUR", total: 0, transactions: 2 },
          { value: "Purchase", currency: "JPY", total: 0, transactions: 1 },
          { value: "Purchase", currency: "USD", total: -5.01, transactions: 1 },
        ],
        by_page: [
          { value: "/", currency: "EUR", total: 0, transactions: 2 },
          { value: "/", currency: "JPY", total: 0, transactions: 1 },
          { value: "/", currency: "USD", total: -5.01, transactions: 1 },
        ],
      });
    });

    it("totals are exact decimals where floats are not", async () => {
      const site = siteName();
      for (const ra of [0.1, 0.2, 1.005, 29.9, -0.01]) await sell(site, ra, "EUR");
      const text = await getStatsText(target, "revenue", { site_id: site });
      // 0.10 + 0.20 + 1.01 (rounded half away from zero) + 29.90 - 0.01
      expect(text).toBe(
        '{"by_currency":[{"currency":"EUR","total":31.2,"transactions":5,"paying_visitors":1,"average_order_value":6.24}],' +
          '"by_event":[{"value":"Purchase","currency":"EUR","total":31.2,"transactions":5}],' +
          '"by_page":[{"value":"/","currency":"EUR","total":31.2,"transactions":5}]}',
      );
    });

    it("the average of equal orders is their amount, without binary rounding", async () => {
      const site = siteName();
      for (let order = 0; order < 3; order++) await sell(site, 29.9, "EUR");
      expect((await getRevenue(target, site)).by_currency).toEqual([
        { currency: "EUR", total: 89.7, transactions: 3, paying_visitors: 1, average_order_value: 29.9 },
      ]);
    });

    it("amounts under one unit keep their zeros and their sign", async () => {
      const site = siteName();
      const totals: Readonly<Record<string, readonly [amount: number, text: string]>> = {
        AAA: [1234.5, "1234.5"],
        BBB: [100, "100"],
        CCC: [0.7, "0.7"],
        DDD: [0.07, "0.07"],
        EEE: [0, "0"],
        FFF: [-0.07, "-0.07"],
        GGG: [-10, "-10"],
        HHH: [-9_999_999_999.99, "-9999999999.99"],
      };
      for (const [currency, [amount]] of Object.entries(totals)) await sell(site, amount, currency);
      const text = await getStatsText(target, "revenue", { site_id: site });
      const byCurrency = text.slice(0, text.indexOf('"by_event"'));
      const shown = [...byCurrency.matchAll(/"currency":"(\w+)","total":([^,]+)/g)].map(([, currency, total]) => [currency, total]);
      expect(shown).toEqual(Object.entries(totals).map(([currency, [, total]]) => [currency, total]));
    });

    it("a total that a float sum would miss is exact", async () => {
      const site = siteName();
      const transactions = 30;
      await Promise.all(Array.from({ length: transactions }, () => sell(site, AMOUNT_MAX, "EUR")));
      const text = await getStatsText(target, "revenue", { site_id: site });
      const total = "299999999999.7";
      expect(text).toBe(
        `{"by_currency":[{"currency":"EUR","total":${total},"transactions":${transactions},"paying_visitors":1,"average_order_value":${AMOUNT_MAX}}],` +
          `"by_event":[{"value":"Purchase","currency":"EUR","total":${total},"transactions":${transactions}}],` +
          `"by_page":[{"value":"/","currency":"EUR","total":${total},"transactions":${transactions}}]}`,
      );
    });

    it("revenue rows are ordered by total, largest first, then by value, then by currency", async () => {
      const site = siteName();
      for (const [u, n, rc] of [
        ["/b", "Upgrade", "USD"],
        ["/b", "Upgrade", "EUR"],
        ["/a", "Purchase", "USD"],
        ["/a", "Purchase", "EUR"],
        ["/B", "purchase", "EUR"],
      ] as const) {
        await sell(site, 5, rc, { u, n });
      }
      await sell(site, 100, "JPY", { u: "/z", n: "zzz" });
      const { by_currency, by_event, by_page } = await getRevenue(target, site);
      expect(by_currency.map(({ currency, total }) => [currency, total])).toEqual([
        ["JPY", 100],
        ["EUR", 15],
        ["USD", 10],
      ]);
      expect(by_event.map(({ value, currency }) => [value, currency])).toEqual([
        ["zzz", "JPY"],
        ["Purchase", "EUR"],
        ["Purchase", "USD"],
        ["Upgrade", "EUR"],
        ["Upgrade", "USD"],
        ["purchase", "EUR"],
      ]);
      expect(by_page.map(({ value, currency }) => [value, currency])).toEqual([
        ["/z", "JPY"],
        ["/B", "EUR"],
        ["/a", "EUR"],
        ["/a", "USD"],
        ["/b", "EUR"],
        ["/b", "USD"],
      ]);
    });

    it("each revenue list has at most 100 rows, those with the largest totals", async () => {
      const site = siteName();
      const page = (i: number): string => `/${String(i).padStart(3, "0")}`;
      await Promise.all(Array.from({ length: 102 }, (_, i) => sell(site, i + 1, "EUR", { u: page(i), n: page(i) })));
      const { by_currency, by_event, by_page } = await getRevenue(target, site);
      const largest = Array.from({ length: 100 }, (_, i) => ({ value: page(101 - i), currency: "EUR", total: 102 - i, transactions: 1 }));
      expect(by_currency).toEqual([{ currency: "EUR", total: 5253, transactions: 102, paying_visitors: 1, average_order_value: 51.5 }]);
      expect(by_event).toEqual(largest);
      expect(by_page).toEqual(largest);
    });

    it("a page view may have revenue", async () => {
      const site = siteName();
      await sell(site, 3, "EUR", { n: "pageview" });
      expect((await getRevenue(target, site)).by_event).toEqual([{ value: "pageview", currency: "EUR", total: 3, transactions: 1 }]);
    });

    it("revenue is limited to the range and the filter", async () => {
      const site = siteName();
      await sell(site, 1, "EUR", { u: "/a" });
      await sell(site, 2, "EUR", { u: "/b" });
      expect(await getRevenue(target, site, { filters: "pages==/b" })).toEqual({
        by_currency: [{ currency: "EUR", total: 2, transactions: 1, paying_visitors: 1, average_order_value: 2 }],
        by_event: [{ value: "Purchase", currency: "EUR", total: 2, transactions: 1 }],
        by_page: [{ value: "/b", currency: "EUR", total: 2, transactions: 1 }],
      });
      expect(await getRevenue(target, site, { start_date: "2020-01-01", end_date: "2020-12-31" })).toEqual({
        by_currency: [],
        by_event: [],
        by_page: [],
      });
    });
  });
}
