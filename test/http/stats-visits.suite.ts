/** Visit dimensions: whose visit it is, by its first event (docs/reports.md, "Visit dimensions"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, CLOSED, createShare, logIn, withShare } from "../support/auth-requests.ts";
import { expectError, getStats, post, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { visitor } from "../support/stats-requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("visits");

const GOOGLE = "https://www.google.com/";
const PAYMENT = "https://checkout.stripe.com/c/pay";

interface Row {
  readonly value: string;
  readonly visitors: number;
  readonly pageviews: number;
  readonly events: number;
  readonly sessions?: number;
  readonly revenue?: number;
}

const valuesOf = (rows: readonly Row[]): string[] => rows.map(({ value }) => value);

/** Google, then three pages, then a purchase after the payment host. */
async function buy(target: Target, site: string, number: number): Promise<void> {
  await record(target, wireEvent(site, { u: "/landing?utm_medium=search", r: GOOGLE }), visitor(number));
  await record(target, wireEvent(site, { u: "/product" }), visitor(number));
  await record(target, wireEvent(site, { u: "/thanks", r: PAYMENT }), visitor(number));
  await record(target, wireEvent(site, { n: "Purchase", u: "/thanks", r: PAYMENT, ra: 10, rc: "EUR" }), visitor(number));
}

