/** Figures of a site with applied rules of its own (docs/reports.md, "Rules of a site"). */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { REPORTS } from "../../src/runtime/reports/registry.ts";
import { bodyOf, CLOSED, createShare, logIn, withShare } from "../support/auth-requests.ts";
import { addItem, askCollection } from "../support/collections.ts";
import { getMain, getStats, record, wireEvent, type RequestHeaders, type StatsParameters } from "../support/requests.ts";
import { FILTERED_ENDPOINTS, getStatsText, visitor } from "../support/stats-requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("stats-rules");

/** Every report, and both exports. */
const ENDPOINTS: typeof FILTERED_ENDPOINTS = [
  ...FILTERED_ENDPOINTS,
  ["breakdown/countries", {}],
  ["breakdown/visit-sources", {}],
  ["conversions", {}],
  ["changes", {}],
  ["export", { kind: "daily" }],
  ["export", { kind: "raw" }],
];

/** Visits of one page have no path from page to page. */
const NEVER_OF_WAVE = ["flow"];

const WAVE = { name: "A wave", filters: "pages==/wave" };

export function describeStatsRules(makeTarget: MakeTarget): void {
  describe("figures of a site with rules", () => {
    let closed: Target;
    let session: RequestHeaders;
    /** As its owner. */
    let target: Target;
    beforeAll(async () => {
      closed = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
      session = await logIn(closed);
      target = { ...closed, fetch: (path, init = {}) => closed.fetch(path, { ...init, headers: { ...init.headers, ...session } }) };
    });
    afterAll(() => closed.close());

    const put = async (siteId: string, id: string, body: object) =>
      bodyOf(await askCollection(target, "rules", siteId, session, { method: "PUT", id, body }));

    /** One person, and four visits of one page: with nothing else, a purchase, and passive events. */
    async function siteWithWave(): Promise<string> {
      const siteId = siteName();
      await record(target, wireEvent(siteId, { u: "/", p: { plan: "pro" } }), visitor(1));
      await record(target, wireEvent(siteId, { u: "/a" }), visitor(1));
      for (const id of [2, 3, 4, 5])
        await record(target, wireEvent(siteId, { u: "/wave", p: { plan: "free", coupon: "wave" } }), visitor(id));
      await record(target, wireEvent(siteId, { u: "/wave", n: "Purchase", ra: 5, rc: "EUR" }), visitor(3));
      await record(target, wireEvent(siteId, { u: "/wave", n: "Outbound Link: Click", i: false }), visitor(4));
      await record(target, wireEvent(siteId, { u: "/wave", n: "Scroll", i: false }), visitor(5));
      return siteId;
    }

    const figures = async (siteId: string, parameters: StatsParameters = {}) => {
      const { unique_visitors, total_pageviews, total_events } = await getMain(target, siteId, { period: "day", ...parameters });
      return [unique_visitors, total_pageviews, total_events];
    };

    it("change in every report, keep everything, and are the same bytes again when the rule is taken back or deleted", async () => {
      const siteId = await siteWithWave();
      await addItem(target, "goals", siteId, session, { name: "Bought", event: "Purchase" });
      const texts = async (lens: StatsParameters = {}) => {
        const answered: [string, string][] = [];
        for (const [endpoint, own] of ENDPOINTS) {
          const asked = { site_id: siteId, ...(endpoint !== "realtime" && { period: "day" }), ...own, ...lens };
          answered.push([`${endpoint} ${JSON.stringify(own)}`, await getStatsText(target, endpoint, asked)]);
        }
        return answered;
      };
      const before = await texts();
      const rule = { ...WAVE, spares_people: false };
      const { id } = await addItem(target, "rules", siteId, session, rule);
      const applied = await texts();
      const unchanged = applied.filter(([, text], i) => text === before[i]?.[1]).map(([endpoint]) => endpoint.split(" ")[0]);
      expect(unchanged).toEqual(NEVER_OF_WAVE);
      expect(await texts({ lens: "everything" })).toEqual(before);
      await put(siteId, id, { ...rule, is_applied: false });
      expect(await texts()).toEqual(before);
      await put(siteId, id, rule);
      expect(await texts()).toEqual(applied);
      await bodyOf(await askCollection(target, "rules", siteId, session, { method: "DELETE", id }));
      expect(await texts()).toEqual(before);
    });

    it("are asked of every report here", () => {
      const asked = new Set(ENDPOINTS.map(([endpoint]) => `/api/stats/${endpoint.replace(/^breakdown\/.*/, "breakdown/:dimension")}`));
      expect(REPORTS.map(({ path }) => path).filter((path) => !asked.has(path))).toEqual([]);
    });

    it("add up with those of the visits that are left out", async () => {
      const siteId = await siteWithWave();
      const all = await figures(siteId);
      expect(all).toEqual([5, 6, 9]);
      const { id } = await addItem(target, "rules", siteId, session, { ...WAVE, spares_people: false });
      const kept = await figures(siteId);
      expect(kept).toEqual([1, 2, 2]);
      await put(siteId, id, { name: "All others", filters: "pages!=/wave", spares_people: false });
      const others = await figures(siteId);
      expect(kept.map((count, i) => count + (others[i] ?? 0))).toEqual(all);
      expect(await figures(siteId, { lens: "everything" })).toEqual(all);
    });

    it("keep visits with proof of a person: no bounce, an outbound click, or a goal, even of passive events", async () => {
      const siteId = await siteWithWave();
      const { id } = await addItem(target, "rules", siteId, session, WAVE);
      expect(await figures(siteId)).toEqual([3, 4, 6]);
      const goal = await addItem(target, "goals", siteId, session, { name: "Read", event: "Scroll" });
      expect(await figures(siteId)).toEqual([4, 5, 8]);
      await bodyOf(await askCollection(target, "goals", siteId, session, { method: "DELETE", id: goal.id }));
      expect(await figures(siteId)).toEqual([3, 4, 6]);
      await put(siteId, id, { ...WAVE, spares_people: false });
      expect(await figures(siteId)).toEqual([1, 2, 2]);
    });

    it("follow the dates of a rule, and may all be left out", async () => {
      const siteId = await siteWithWave();
      const today = new Date(target.nowMs()).toISOString().slice(0, 10);
      const everybody = { name: "All", filters: "pages!=/nowhere", spares_people: false };
      const { id } = await addItem(target, "rules", siteId, session, { ...everybody, first_date: "0001-01-01", last_date: "2020-02-29" });
      expect(await figures(siteId)).toEqual([5, 6, 9]);
      await put(siteId, id, { ...everybody, first_date: today, last_date: today });
      expect(await figures(siteId)).toEqual([0, 0, 0]);
      await put(siteId, id, { ...everybody, first_date: "0001-01-01", last_date: "9999-12-31" });
      for (const [endpoint, own] of ENDPOINTS) {
        await getStatsText(target, endpoint, { site_id: siteId, ...(endpoint !== "realtime" && { period: "7d" }), ...own });
      }
      expect(await getStats<readonly unknown[]>(target, "breakdown/pages", { site_id: siteId, period: "day" })).toEqual([]);
    });

    it("follow the dates of a rule in the site's calendar", async () => {
      const timeZone = "Pacific/Kiritimati";
      const own = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1", SVC_TIME_ZONE: timeZone });
      onTestFinished(() => own.close());
      const headers = await logIn(own);
      const asOwner: Target = {
        ...own,
        fetch: (path, init = {}) => own.fetch(path, { ...init, headers: { ...init.headers, ...headers } }),
      };
      const siteId = siteName();
      await record(asOwner, wireEvent(siteId, { u: "/wave" }), visitor(1));
      const dateAt = (agoDays: number) => new Date(own.nowMs() + (14 - 24 * agoDays) * 3_600_000).toISOString().slice(0, 10);
      const [today, yesterday] = [dateAt(0), dateAt(1)];
      for (const [dates, left] of [
        [{ last_date: yesterday }, 1],
        [{ first_date: today, last_date: today }, 0],
      ] as const) {
        const { id } = await addItem(asOwner, "rules", siteId, headers, { ...WAVE, ...dates });
        expect(await getMain(asOwner, siteId, { period: "7d" }), JSON.stringify(dates)).toMatchObject({ total_events: left });
        const init = { method: "POST", body: JSON.stringify({ rule_id: id }) };
        const preview = await bodyOf(await asOwner.fetch(`/api/stats/rule-preview?site_id=${siteId}&period=7d`, init));
        expect(preview).toMatchObject({ visits: 1, left_out: 1 - left, first_date: left === 0 ? today : null });
        await bodyOf(await askCollection(asOwner, "rules", siteId, headers, { method: "DELETE", id }));
      }
    });

    it("are those of a guest, and of the doors for other programs", async () => {
      const siteId = await siteWithWave();
      const guest = withShare((await createShare(target, session, { site_id: siteId })).token);
      const seen = async (headers: RequestHeaders, path: string) => (await closed.fetch(path, { headers })).text();
      const paths = ["stats/main", "summary", "stats/breakdown/pages"].map((path) => `/api/${path}?site_id=${siteId}&period=day`);
      const all = await Promise.all(paths.map((path) => seen(session, path)));
      await addItem(target, "rules", siteId, session, WAVE);
      for (const [i, path] of paths.entries()) {
        const ofOwner = await seen(session, path);
        expect(ofOwner).not.toBe(all[i]);
        if (path.startsWith("/api/stats")) expect(await seen(guest, path)).toBe(ofOwner);
      }
    });

    it("lose the events of visits that are left out by an erasure, too", async () => {
      const siteId = await siteWithWave();
      const { id } = await addItem(target, "rules", siteId, session, WAVE);
      const today = new Date(target.nowMs()).toISOString().slice(0, 10);
      const erase = `/api/gdpr/erase?site_id=${siteId}&start_date=${today}&end_date=${today}`;
      await bodyOf(await target.fetch(erase, { method: "DELETE" }));
      expect(await figures(siteId, { lens: "everything" })).toEqual([0, 0, 0]);
      await put(siteId, id, { ...WAVE, is_applied: false });
      expect(await figures(siteId)).toEqual([0, 0, 0]);
    });
  });
}