export function describeStatsVisits(makeTarget: MakeTarget): void {
  describe("visit dimensions", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_TRUST_PROXY: "1" });
    });
    afterAll(() => target.close());

    const breakdown = (site: string, dimension: string, parameters: Readonly<Record<string, string>> = {}) =>
      getStats<Row[]>(target, `breakdown/${dimension}`, { site_id: site, ...parameters });

    it("a visit from Google that pays elsewhere is one visit, with all its page views, its revenue and its funnel under Google", async () => {
      const site = siteName();
      await buy(target, site, 1);
      const columns = { columns: "sessions,revenue", currency: "EUR" };
      const google = { value: "Google", visitors: 1, pageviews: 3, events: 4, sessions: 1, revenue: 10 };
      expect(await breakdown(site, "visit-sources", columns)).toEqual([google]);
      expect(await breakdown(site, "visit-channels", columns)).toEqual([{ ...google, value: "Organic Search" }]);
      expect(await breakdown(site, "visit-utm-mediums", columns)).toEqual([{ ...google, value: "search" }]);
      const filters = "visit-sources==Google";
      const { by_currency: totals } = await getStats<{ by_currency: unknown[] }>(target, "revenue", { site_id: site, filters });
      expect(totals).toMatchObject([{ currency: "EUR", total: 10 }]);
      const steps = "page:/landing,event:Purchase";
      const funnel = await getStats<{ visitors: number }[]>(target, "funnel", {
        site_id: site,
        steps,
        filters: "visit-utm-mediums==search",
      });
      expect(funnel.map(({ visitors }) => visitors)).toEqual([1, 1]);
      expect(await getStats(target, "goals", { site_id: site, filters })).toMatchObject([
        { name: "Purchase", visitors: 1, conversion_rate: 1 },
      ]);
    });

    it("a visit that begins after a payment or sign-in host has no source", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/thanks", r: PAYMENT }), visitor(1));
      expect(valuesOf(await breakdown(site, "sources"))).toEqual(["checkout.stripe.com"]);
      for (const [dimension, value] of [
        ["visit-sources", "(unknown)"],
        ["visit-referrers", "(unknown)"],
        ["visit-channels", "Direct"],
      ] as const) {
        expect(valuesOf(await breakdown(site, dimension))).toEqual([value]);
      }
    });

    it("sources put the spellings of one name together; the campaign's own value stays in its row", async () => {
      const site = siteName();
      for (const [i, source] of ["LinkedIn", "linkedin"].entries()) {
        await record(target, wireEvent(site, { u: `/?utm_source=${source}` }), visitor(i));
      }
      await record(target, wireEvent(site, { u: "/", r: "https://lnkd.in/a" }), visitor(2));
      await record(target, wireEvent(site, { u: "/", r: "android-app://com.linkedin.android" }), visitor(3));
      expect(await breakdown(site, "visit-sources")).toEqual([{ value: "LinkedIn", visitors: 4, pageviews: 4, events: 4 }]);
      expect(valuesOf(await breakdown(site, "visit-utm-sources"))).toEqual(["(unknown)", "LinkedIn", "linkedin"]);
    });

    it("rows of visits add up to all visits, and a filter on each row's value gives its numbers", async () => {
      const site = siteName();
      await buy(target, site, 1);
      await record(target, wireEvent(site, { u: "/?gclid=x" }), visitor(2));
      await record(target, wireEvent(site, { u: "/a", r: "https://news.example/" }), visitor(3));
      await record(target, wireEvent(site, { u: "/b" }), visitor(3));
      const { total_sessions } = await getStats<{ total_sessions: number }>(target, "main", { site_id: site });
      for (const dimension of ["visit-channels", "visit-sources", "visit-referrers", "visit-hostnames", "visit-utm-campaigns"]) {
        const rows = await breakdown(site, dimension, { columns: "sessions" });
        expect(rows.reduce((sum, { sessions = 0 }) => sum + sessions, 0)).toBe(total_sessions);
        for (const { value, sessions, pageviews } of rows) {
          const filtered = await getStats(target, "main", { site_id: site, filters: `${dimension}==${value}` });
          expect(filtered).toMatchObject({ total_sessions: sessions, total_pageviews: pageviews });
        }
      }
      expect(valuesOf(await breakdown(site, "visit-channels")).toSorted()).toEqual(["Organic Search", "Paid Search", "Referral"]);
    });

    it("realtime and the daily export name the source of the visit if they are asked to", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/a", r: GOOGLE }), visitor(1));
      await record(target, wireEvent(site, { u: "/b" }), visitor(1));
      const sourcesBy = async (attribution: string) =>
        (await getStats<{ top_sources: unknown }>(target, "realtime", { site_id: site, attribution })).top_sources;
      expect(await sourcesBy("visit")).toEqual([{ value: "Google", visitors: 1 }]);
      expect(await sourcesBy("event")).toEqual([
        { value: "(direct)", visitors: 1 },
        { value: "Google", visitors: 1 },
      ]);
      const topBy = async (attribution: string) =>
        (await getStats<{ top_source: string }[]>(target, "export", { site_id: site, period: "day", format: "json", attribution }))[0]
          ?.top_source;
      expect([await topBy("event"), await topBy("visit")]).toEqual(["(direct)", "Google"]);
      await expectError(await target.fetch(`/api/stats/realtime?site_id=${site}&attribution=first`), 400, "attribution");
    });

    it("a raw export has what the visit of each event has, after all other columns", async () => {
      const site = siteName();
      await record(target, wireEvent(site, { u: "/a?utm_source=letter", r: GOOGLE }), visitor(1));
      await record(target, wireEvent(site, { u: "/b", n: "Signup" }), visitor(1));
      const columns = "visit_source,visit_referrer,visit_channel,visit_hostname,visit_utm_source";
      const rows = await getStats<Record<string, unknown>[]>(target, "export", { site_id: site, kind: "raw", format: "json", columns });
      const visited = { visit_source: "letter", visit_referrer: GOOGLE, visit_hostname: null, visit_utm_source: "letter" };
      expect(rows).toEqual([
        expect.objectContaining({ pathname: "/a", ...visited }),
        expect.objectContaining({ pathname: "/b", ...visited }),
      ]);
      expect(Object.keys(rows[0] ?? {}).slice(-5)).toEqual(columns.split(","));
      await expectError(await target.fetch(`/api/stats/export?site_id=${site}&kind=raw&columns=visit_page`), 400, "columns");
    });

    it("they are no event dimensions: those keep what each event recorded", async () => {
      const site = siteName();
      await buy(target, site, 1);
      expect(valuesOf(await breakdown(site, "sources")).toSorted()).toEqual(["(unknown)", "Google", "checkout.stripe.com"]);
      expect(await getStats(target, "main", { site_id: site, filters: "sources==Google" })).toMatchObject({ total_events: 1 });
    });
  });

  describe("rules of a site", () => {
    let target: Target;
    let headers: RequestHeaders;
    beforeAll(async () => {
      target = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
      headers = await logIn(target);
    });
    afterAll(() => target.close());

    const rowsOf = async (site: string, dimension: string): Promise<Row[]> =>
      bodyOf(await target.fetch(`/api/stats/breakdown/${dimension}?site_id=${site}&columns=sessions`, { headers }));

    const set = (site: string, settings: object): Promise<Response> =>
      target.fetch(`/api/sites/${site}`, { method: "PUT", headers, body: JSON.stringify(settings) });

    const preview = (site: string, settings: object): Promise<Response> =>
      target.fetch(`/api/stats/channel-preview?site_id=${site}`, { method: "POST", headers, body: JSON.stringify(settings) });

    it("a changed rule changes the past, the totals stay, and the preview said so", async () => {
      const site = siteName();
      for (const [i, r] of ["https://partner.example/", "https://partner.example/", "https://forum.example/", GOOGLE].entries()) {
        await post(target, wireEvent(site, { u: "/", r }), { ...visitor(i) });
      }
      const before = await rowsOf(site, "visit-channels");
      const rule = { channel: "Affiliates", referrer: ["partner.example"] };
      const settings = { channel_rules: [rule], ignored_referrers: ["forum.example"] };
      const answer = await bodyOf<{ visits: number; moved: number; moves: unknown }>(await preview(site, settings));
      expect(answer).toMatchObject({
        rules_version: 1,
        visits: 4,
        moved: 3,
        moves: [
          { channel: "Referral", proposed: "Affiliates", visits: 2 },
          { channel: "Referral", proposed: "Direct", visits: 1 },
        ],
      });
      expect(await rowsOf(site, "visit-channels")).toEqual(before);
      expect((await set(site, settings)).status).toBe(200);
      const after = await rowsOf(site, "visit-channels");
      expect(after.map(({ value, sessions }) => [value, sessions])).toEqual([
        ["Affiliates", 2],
        ["Direct", 1],
        ["Organic Search", 1],
      ]);
      expect(after.reduce((sum, { sessions = 0 }) => sum + sessions, 0)).toBe(4);
      expect(valuesOf(await rowsOf(site, "visit-sources"))).toEqual(["partner.example", "(unknown)", "Google"]);
      expect(await bodyOf(await preview(site, settings))).toMatchObject({ visits: 4, moved: 0, moves: [] });
    });

    it("a referrer from a host of the site's own counts as none, in a channel of its own", async () => {
      const site = siteName();
      await post(target, wireEvent(site, { u: "/", r: "https://help.brand.example/" }), visitor(1));
      expect(valuesOf(await rowsOf(site, "visit-channels"))).toEqual(["Referral"]);
      await set(site, { own_hosts: ["*.brand.example"] });
      expect(valuesOf(await rowsOf(site, "visit-channels"))).toEqual(["Internal"]);
      expect(valuesOf(await rowsOf(site, "visit-sources"))).toEqual(["(unknown)"]);
    });

    it("a guest who asks first sees the direct visits, too, and so does the owner afterwards", async () => {
      const site = siteName();
      await post(target, wireEvent(site, { u: "/", r: GOOGLE }), visitor(1));
      await post(target, wireEvent(site, { u: "/" }), visitor(2));
      const { token } = await createShare(target, headers, { site_id: site });
      const filtered = await createShare(target, headers, { site_id: site, filters: "visit-channels==Direct" });
      const asked = async (report: string, asker: RequestHeaders) =>
        bodyOf<Row[]>(await target.fetch(`/api/stats/${report}${report.includes("?") ? "&" : "?"}site_id=${site}`, { headers: asker }));
      const channels = ["Direct", "Organic Search"];
      for (const asker of [withShare(token), headers]) {
        expect(valuesOf(await asked("breakdown/visit-channels", asker))).toEqual(channels);
        expect(valuesOf(await asked("breakdown/visit-sources", asker)).toSorted()).toEqual(["(unknown)", "Google"]);
        expect(await asked("main?filters=visit-channels!=Direct", asker)).toMatchObject({ total_sessions: 1 });
        expect(await asked("realtime?attribution=visit", asker)).toMatchObject({ current_visitors: 2 });
        expect(await asked("export?kind=raw&format=json&columns=visit_channel", asker)).toHaveLength(2);
      }
      expect(valuesOf(await asked("breakdown/visit-channels", withShare(filtered.token)))).toEqual(["Direct"]);
    });

    it("a preview of rules that the settings would refuse is refused alike", async () => {
      const site = siteName();
      await expectError(await preview(site, { channel_rules: [{ channel: "Best" }] }), 400, "channel_rules");
      await expectError(await preview(site, { channel_rules: 1 }), 422, "channel_rules");
      await expectError(await target.fetch("/api/stats/channel-preview", { method: "POST", headers, body: "{}" }), 400, "site_id");
    });
  });
}
